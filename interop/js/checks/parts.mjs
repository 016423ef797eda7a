import assert from "node:assert/strict";
import { get, part, send } from "../requests.mjs";

/** No UTF-8, and with a plus and a slash in its base64. */
const BYTES = Buffer.from([0x00, 0xff, 0xfe, 0x80, 0x0a, 0xfb, 0xff]);

export async function partChecks(client, check, { binding, version }) {
  const file = { mediaType: "application/octet-stream", filename: "raw.bin" };
  const list = [1, "two", { three: true }];
  // Where it speaks 0.3 on HTTP+JSON and gRPC, this SDK drops the names of files, and the mark that the list is wrapped
  // because 0.3 has only objects; on gRPC it cannot send a null.
  const lossy = version === "0.3" && binding !== "JSONRPC";
  const none = version === "0.3" && binding === "GRPC" ? "none" : null;
  const data = { nested: { empty: {}, none, n: 1.5, text: "ü" } };

  await check("SendMessage keeps every part of a message as it came", async () => {
    const parts = [
      part("text", "see "),
      part("raw", BYTES, file),
      part("url", "https://example.com/a?b=c", { mediaType: "image/png" }),
      part("data", data),
      part("data", list),
    ];
    const { id } = await client.sendMessage(send("", { parts }));
    const [text, raw, url, object, last] = (await client.getTask(get(id))).history[0].parts;
    assert.equal(text.content.value, "see ");
    assert.deepEqual(Buffer.from(raw.content.value), BYTES);
    assert.deepEqual([raw.mediaType, raw.filename], [file.mediaType, lossy ? "" : file.filename]);
    assert.deepEqual(
      [url.content.value, url.mediaType],
      ["https://example.com/a?b=c", "image/png"],
    );
    assert.deepEqual(object.content.value, data);
    assert.deepEqual(last.content.value, lossy ? { value: list } : list);
  });
}
