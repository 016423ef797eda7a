/** API keys of the gateway, for people. */
import { rowsIn, wordIn } from "./admin/fields.ts";
import type { Column } from "./admin/table.ts";
import { member } from "./client/remote-error.ts";
import { plainWord } from "./plain-text.ts";

export const KEY_COLUMNS: readonly Column[] = [
  { title: "ID", cell: (key) => wordIn(key, "id") },
  { title: "PRINCIPAL", cell: principalOf },
  { title: "STATE", cell: stateOf },
  { title: "SCOPES", cell: scopesOf },
  { title: "CREATED", cell: (key) => wordIn(key, "createdAt") },
  { title: "EXPIRES", cell: (key) => wordIn(key, "expiresAt") },
  { title: "USED", cell: (key) => wordIn(key, "lastUsedAt") },
  { title: "NOTE", cell: (key) => wordIn(key, "note") },
];

export function issuedKeyLines(key: unknown): readonly string[] {
  const facts: readonly (readonly [name: string, value: string])[] = [
    ["id", wordIn(key, "id")],
    ["principal", principalOf(key)],
    ["scopes", scopesOf(key)],
    ["expires", wordIn(key, "expiresAt")],
    ["note", wordIn(key, "note")],
    ["key", wordIn(key, "key")],
  ];
  return facts
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name.padEnd(9)}  ${value}`);
}

function principalOf(key: unknown): string {
  const principal = member(key, "principal");
  return [wordIn(principal, "tenant"), wordIn(principal, "id")].filter(Boolean).join("/");
}

function scopesOf(key: unknown): string {
  return rowsIn(key, "scopes")
    .map((scope) => plainWord(String(scope)))
    .join(", ");
}

function stateOf(key: unknown): string {
  if (wordIn(key, "revokedAt") !== "") return "revoked";
  const end = Date.parse(wordIn(key, "expiresAt"));
  return end <= Date.now() ? "expired" : "active";
}
