from base64 import b64encode

from a2a.types import DataPart, FilePart, FileWithBytes, FileWithUri, Part

from agent import text_part

# No UTF-8, and with a plus and a slash in its base64.
RAW = b64encode(b"\x00\xff\xfe\x80\n\xfb\xff").decode()


async def run(agent, check) -> None:
    async def bytes_and_data() -> None:
        file = (await agent.send("file")).artifacts[0].parts[0].root.file
        # On HTTP+JSON and gRPC this SDK takes the bytes of a file for the text of their base64.
        expected = b64encode(b"tick\0").decode() if agent.binding == "JSONRPC" else "tick\0"
        assert (file.bytes, file.name, file.mime_type) == (expected, "tick.txt", "text/plain"), file
        data = (await agent.send("data")).artifacts[0].parts[0].root.data
        assert data == {"key": "value", "count": 42, "nothing": None, "list": [1, "two"]}, data

    async def every_part() -> None:
        sent = [
            text_part("see "),
            Part(root=FilePart(file=FileWithBytes(bytes=RAW, mime_type="application/octet-stream", name="raw.bin"))),
            Part(root=FilePart(file=FileWithUri(uri="https://example.com/a?b=c", mime_type="image/png", name="a.png"))),
            Part(root=DataPart(data={"nested": {"empty": {}, "none": None, "n": 1.5, "text": "ü"}})),
        ]
        task = await agent.send("", parts=sent)
        got = (await agent.task(task.id)).history[0].parts

        def dump(parts) -> list:
            return [{key: value for key, value in part.root.model_dump().items() if value} for part in parts]

        assert dump(got) == dump(sent), got

    await check("SendMessage carries bytes and structured data", bytes_and_data)
    await check("SendMessage keeps every part of a message as it came", every_part)
