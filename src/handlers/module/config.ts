/**
 * Calls a JavaScript or TypeScript module. In the configuration file one of
 *
 *     module: ./agent.ts                             # short for { path: ./agent.ts }
 *     module: { path: ./agents.ts, export: weather }
 *
 * The export is an async generator function `(turn: Turn) => AsyncIterable<HandlerEvent | string>`; see handler.ts.
 */
export interface ModuleConfig {
  readonly kind: "module";
  /** The file (.js, .mjs, .cjs, .ts, .mts, .cts), relative to the configuration file's directory. */
  readonly path: string;
  /** The name of the export. Default: the default export, else `handle`. */
  readonly export?: string;
}
