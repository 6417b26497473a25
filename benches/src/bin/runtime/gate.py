"""A hook that lets everything go on, as a process that stays (without arguments) and as a command (`--once`)."""
import json
import os
import sys


def decide(arguments):
    return "deny" if "--force" in arguments.get("command", "") else "continue"


def once():
    event = json.load(sys.stdin)
    if decide(event["tool_input"]) == "deny":
        print("no force pushes", file=sys.stderr)
        sys.exit(2)


def stay():
    copy = os.environ.get("GATE_COPY")
    for line in sys.stdin:
        if copy:
            with open(copy, "w", encoding="utf-8") as file:
                file.write(line)
        message = json.loads(line)
        number, method = message.get("id"), message["method"]
        if number is None:
            continue
        if method == "hook.hello":
            result = {"ok": True, "name": "gate"}
        else:
            result = {"action": decide(message["params"].get("arguments", {}))}
        print(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}), flush=True)


once() if sys.argv[1:] == ["--once"] else stay()
