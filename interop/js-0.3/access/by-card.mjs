/** The SDK has no interceptor for credentials, but the means for one: it reads the card, on every binding. */
import { ServiceParameters } from "@a2a-js/sdk/client";

/** Adds what the first of the card's requirements asks for of which everything is held. */
export function byCard(held) {
  return {
    async before(args) {
      const { security = [], securitySchemes = {} } = args.agentCard;
      const met = security.find((requirement) =>
        Object.keys(requirement).every((name) => held[name] !== undefined),
      );
      for (const name of Object.keys(met ?? {})) {
        const set = (parameters) => add(securitySchemes[name], held[name], parameters);
        const serviceParameters = ServiceParameters.createFrom(
          args.options?.serviceParameters,
          set,
        );
        args.options = { ...args.options, serviceParameters };
      }
    },
    async after() {},
  };
}

function add(scheme, credential, parameters) {
  switch (scheme.type) {
    case "apiKey":
      if (scheme.in !== "header") throw new Error(`a key in the ${scheme.in}`);
      parameters[scheme.name] = credential;
      return;
    case "http":
      parameters["Authorization"] =
        scheme.scheme === "Basic" ? `Basic ${btoa(credential)}` : `${scheme.scheme} ${credential}`;
      return;
    case "openIdConnect":
      if (!URL.canParse(scheme.openIdConnectUrl)) throw new Error("no address of the provider");
      parameters["Authorization"] = `Bearer ${credential}`;
      return;
    // The connection has shown it.
    case "mutualTLS":
      return;
    default:
      throw new Error(`no such scheme: ${scheme.type}`);
  }
}
