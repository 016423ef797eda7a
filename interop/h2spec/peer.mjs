// Two servers of grpc-js with one method that nobody calls: in the clear, and over TLS with the key and the certificate
// that are named. As they come, but for the limit of streams, which they advertise as the gateway does, since h2spec leaves
// out what is about it where there is none. Prints "ready", then their ports.
import { readFileSync } from "node:fs";
import { Server, ServerCredentials } from "@grpc/grpc-js";

/** The default of `limits.connections.streams`. */
const STREAMS = 1_000;

const [key = "", cert = ""] = process.argv.slice(2);
const bytes = (value) => Buffer.from(value);
const method = {
  path: "/peer.Peer/Say",
  requestStream: false,
  responseStream: false,
  requestSerialize: bytes,
  requestDeserialize: bytes,
  responseSerialize: bytes,
  responseDeserialize: bytes,
};

function listen(credentials) {
  const server = new Server({ "grpc.max_concurrent_streams": STREAMS });
  server.addService({ say: method }, { say: ({ request }, answer) => answer(null, request) });
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", credentials, (error, port) => {
      if (error) reject(error);
      else resolve(port);
    });
  });
}

const pair = { private_key: readFileSync(key), cert_chain: readFileSync(cert) };
const plain = await listen(ServerCredentials.createInsecure());
const secure = await listen(ServerCredentials.createSsl(null, [pair]));
console.log(`ready ${plain} ${secure}`);
