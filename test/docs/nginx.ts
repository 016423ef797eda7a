/** nginx as docs/guides/behind-nginx.md sets it up, on a port of the loopback and with a certificate of its own. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { endedWith } from "./ended-with.ts";
import { freePort } from "./free-port.ts";
import { DOCS } from "./stage.ts";

/** nginx with the configuration of the guide, over TLS, in front of a gateway; the port that it listens on. */
export async function startNginx(t: TestContext, folder: string, gateway: string): Promise<number> {
  const port = await freePort();
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const names = "subjectAltName=DNS:agents.example.com,DNS:*.agents.example.com";
  await done(
    spawn(
      "openssl",
      [...made, "-keyout", key, "-out", cert, "-subj", "/CN=nginx", "-addext", names],
      { stdio: "ignore" },
    ),
  );
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const text = (await readFile(join(DOCS, "guides/nginx.conf"), "utf8"))
    .replaceAll("127.0.0.1:8080", gateway)
    .replace("listen 443", `listen 127.0.0.1:${port}`)
    .replace("worker_processes auto", "worker_processes 1")
    .replace("/etc/nginx/agents.example.com.pem", cert)
    .replace("/etc/nginx/agents.example.com.key", key)
    .replace("/var/log/nginx/a2a.log", `${folder}/access.log`)
    .replace("http {", `pid ${folder}/nginx.pid;\nhttp {\n${temporary.join("\n")}`);
  // As root, nginx would hand the folder to a user that may not write there.
  const user = process.getuid?.() === 0 ? "user root;\n" : "";
  await writeFile(join(folder, "nginx.conf"), user + text);
  const at = ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")];
  const child = spawn("nginx", [...at, "-g", "daemon off;"], { stdio: "ignore" });
  endedWith(t, child, "SIGTERM");
  await accepting(port, child);
  return port;
}

/** Has curl and grpcurl find agents.example.com at nginx, and trust its certificate. */
export async function leadToNginx(folder: string, port: number): Promise<void> {
  const names = ["agents.example.com", "weather.agents.example.com"];
  const ways = names.map((name) => `connect-to = "${name}:443:127.0.0.1:${port}"`);
  await writeFile(join(folder, ".curlrc"), `cacert = "${folder}/cert.pem"\n${ways.join("\n")}\n`);
  const { stdout } = spawnSync("sh", ["-c", "command -v grpcurl"], { encoding: "utf8" });
  const script = `#!/bin/sh
for word; do
  shift
  case "$word" in
    *.example.com:443)
      set -- "$@" -cacert '${folder}/cert.pem' -authority "\${word%:443}" 127.0.0.1:${port} ;;
    *) set -- "$@" "$word" ;;
  esac
done
exec ${stdout.trim()} "$@"
`;
  if (stdout !== "") await writeFile(join(folder, "grpcurl"), script, { mode: 0o755 });
}

async function accepting(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`);
    const isThere = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    await setTimeout(20);
  }
}

async function done(child: ChildProcess): Promise<void> {
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${child.spawnfile} ended with ${code}`);
}
