import { Command } from "commander";
import type { AgentCard } from "../protocol/agent-card.ts";
import { securityLines } from "./card-security.ts";
import { fetchCard } from "./client/card.ts";
import { requestOptions, webUrl, withRequestOptions, type ClientFlags } from "./client-options.ts";
import { plainText, plainWord } from "./plain-text.ts";
import { print, printJson } from "./print.ts";

export function cardShowCommand(): Command {
  return withRequestOptions(
    new Command("show")
      .description("show an agent's card (the default command)")
      .argument("<url>", "the agent's address, or its card's", webUrl),
  ).action(async (url: string, flags: ClientFlags) => {
    const { json, card } = await fetchCard({ url, ...(await requestOptions(flags)) });
    if (flags.json) printJson(json);
    else cardLines(card).forEach(print);
  });
}

function cardLines(card: AgentCard): readonly string[] {
  const { streaming, pushNotifications, extendedAgentCard, extensions = [] } = card.capabilities;
  const able = Object.entries({ streaming, pushNotifications, extendedAgentCard })
    .filter(([, value]) => value === true)
    .map(([name]) => name);
  return [
    `${plainWord(card.name)} ${plainWord(card.version)}`,
    plainText(card.description),
    `capabilities  ${able.join(", ") || "none"}`,
    ...extensions.map(
      ({ uri = "", required }) => `extension     ${plainWord(uri)}${required ? " (required)" : ""}`,
    ),
    ...card.supportedInterfaces.map(
      ({ protocolBinding, protocolVersion, url, tenant }) =>
        `interface     ${plainWord(`${protocolBinding} ${protocolVersion}  ${url}`)}${tenant ? ` tenant ${plainWord(tenant)}` : ""}`,
    ),
    ...securityLines(card).map((line) => `security      ${line}`),
    ...card.skills.map(
      ({ id, description }) => `skill         ${plainWord(id)}: ${plainWord(description)}`,
    ),
  ];
}
