/** The written forms of addresses: of listeners, networks, hosts and URLs. */
import { isIP } from "node:net";
import { z } from "zod";
import { written, writtenOr } from "./written.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** `host:port`, with an IPv6 host in brackets. */
export const address = written("an address such as 127.0.0.1:8080", addressOf);

/** An address, or `off` as undefined. */
export const addressOrOff = writtenOr("off", "an address such as 127.0.0.1:9090", addressOf);

/** `http://…` or `https://…` without query and fragment, as a base to which paths are added. */
export const baseUrl = written("an http or https URL without query and fragment", baseUrlOf);

export const webUrl = written("an http or https URL", (text) => {
  const url = urlOf(text);
  return url && /^https?:$/.test(url.protocol) ? text : undefined;
});

/** As `webUrl`, for what is called: other settings say who calls, and are kept out of logs. */
export const calledUrl = webUrl.check(
  z.refine((url) => !URL.canParse(url) || (new URL(url).username || new URL(url).password) === "", {
    error: "expected a URL without a user",
  }),
);

/** `agents.example.com` or `agents.example.com:8443`, in lower case. */
export const hostName = written("a host such as agents.example.com", hostOf);

/** An IP address, or a network such as `10.0.0.0/8`. */
export const network = written("an IP address or a network such as 10.0.0.0/8", (text) => {
  const [ip = "", prefix, ...rest] = text.split("/");
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(ip)] ?? -1;
  if (rest.length > 0 || bits < 0) return undefined;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)
    ? text
    : undefined;
});

function addressOf(text: string): Address | undefined {
  const [, bracketed, plain, digits] =
    /^(?:\[([0-9a-fA-F:.%]+)\]|([^\s:/[\]@]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  return host === undefined || port > 65_535 ? undefined : { host, port };
}

function hostOf(text: string): string | undefined {
  if (!/^(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?$/.test(text)) return undefined;
  return URL.canParse(`http://${text}`) ? text.toLowerCase() : undefined;
}

function baseUrlOf(text: string): string | undefined {
  const url = urlOf(text);
  if (!url || !/^https?:$/.test(url.protocol) || /[?#]/.test(text)) return undefined;
  if (url.username || url.password) return undefined;
  return url.href.replace(/\/+$/, "");
}

function urlOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
