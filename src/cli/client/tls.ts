import { Agent } from "undici";

/** Whom the client trusts, and how it shows who it is; in PEM. */
export interface ClientTls {
  /** In place of the usual authorities. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Connections of `fetch` that wait as long as the caller does. */
export function connectionsOf(tls: ClientTls | undefined, maxResponseSize?: number): Agent {
  return new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    ...(maxResponseSize !== undefined && { maxResponseSize }),
    ...(tls && { connect: { ...tls } }),
  });
}
