import { Command, InvalidArgumentError, Option } from "commander";
import { period } from "../config/units.ts";
import type { JsonObject } from "../protocol/json.ts";
import { adminPath } from "./admin/client.ts";
import { rowsIn } from "./admin/fields.ts";
import { adminOf, withAdminOptions, type AdminFlags } from "./admin/options.ts";
import { show } from "./admin/show.ts";
import { tableLines } from "./admin/table.ts";
import { keysHashCommand } from "./keys-hash.ts";
import { issuedKeyLines, KEY_COLUMNS } from "./keys-lines.ts";
import { plainWord } from "./plain-text.ts";

interface CreateFlags extends AdminFlags {
  readonly tenant?: string;
  readonly scope: readonly string[];
  /** Milliseconds. */
  readonly expiresIn?: number;
  readonly expiresAt?: string;
  readonly note?: string;
}

export function keysCommand(): Command {
  return new Command("keys")
    .description("look after the API keys of a running gateway's callers")
    .addCommand(listCommand())
    .addCommand(createCommand())
    .addCommand(revokeCommand())
    .addCommand(keysHashCommand());
}

function listCommand(): Command {
  return withAdminOptions(
    new Command("list").description("list every key that was made, those included that have ended"),
  ).action(async (flags: AdminFlags) => {
    const admin = await adminOf(flags);
    const { json } = await admin({ verb: "GET", path: adminPath("keys") });
    show(flags, json, (answer) => tableLines(KEY_COLUMNS, rowsIn(answer, "keys")));
  });
}

function createCommand(): Command {
  return withAdminOptions(
    new Command("create")
      .description("make a key and show it, this once")
      .argument("<principal>", "the id of whoever comes with it")
      .option("--tenant <tenant>", "the principal's tenant")
      .addOption(
        new Option(
          "--scope <scope>",
          "a scope of the principal, which policies name; may be repeated",
        )
          .argParser(repeated)
          .default([], "none"),
      )
      .option("--expires-in <duration>", "how long it opens the doors, such as 90d", millisecondsOf)
      .option("--expires-at <instant>", "until when, such as 2026-01-31T12:00:00Z")
      .option("--note <text>", "what is to be remembered of it"),
  ).action(async (id: string, flags: CreateFlags) => {
    const admin = await adminOf(flags);
    const body = requestOf(id, flags);
    const { json } = await admin({ verb: "POST", path: adminPath("keys"), body, placeOf });
    show(flags, json, issuedKeyLines);
  });
}

function requestOf(id: string, flags: CreateFlags): JsonObject {
  const { tenant, scope, expiresIn, expiresAt, note } = flags;
  return {
    principal: { id, ...(tenant !== undefined && { tenant }) },
    ...(scope.length > 0 && { scopes: scope }),
    ...(expiresIn !== undefined && { expiresIn: Math.ceil(expiresIn / 1000) }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(note !== undefined && { note }),
  };
}

const PLACES: Readonly<Record<string, string>> = {
  "principal.id": "principal",
  "principal.tenant": "--tenant",
  expiresIn: "--expires-in",
  expiresAt: "--expires-at",
  note: "--note",
};

/** The option that the gateway finds something wrong with. */
function placeOf(path: string): string {
  return PLACES[path] ?? (path.startsWith("scopes") ? "--scope" : plainWord(path));
}

function revokeCommand(): Command {
  return withAdminOptions(
    new Command("revoke")
      .description("end a key at once, for ever")
      .argument("<id>", "the id that names it in the list"),
  ).action(async (id: string, flags: AdminFlags) => {
    const admin = await adminOf(flags);
    const { json } = await admin({ verb: "DELETE", path: adminPath("keys", id) });
    show(flags, json, () => [`revoked ${plainWord(id)}`]);
  });
}

function repeated(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function millisecondsOf(value: string): number {
  const { data } = period.safeParse(value);
  if (data === undefined || data === 0)
    throw new InvalidArgumentError("expected a duration such as 90d");
  return data;
}
