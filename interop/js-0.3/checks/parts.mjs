import assert from "node:assert/strict";
import { get, send } from "../requests.mjs";

/** No UTF-8, and with a plus and a slash in its base64. */
const bytes = Buffer.from([0x00, 0xff, 0xfe, 0x80, 0x0a, 0xfb, 0xff]).toString("base64");

export async function partChecks(client, check, binding) {
  // On HTTP+JSON and gRPC this SDK drops the name of a file; on gRPC it cannot send a null and reads one as 0.
  const names = binding === "JSONRPC";
  const nothing = binding === "GRPC" ? 0 : null;

  await check("SendMessage carries bytes and structured data", async () => {
    const { file } = (await client.sendMessage(send("file"))).artifacts[0].parts[0];
    assert.equal(file.bytes, Buffer.from("tick\0").toString("base64"));
    assert.equal(file.mimeType, "text/plain");
    if (names) assert.equal(file.name, "tick.txt");
    const [part] = (await client.sendMessage(send("data"))).artifacts[0].parts;
    assert.deepEqual(part.data, { key: "value", count: 42, nothing, list: [1, "two"] });
  });

  await check("SendMessage keeps every part of a message as it came", async () => {
    const parts = [
      { kind: "text", text: "see " },
      { kind: "file", file: { bytes, mimeType: "application/octet-stream", name: "raw.bin" } },
      { kind: "file", file: { uri: "https://example.com/a?b=c", mimeType: "image/png" } },
      { kind: "data", data: { nested: { empty: {}, none: nothing, n: 1.5, text: "ü" } } },
    ];
    const { id } = await client.sendMessage(send("", { parts }));
    const [message] = (await client.getTask(get(id))).history;
    assert.equal(message.parts[0].text, "see ");
    assert.equal(message.parts[1].file.bytes, bytes);
    assert.equal(message.parts[1].file.mimeType, "application/octet-stream");
    if (names) assert.equal(message.parts[1].file.name, "raw.bin");
    assert.equal(message.parts[2].file.uri, "https://example.com/a?b=c");
    assert.equal(message.parts[2].file.mimeType, "image/png");
    assert.deepEqual(message.parts[3].data, parts[3].data);
  });
}
