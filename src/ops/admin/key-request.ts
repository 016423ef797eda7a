/** What the body says that asks for an API key. */
import type { ApiKeyRequest } from "../../core/ports/api-key-store.ts";
import { invalid } from "./failure.ts";
import { objectBody, type Body } from "./input.ts";
import { instantParameter } from "./parameter.ts";
import { problemsOf, type ObjectShape } from "./shape.ts";

/** A hundred years. */
const LONGEST_SECONDS = 3_153_600_000;
const MOST_SCOPES = 100;

const expiresAt = instantParameter("when it ends by itself; never, without this and expiresIn");

const SHAPE: ObjectShape = {
  type: "object",
  properties: {
    principal: {
      type: "object",
      properties: {
        id: { type: "string", description: "who comes with it" },
        tenant: { type: "string", description: "within which tenant; within none when absent" },
      },
      required: ["id"],
      additionalProperties: false,
    },
    scopes: {
      type: "array",
      description: "what its owner may do",
      items: { type: "string", description: "a scope" },
      maxItems: MOST_SCOPES,
    },
    expiresIn: {
      type: "integer",
      description: "for how many seconds it opens the doors, in place of expiresAt",
      minimum: 1,
      maximum: LONGEST_SECONDS,
    },
    expiresAt: { type: "string", format: "date-time", description: expiresAt.description },
    note: { type: "string", description: "what is to be remembered of it" },
  },
  required: ["principal"],
  additionalProperties: false,
};

/** A body that fits the shape. */
interface Asked {
  readonly principal: { readonly id: string; readonly tenant?: string };
  readonly scopes?: readonly string[];
  readonly expiresIn?: number;
  readonly expiresAt?: string;
  readonly note?: string;
}

const ANY = objectBody("any");

export const keyRequestBody: Body<ApiKeyRequest> = {
  json: SHAPE,
  isRequired: true,
  read(body) {
    const given = ANY.read(body);
    const misfits = problemsOf(given, SHAPE, "");
    if (misfits.length > 0) throw invalid(misfits);
    const { principal, scopes = [], note, ...rest } = given as unknown as Asked;
    const { id, tenant = "" } = principal;
    return { principal: { id, tenant }, scopes, note, expiry: expiryOf(rest) };
  },
};

function expiryOf({
  expiresIn,
  expiresAt: text,
}: Pick<Asked, "expiresIn" | "expiresAt">): ApiKeyRequest["expiry"] {
  if (text === undefined) return expiresIn === undefined ? undefined : { in: expiresIn * 1000 };
  if (expiresIn !== undefined)
    throw invalid([{ path: "expiresAt", what: "must not stand beside expiresIn" }]);
  const read = expiresAt.read(text);
  if ("problem" in read) throw invalid([{ path: "expiresAt", what: read.problem }]);
  return { at: read.value };
}
