"""An agent for the gateway's exec handler in events mode, with nothing but Python's standard library.

The gateway starts it for each message, writes one line of JSON to its stdin and takes one event per line of its stdout.
"""

import json
import re
import sys
import time

LINES = ["{subject} at the door,", "nobody has sent for it.", "Still, the kettle sings."]


def say(**event):
    """Events go out at once: the gateway passes each on as it comes."""
    print(json.dumps(event), flush=True)


def subject_of(message):
    """What the poem should be about, or nothing."""
    text = " ".join(part["text"] for part in message["parts"] if "text" in part).strip()
    return re.sub(r"^(write )?(me )?a (poem|haiku)( about)?", "", text, flags=re.IGNORECASE).strip(" .!?")


def main():
    turn = json.loads(sys.stdin.readline())
    message = turn["message"]
    if any("text" not in part for part in message["parts"]):
        say(error={"name": "content_type_not_supported", "message": "this agent reads text only"})
        return

    subject = subject_of(message)
    if not subject:
        # A task that waits has a state on the next turn: whoever still names nothing gets no second question.
        if turn.get("task", {}).get("status", {}).get("state") != "TASK_STATE_INPUT_REQUIRED":
            say(status={"state": "input-required", "message": "What should it be about?"})
            return
        subject = "nothing"

    say(status="working")
    artifact_id = f"haiku-{len(turn.get('task', {}).get('artifacts', [])) + 1}"
    for number, line in enumerate(LINES, 1):
        text = line.format(subject=subject.capitalize()) + "\n"
        artifact = {"artifactId": artifact_id, "name": "haiku", "parts": [{"text": text}]}
        say(artifact=artifact, append=number > 1, lastChunk=number == len(LINES))
        time.sleep(0.1)
    say(status={"state": "completed", "message": f"A poem about {subject}."})


if __name__ == "__main__":
    main()
