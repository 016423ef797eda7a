/** nginx as a plain reverse proxy: what a proxy adds that knows nothing of tasks. */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connected } from "../clients/http.ts";
import { freePort } from "../gateway.ts";
import { stopped, type Target } from "../targets.ts";

export interface NginxOptions {
  /** A folder of its own is made in it. */
  readonly work: string;
  /** The core to run on; undefined: any. */
  readonly cpu: number | undefined;
  /** Where requests go: an address without a path. */
  readonly origin: string;
}

const ATTEMPTS = 200;
const ATTEMPT_MS = 25;

export function hasNginx(): boolean {
  return spawnSync("nginx", ["-v"], { stdio: "ignore" }).status === 0;
}

/** Resolves once it accepts connections. It has no gRPC door. */
export async function startNginx({ work, cpu, origin }: NginxOptions): Promise<Target> {
  const folder = join(work, "nginx");
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  writeFileSync(join(folder, "nginx.conf"), configOf(port, new URL(origin).host));
  const command = ["nginx", "-p", `${folder}/`, "-c", "nginx.conf", "-e", "error.log"];
  const pinned = cpu === undefined ? [] : ["taskset", "-c", String(cpu)];
  const [program = "", ...args] = [...pinned, ...command];
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "inherit"] });
  try {
    await accepting(port);
    const url = `http://127.0.0.1:${port}`;
    const pid = workerOf(child.pid ?? 0);
    return {
      name: "nginx",
      jsonrpc: `${url}/`,
      rest: url,
      grpc: "",
      pid,
      stop: (signal) => stopped(child, signal),
    };
  } catch (thrown) {
    await stopped(child, "SIGKILL");
    throw thrown;
  }
}

/** Connections are kept on both sides for as long as a run takes, and nothing is written to disk. */
function configOf(port: number, remote: string): string {
  return `
worker_processes 1;
daemon off;
pid nginx.pid;
error_log error.log;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  keepalive_requests 1000000000;
  keepalive_timeout 600s;
  upstream remote {
    server ${remote};
    keepalive 128;
    keepalive_requests 1000000000;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://remote;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`;
}

async function accepting(port: number): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      return void (await connected("127.0.0.1", port)).destroy();
    } catch (thrown) {
      if (attempt === ATTEMPTS) throw new Error("nginx did not start", { cause: thrown });
      await sleep(ATTEMPT_MS);
    }
}

/** The process that does the work, whose CPU counts. */
function workerOf(master: number): number {
  const children = readFileSync(`/proc/${master}/task/${master}/children`, "utf8");
  return Number(children.trim().split(" ")[0]);
}
