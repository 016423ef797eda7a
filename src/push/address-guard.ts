/**
 * Keeps requests to addresses that others name away from what only this machine and its network reach (spec 13.2).
 *
 * An address is judged twice: what the URL says, and what its host resolves to. A connection is made to the very
 * addresses that were judged, so that a name that resolves differently the next moment gains nothing.
 */
import type { LookupAddress } from "node:dns";
import { isIPv4, type LookupFunction } from "node:net";
import { addressOf, machineAt, specialKindOf, type Address } from "./address-kind.ts";
import { openAllowList, withoutRoot } from "./allow-list.ts";
import { Memory } from "./memory.ts";
import { parsedUrl } from "./parsed-url.ts";
import { openResolve, type Resolve } from "./resolve.ts";

export interface AddressRules {
  /** Whether `http:` will do. */
  readonly allowHttp: boolean;
  /** Whether addresses that are not of the public internet will do, all of them. */
  readonly allowPrivate: boolean;
  /** Hosts, `*.host`, addresses and networks that are open whatever the rules above, over http too. */
  readonly allow: readonly string[];
}

export interface AddressGuard {
  /**
   * Why no request may go there, in words that follow the name of a field; undefined when one may as far as the URL
   * tells. A host that is an address is never looked up: this is what judges it.
   */
  refusalOf(url: string | URL): string | undefined;
  /**
   * For the options of a request or an agent. Yields the addresses of a name that are allowed, and fails with a
   * RefusedAddressError when it has none of them.
   */
  readonly lookup: LookupFunction;
  /**
   * What stands for the machine behind the host of a URL: its address, or the one that its name had when it was looked
   * up last; the name where nothing is known. Names and ports of one machine have one.
   */
  machineOf(host: string): string;
}

/** Names whose machine is known. */
const REMEMBERED = 4096;

const refusedAddress = Symbol.for("a2a-gateway.refused-address");

/** A name has addresses, and none of them is allowed. */
export class RefusedAddressError extends Error {
  readonly [refusedAddress] = true;

  static is(thrown: unknown): thrown is RefusedAddressError {
    return typeof thrown === "object" && thrown !== null && refusedAddress in thrown;
  }
}

/** Throws for an entry of `allow` that is neither a host nor a network. */
export function openAddressGuard(
  { allowHttp, allowPrivate, allow }: AddressRules,
  resolve: Resolve = openResolve(),
): AddressGuard {
  const open = openAllowList(allow);
  const machines = new Memory<string>(REMEMBERED);

  function refusalOfAddress(address: Address): string | undefined {
    return allowPrivate || open.hasAddress(address) ? undefined : specialKindOf(address);
  }

  function refusalOfHost(host: string): string | undefined {
    const address = literalOf(host);
    if (address !== undefined) {
      const kind = refusalOfAddress(address);
      return kind && `must not name ${kind}`;
    }
    const name = withoutRoot(host);
    if (!DNS_NAME.test(name)) return "must name a host that can be looked up";
    return LOCAL_NAME.test(name) && !allowPrivate ? "must not name this machine" : undefined;
  }

  function isListed(host: string): boolean {
    const address = literalOf(host);
    return address === undefined ? open.hasName(host) : open.hasAddress(address);
  }

  async function allowedAddresses(name: string): Promise<LookupAddress[]> {
    const found = await resolve(name);
    const address = addressOf(found[0]?.address ?? "");
    if (address !== undefined) machines.set(name, machineAt(address));
    if (open.hasName(name)) return [...found];
    const allowed = found.filter((each) => {
      const address = addressOf(each.address);
      return address !== undefined && refusalOfAddress(address) === undefined;
    });
    if (found.length > 0 && allowed.length === 0)
      throw new RefusedAddressError("the host has no address that is allowed");
    return allowed;
  }

  async function answer(...[name, { all, family }, callback]: Parameters<LookupFunction>) {
    let addresses: readonly LookupAddress[];
    try {
      addresses = await allowedAddresses(name);
    } catch (thrown) {
      return callback(thrown as NodeJS.ErrnoException, "", 0);
    }
    const fitting = addresses.filter((each) => !isOtherFamily(each.family, family));
    const [first] = fitting;
    if (first === undefined) return callback(notFound(name), "", 0);
    if (all === true) callback(null, fitting);
    else callback(null, first.address, first.family);
  }

  return {
    refusalOf(url) {
      if (typeof url === "string" && UNWANTED.test(url))
        return "must not contain blanks or control characters";
      const parsed = typeof url === "string" ? parsedUrl(url) : url;
      if (parsed === undefined || !SCHEMES.has(parsed.protocol))
        return "must be an absolute http or https URL";
      if (parsed.username !== "" || parsed.password !== "")
        return "must not contain a user or a password";
      if (isListed(parsed.hostname)) return undefined;
      if (parsed.protocol === "http:" && !allowHttp) return "must be an https URL";
      return refusalOfHost(parsed.hostname);
    },
    lookup: (name, options, callback) => void answer(name, options, callback),
    machineOf(host) {
      const address = literalOf(host);
      return address === undefined ? (machines.get(host) ?? host) : machineAt(address);
    },
  };
}

const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:"]);
/** What the parser of URLs passes over, and others do not. */
const UNWANTED = /[\s\p{Cc}]/u;
const DNS_NAME = /^(?=.{1,253}$)[^.]{1,63}(?:\.[^.]{1,63})*$/;
/** RFC 6761, 6.3. */
const LOCAL_NAME = /(?:^|\.)localhost$/;

/** The parser of URLs has brought every notation of an address into one form: decimal, octal, hexadecimal, short. */
function literalOf(host: string): Address | undefined {
  if (host.startsWith("[")) return addressOf(host.slice(1, -1));
  return isIPv4(host) ? addressOf(host) : undefined;
}

function isOtherFamily(family: number, wanted: number | string | undefined): boolean {
  return (wanted === 4 || wanted === 6) && family !== wanted;
}

function notFound(name: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`no address of ${name}`), { code: "ENOTFOUND" });
}
