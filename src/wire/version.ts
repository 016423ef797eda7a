/** Which protocol version a request is in, and whether that is as agreed. */
import { A2AError } from "../protocol/errors.ts";

export interface VersionClaim {
  /** What the caller named (`A2A-Version`: header, query parameter or metadata), if anything. */
  readonly header: string | undefined;
  /** The version that the method name, the path or the service belongs to: what cannot lie. */
  readonly shape: string;
  /** The versions that the agent offers on this binding, newest first. */
  readonly offered: readonly string[];
}

/**
 * The rule of versions (spec 3.6.2): the shape decides how a request is read, the header is the contract. No header is
 * fine, one that names the shape's version is fine whatever its patch number. A header that contradicts the shape, or
 * a version that is not offered, is VERSION_NOT_SUPPORTED and names those that are. Whether the caller named a version.
 */
export function checkVersion({ header, shape, offered }: VersionClaim): boolean {
  if (!offered.includes(shape)) throw notSupported(`version ${shape} is not offered here`, offered);
  if (!isNamed(header)) return false;
  if (majorMinorOf(header) === shape) return true;
  const named = majorMinorOf(header);
  const text =
    named !== undefined && offered.includes(named)
      ? `the request is one of version ${shape}, but says that it is of ${named}`
      : `protocol version ${JSON.stringify(header)} is not supported here`;
  throw notSupported(text, offered);
}

/**
 * The version whose errors a caller understands before the shape is known: the one that it names, the oldest when it
 * names none (spec 3.6.2), the newest when it names one that is not there. `versions` are in order, newest first.
 */
export function spokenVersion<T extends { readonly version: string }>(
  header: string | undefined,
  versions: readonly [T, ...T[]],
): T {
  const [newest] = versions;
  if (!isNamed(header)) return versions.at(-1) ?? newest;
  const named = majorMinorOf(header);
  return versions.find(({ version }) => version === named) ?? newest;
}

/** Whether the caller has named a version at all. */
export function isNamed(header: string | undefined): header is string {
  return header !== undefined && header.trim() !== "";
}

/** `Major.Minor` of `Major.Minor[.Patch]`; undefined for what is no version. */
export function majorMinorOf(header: string): string | undefined {
  const match = /^\s*(\d+)\.(\d+)(?:\.\d+)?\s*$/.exec(header);
  return match ? `${match[1]}.${match[2]}` : undefined;
}

function notSupported(text: string, offered: readonly string[]): A2AError {
  return new A2AError("VERSION_NOT_SUPPORTED", text, {
    metadata: { supportedVersions: offered.join(",") },
  });
}
