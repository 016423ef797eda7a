from a2a.types import Part
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.struct_pb2 import Value

# No UTF-8, and with a plus and a slash in its base64.
RAW = b"\x00\xff\xfe\x80\n\xfb\xff"


def data(value) -> Part:
    return Part(data=ParseDict(value, Value()))


async def run(agent, check) -> None:
    async def every_part() -> None:
        sent = [
            Part(text="see "),
            Part(raw=RAW, media_type="application/octet-stream", filename="raw.bin"),
            Part(url="https://example.com/a?b=c", media_type="image/png", filename="a.png"),
            data({"nested": {"empty": {}, "none": None, "n": 1.5, "text": "ü"}}),
            data([1, "two", {"three": True}]),
        ]
        task = await agent.send("", parts=sent)
        got = (await agent.task(task.id)).history[0].parts

        def dump(parts) -> list:
            """What was not set and what is empty are the same here."""
            return [{key: value for key, value in MessageToDict(part).items() if value != {}} for part in parts]

        assert dump(got) == dump(sent), got

    await check("SendMessage keeps every part of a message as it came", every_part)
