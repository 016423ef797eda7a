/** The SDK has no interceptor for credentials, but the means for one: it reads the card, on every binding. */
import { ServiceParameters } from "@a2a-js/sdk/client";

/** Adds what the first of the card's requirements asks for of which everything is held. */
export function byCard(held) {
  return {
    async before(args) {
      const { securityRequirements, securitySchemes } = args.agentCard;
      const met = securityRequirements.find(({ schemes }) =>
        Object.keys(schemes).every((name) => held[name] !== undefined),
      );
      for (const name of Object.keys(met?.schemes ?? {})) {
        const set = (parameters) => add(securitySchemes[name].scheme, held[name], parameters);
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

function add({ $case, value }, credential, parameters) {
  switch ($case) {
    case "apiKeySecurityScheme":
      if (value.location !== "header") throw new Error(`a key in the ${value.location}`);
      parameters[value.name] = credential;
      return;
    case "httpAuthSecurityScheme":
      parameters["Authorization"] =
        value.scheme === "Basic" ? `Basic ${btoa(credential)}` : `${value.scheme} ${credential}`;
      return;
    case "openIdConnectSecurityScheme":
      if (!URL.canParse(value.openIdConnectUrl)) throw new Error("no address of the provider");
      parameters["Authorization"] = `Bearer ${credential}`;
      return;
    // The connection has shown it.
    case "mtlsSecurityScheme":
      return;
    default:
      throw new Error(`no such scheme: ${$case}`);
  }
}
