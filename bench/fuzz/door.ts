/** So many mutated requests at one door, some of them at a time, until one is answered as it should not be. */
import fc, { type Arbitrary } from "fast-check";
import { GrpcLine } from "./grpc-line.ts";
import { grpcShots, type GrpcShot } from "./grpc-shots.ts";
import { HttpLine } from "./http-line.ts";
import { httpShots, type HttpShot } from "./http-shots.ts";
import { intentsOf } from "./intents.ts";
import { restRequests, rpcRequests } from "./json-requests.ts";
import type { Door, World } from "./world.ts";

/** So many connections send at a time. */
const LANES = 16;
const SHRINK_MS = 20_000;

export interface Attack {
  readonly door: Door;
  readonly world: World;
  readonly times: number;
  readonly seed: number;
}

/** What went wrong, with the smallest request that makes it go wrong; undefined: nothing. */
export async function attack({ door, world, times, seed }: Attack): Promise<string | undefined> {
  const { binding, version } = door;
  const intents = intentsOf(world, version, seed);
  const lanes: Promise<string | undefined>[] = [];
  for (let lane = 0; lane < LANES; lane++) {
    const order = { seed: (seed + lane * 7919) | 0, numRuns: share(times, lane) };
    switch (binding) {
      case "jsonrpc":
        lanes.push(httpLane(world, httpShots(world, rpcRequests(version, intents)), order));
        break;
      case "rest":
        lanes.push(httpLane(world, httpShots(world, restRequests(version, intents)), order));
        break;
      case "grpc":
        lanes.push(grpcLane(world, grpcShots(world, version, intents), order));
    }
  }
  const failures = await Promise.all(lanes);
  return failures.find((each) => each !== undefined);
}

function share(times: number, lane: number): number {
  return Math.floor(times / LANES) + (lane < times % LANES ? 1 : 0);
}

interface Order {
  readonly seed: number;
  readonly numRuns: number;
}

function httpLane(world: World, shots: Arbitrary<HttpShot>, order: Order) {
  const line = new HttpLine(world.port);
  return run(shots, line, order, ({ bytes }) => `${bytes.length} bytes of HTTP/1.1`);
}

function grpcLane(world: World, shots: Arbitrary<GrpcShot>, order: Order) {
  const line = new GrpcLine(world.port);
  return run(shots, line, order, (shot) =>
    shot.kind === "frames"
      ? `${shot.bytes.length} bytes of HTTP/2`
      : `a call of ${shot.path} with ${JSON.stringify(shot.headers)}, whose body is ${shot.bytes.length} bytes`,
  );
}

interface Line<Shot> {
  send(shot: Shot): Promise<unknown>;
  close(): void;
}

async function run<Shot extends { readonly bytes: Buffer }>(
  shots: Arbitrary<Shot>,
  line: Line<Shot>,
  { seed, numRuns }: Order,
  describe: (shot: Shot) => string,
): Promise<string | undefined> {
  if (numRuns === 0) return undefined;
  let failed: number | undefined;
  const property = fc.asyncProperty(shots, async (shot) => {
    // From then on smaller requests are looked for that go wrong too, which may each take as long as patience does.
    if (failed !== undefined && performance.now() - failed > SHRINK_MS) return;
    try {
      await line.send(shot);
    } catch (thrown) {
      failed ??= performance.now();
      throw thrown;
    }
  });
  const { counterexample, counterexamplePath, errorInstance } = await fc.check(property, {
    seed,
    numRuns,
  });
  line.close();
  if (failed === undefined) return undefined;
  const [shot] = counterexample ?? [];
  return [
    `${errorInstance instanceof Error ? errorInstance.message : String(errorInstance)}`,
    `to ${shot ? describe(shot) : "nothing"} (seed ${seed}, path ${counterexamplePath}), in base64:`,
    shot?.bytes.toString("base64") ?? "",
  ].join("\n");
}
