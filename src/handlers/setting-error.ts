/** A setting that no handler can be made with: the mistake of whoever wrote the configuration. */
export class SettingError extends Error {
  /** Where it stands among the handler's own settings, such as `rules[0].message`. */
  readonly path: string;
  readonly what: string;

  constructor(path: string, what: string, options?: ErrorOptions) {
    super(`${path}: ${what}`, options);
    this.name = "SettingError";
    this.path = path;
    this.what = what;
  }
}
