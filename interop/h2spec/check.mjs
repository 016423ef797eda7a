// Compares what h2spec finds at the gateway with what it finds at the peer, in the clear and over TLS: prints every case
// that either fails, and exits with 1 when the gateway fails one that the peer does not and that is not meant.
import { join } from "node:path";
import { casesAt, failedIn } from "./report.mjs";

/** Cases that the gateway fails by its design. */
const MEANT = new Map([
  [
    "http2/3.5 Sends invalid connection preface",
    "what does not begin as HTTP/2 is HTTP/1.1 on this port, and is refused as such before the connection ends",
  ],
]);
/**
 * Some cases go one way or the other by what comes in one piece and what does not, at any server: what the gateway alone
 * fails is looked at again so often, and a fault when it fails each time and the peer never does.
 */
const AGAIN = 5;

const [h2spec, work, gatewayPlain, peerPlain, gatewaySecure, peerSecure] = process.argv.slice(2);
const results = await Promise.all([
  compared("in the clear", gatewayPlain, peerPlain, false),
  compared("over TLS", gatewaySecure, peerSecure, true),
]);
for (const { lines } of results) console.log(lines.join("\n"));
process.exitCode = results.every(({ isRight }) => isRight) ? 0 : 1;

async function compared(title, gatewayPort, peerPort, isSecure) {
  const place = (name, port) => {
    const report = join(work, `${name} ${title}.xml`.replaceAll(" ", "-"));
    return { h2spec, port, isSecure, report };
  };
  const gatewayPlace = place("gateway", gatewayPort);
  const peerPlace = place("peer", peerPort);
  const [gateway, peer] = await Promise.all([casesAt(gatewayPlace), casesAt(peerPlace)]);
  const failed = new Set(failedIn(gateway).map(({ name }) => name));
  const peerFailed = new Set(failedIn(peer).map(({ name }) => name));
  const suspects = failedIn(gateway).filter(
    ({ name }) => !peerFailed.has(name) && !MEANT.has(name),
  );
  const faults = new Set(suspects.map(({ name }) => name));
  const sections = [...new Set(suspects.map(({ section }) => section))];
  for (let time = 0; time < AGAIN && faults.size > 0; time++) {
    const gatewayAgain = failedIn(await casesAt(gatewayPlace, sections)).map(({ name }) => name);
    const peerAgain = failedIn(await casesAt(peerPlace, sections)).map(({ name }) => name);
    for (const name of faults)
      if (!gatewayAgain.includes(name) || peerAgain.includes(name)) faults.delete(name);
  }
  const verdictOf = (name) => {
    if (!failed.has(name)) return "only grpc-js";
    if (peerFailed.has(name)) return "both";
    if (faults.has(name)) return "ONLY THE GATEWAY";
    return MEANT.has(name) ? `meant: ${MEANT.get(name)}` : "by timing, at either";
  };
  const names = [...new Set([...failed, ...peerFailed])].sort((a, b) => a.localeCompare(b));
  // Nothing at all, or not the same, is a run that has not been one.
  const isWhole = gateway.length > 0 && gateway.length === peer.length;
  const skipped = gateway.filter(({ isSkipped }) => isSkipped).length;
  return {
    isRight: isWhole && faults.size === 0,
    lines: [
      ...names.map((name) => `  ${name}: ${verdictOf(name)}`),
      `${title}: ${gateway.length} cases, ${skipped} skipped; the gateway fails ${failed.size}, ` +
        `grpc-js ${peerFailed.size}, ${faults.size} the gateway alone`,
    ],
  };
}
