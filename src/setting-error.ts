/** A setting that nothing can be made with: the mistake of whoever wrote the configuration. */
export class SettingError extends Error {
  /** Where it stands in its section: below a handler's own settings `rules[0].message`, below `access` `authenticators[0].jwt.jwks`. */
  readonly path: string;
  readonly what: string;

  constructor(path: string, what: string, options?: ErrorOptions) {
    super(`${path}: ${what}`, options);
    this.name = "SettingError";
    this.path = path;
    this.what = what;
  }
}
