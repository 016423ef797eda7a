/** Clients over TLS that trust one authority alone, with a certificate of their own where they hold one. */
import { readFileSync } from "node:fs";
import {
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from "@a2a-js/sdk/client";
import { GrpcTransportFactory } from "@a2a-js/sdk/client/grpc";
import { credentials } from "@grpc/grpc-js";
import { Agent, fetch } from "undici";
import { byCard } from "./by-card.mjs";

export function connecting(caFile, version) {
  const ca = readFileSync(caFile);
  const legacyCompat = { enabled: version === "0.3" };
  const agents = new Map();

  /** `fetch` of Node takes neither an authority nor a certificate; that of undici, which is the same, takes both. */
  function fetchWith(mtls) {
    const name = mtls?.cert ?? "";
    const open = () => new Agent({ connect: { ca, ...pairOf(mtls) } });
    agents.set(name, agents.get(name) ?? open());
    return (url, init) => fetch(url, { ...init, dispatcher: agents.get(name) });
  }

  return {
    fetchWith,
    open(card, binding, held, fetchImpl = fetchWith(held.mtls)) {
      const { cert, key } = pairOf(held.mtls);
      const grpcChannelCredentials = credentials.createSsl(ca, key ?? null, cert ?? null);
      const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
        transports: [
          new JsonRpcTransportFactory({ legacyCompat, fetchImpl }),
          new RestTransportFactory({ legacyCompat, fetchImpl }),
          new GrpcTransportFactory({ legacyCompat, grpcChannelCredentials }),
        ],
        preferredTransports: [binding],
        clientConfig: { interceptors: [byCard(held)] },
        // createFromAgentCard reads again what a resolver has read, and loses the schemes over it.
        cardResolver: { resolve: async () => card },
      });
      return new ClientFactory(options).createFromUrl("");
    },
    close() {
      for (const agent of agents.values()) void agent.destroy();
    },
  };
}

function pairOf(mtls) {
  if (mtls === undefined) return {};
  return { cert: readFileSync(mtls.cert), key: readFileSync(mtls.key) };
}
