/** A setting of the access section that cannot be used: the mistake of whoever wrote the configuration. */
export class AccessSettingError extends Error {
  /** Where it stands below `access`, such as `authenticators[0].jwt.jwks`. */
  readonly path: string;
  readonly what: string;

  constructor(path: string, what: string, options?: ErrorOptions) {
    super(`${path}: ${what}`, options);
    this.name = "AccessSettingError";
    this.path = path;
    this.what = what;
  }
}
