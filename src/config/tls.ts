/** How a listener is encrypted; what is in the files is read when it opens. */
import { z } from "zod";
import { filledText, mapping, oneOf } from "./fields.ts";
import { periodOrOff } from "./units.ts";
import { written } from "./written.ts";

const VERSIONS = { "1.2": "TLSv1.2", "1.3": "TLSv1.3" } as const;

/** YAML reads an unquoted 1.2 as a number. */
const version = written("1.2 or 1.3", (text) =>
  text === "1.2" || text === "1.3" ? VERSIONS[text] : undefined,
);

export const tls = mapping({
  cert: filledText,
  key: filledText,
  clientCa: filledText.exactOptional(),
  clientCertificates: oneOf(["off", "optional", "required"]).exactOptional(),
  minVersion: version.prefault("1.2"),
  hsts: periodOrOff.prefault("off"),
})
  .check(
    // Without authorities of its own, whoever has a certificate of a public one would be let in.
    z.refine<object>((value) => "clientCa" in value || !asksForCertificates(value), {
      path: ["clientCertificates"],
      error: "expected only beside clientCa",
      when: ({ value }) => typeof value === "object" && value !== null,
    }),
  )
  .transform(({ clientCertificates, ...settings }) => ({
    ...settings,
    // Whoever names authorities wants certificates of them.
    clientCertificates:
      clientCertificates ?? (settings.clientCa === undefined ? "off" : "required"),
  }));

function asksForCertificates(value: object): boolean {
  return "clientCertificates" in value && value.clientCertificates !== "off";
}

/** Checked. */
export type TlsConfig = z.output<typeof tls>;
