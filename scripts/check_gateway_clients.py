#!/usr/bin/env python3
"""Official clients in front of a server whose calls are broken: directly, and through `toolmend serve`.

    pip install openai anthropic langchain-openai
    npm install --prefix FOLDER openai @anthropic-ai/sdk ai @ai-sdk/openai-compatible
    python3 scripts/check_gateway_clients.py --cli target/release/toolmend --node-modules FOLDER/node_modules

A loopback server writes one call in each of a few broken ways, in the protocol of each client, streamed and not,
and the client hands out what it makes of it. Through the gateway every client has to hand out the call that was
meant; of a call that was cut it must not make one that nobody said, nor be told that the turn was whole. Prints
both as tables. Exits 1 where a client fails through the gateway, 2 where something could not be run.
"""

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from check_gateway import Gateway  # noqa: E402
from faulty_server import CUT, FAULTS, FaultyServer, Turn  # noqa: E402

MEANT = {"days": 3, "city": "Oslo\nNorway"}
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}, "metric": {"type": "boolean"}},
    "required": ["city", "days"],
}
CERTAIN = {
    "valid": lambda text: text,
    **FAULTS,
    "number as string": lambda text: text.replace("3", '"3"'),
}
# What `--hold deviation` sees when it has left already, by a part of the client's name and by fault: it arrives as it
# does directly. A type is known to be wrong after the value.
SEEN_LATE = {("streamed", "number as string")}
# How the clients call a turn that was cut.
CUT_ENDINGS = {"length", "max_tokens", "incomplete"}
HOLDS = ("call", "deviation")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cli", type=Path, required=True, help="the toolmend binary")
    parser.add_argument("--node-modules", type=Path, help="a folder with the Node clients")
    options = parser.parse_args()
    clients = python_clients()
    with tempfile.TemporaryDirectory() as folder:
        clients |= node_clients(options.node_modules, Path(folder))
        sys.exit(check(options.cli, clients) if clients else 2)


def check(cli, clients):
    """Prints the tables; answers the exit code."""
    said, failures = Turn(name="weather"), []
    faults = CERTAIN | CUT
    right = {name: dict.fromkeys(("directly", *HOLDS), 0) for name in clients}
    print(f"{'client':30} {'arguments':18} {'directly':28} {'hold call':28} hold deviation")
    with FaultyServer(lambda _: said) as server, Gateway(cli, server.port, "call", "mend", "relabel") as by_call, \
            Gateway(cli, server.port, "deviation", "mend", "relabel") as by_deviation:  # fmt: skip
        ports = dict(zip(("directly", *HOLDS), (server.port, by_call.port, by_deviation.port)))
        for name, client in clients.items():
            for fault, broken in faults.items():
                said.arguments = broken(json.dumps(MEANT))
                got = {way: outcome(client, port) for way, port in ports.items()}
                for way, (word, _) in got.items():
                    right[name][way] += fault in CERTAIN and word == "right"
                late = any(part in name and kind == fault for part, kind in SEEN_LATE)
                wrong = [
                    hold
                    for hold in HOLDS
                    if fails(fault, got[hold], got["directly"])
                    and not (late and hold == "deviation" and got[hold] == got["directly"])
                ]
                failures += [f"{name}, {fault}, hold {hold}: {got[hold]}" for hold in wrong]
                cells = [f"{word} ({ending})" if fault in CUT and ending else word for word, (_, ending) in got.values()]
                print(f"{name:30} {fault:18} {cells[0]:28} {cells[1]:28} {cells[2]}")
    print(f"\n| right, of {len(CERTAIN)} | directly | hold call | hold deviation |\n|---|--:|--:|--:|")
    for name, count in right.items():
        print(f"| {name} | " + " | ".join(map(str, count.values())) + " |")
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"{len(clients) * len(faults) * len(HOLDS)} turns, {len(failures)} failures")
    return 1 if failures else 0


def outcome(client, port):
    """What a client hands out: in one word, then in full with the ending that it tells, or its error."""
    try:
        got, ending = client(f"http://127.0.0.1:{port}")
    except Exception as error:  # noqa: BLE001: whatever a client throws is its outcome
        return "error", (f"{type(error).__name__}: {error}"[:200], None)
    if isinstance(got, str):
        try:
            got = json.loads(got)
        except ValueError:
            return "broken", (got, ending)
    return ("right" if got == MEANT else "wrong"), (got, ending)


def fails(fault, through, direct):
    """Whether this is not what has to come through the gateway."""
    if fault in CERTAIN:
        return through[0] != "right"
    invented = through[0] in ("right", "wrong") and through[1][0] != direct[1][0]
    return invented or (through[0] != "error" and through[1][1] not in CUT_ENDINGS)


def openai_chat(base, streamed):
    from openai import OpenAI

    client = OpenAI(base_url=f"{base}/v1", api_key="x", max_retries=0)
    tools = [{"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}]
    request = {"model": "m", "messages": [{"role": "user", "content": "?"}], "tools": tools}
    if streamed:
        with client.chat.completions.stream(**request) as stream:
            answer = stream.until_done().get_final_completion()
    else:
        answer = client.chat.completions.create(**request)
    choice = answer.choices[0]
    return choice.message.tool_calls[0].function.arguments, choice.finish_reason


def openai_responses(base, streamed):
    from openai import OpenAI

    client = OpenAI(base_url=f"{base}/v1", api_key="x", max_retries=0)
    tools = [{"type": "function", "name": "weather", "parameters": SCHEMA, "strict": False}]
    request = {"model": "m", "input": "?", "tools": tools}
    if streamed:
        with client.responses.stream(**request) as stream:
            answer = stream.until_done().get_final_response()
    else:
        answer = client.responses.create(**request)
    return answer.output[0].arguments, answer.status


def anthropic_messages(base, streamed):
    from anthropic import Anthropic

    client = Anthropic(base_url=base, api_key="x", max_retries=0)
    tools = [{"name": "weather", "input_schema": SCHEMA}]
    request = {"model": "m", "max_tokens": 100, "messages": [{"role": "user", "content": "?"}], "tools": tools}
    if streamed:
        with client.messages.stream(**request) as stream:
            answer = stream.get_final_message()
    else:
        answer = client.messages.create(**request)
    return answer.content[0].input, answer.stop_reason


def langchain(base, streamed):
    from langchain_openai import ChatOpenAI

    tools = [{"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}]
    model = ChatOpenAI(model="m", base_url=f"{base}/v1", api_key="x", max_retries=0).bind_tools(tools)
    whole = None
    for chunk in model.stream("?") if streamed else [model.invoke("?")]:
        whole = chunk if whole is None else whole + chunk
    ending = whole.response_metadata.get("finish_reason")
    return (whole.tool_calls or whole.invalid_tool_calls)[0]["args"], ending


PYTHON = {
    "openai-py, chat": ("openai", openai_chat),
    "openai-py, responses": ("openai", openai_responses),
    "anthropic-py": ("anthropic", anthropic_messages),
    "langchain-openai": ("langchain_openai", langchain),
}
# Their names in `clients/sdks.mjs`.
NODE = {"openai-node, chat": "chat", "openai-node, responses": "responses", "anthropic-ts": "claude", "ai-sdk": "ai"}


def ways(known):
    """Each client twice: streamed and not."""
    return {
        f"{name}, {way}": lambda base, run=run, streamed=streamed: run(base, streamed)
        for name, run in known.items()
        for way, streamed in (("streamed", True), ("whole", False))
    }


def python_clients():
    known = {name: run for name, (package, run) in PYTHON.items() if importlib.util.find_spec(package)}
    for name in PYTHON.keys() - known.keys():
        print(f"!! SKIPPED: {name}: {PYTHON[name][0]} is not installed")
    return ways(known)


def node_clients(node_modules, folder):
    """The clients of a Node program that answers line by line, started in this folder."""
    if not (node_modules and shutil.which("node")):
        print("!! SKIPPED: the Node clients: " + ("node is not installed" if node_modules else "no --node-modules"))
        return {}
    script = shutil.copy(Path(__file__).parent / "clients" / "sdks.mjs", folder)
    os.symlink(node_modules.resolve(), folder / "node_modules")
    process = subprocess.Popen(["node", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(client, base, streamed):
        job = {"client": client, "base": base, "schema": SCHEMA, "streamed": streamed}
        print(json.dumps(job), file=process.stdin, flush=True)
        line = process.stdout.readline()
        if not line:
            sys.exit("error: the Node clients ended early")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer.get("arguments"), answer.get("ending")

    return ways({name: lambda base, streamed, key=key: run(key, base, streamed) for name, key in NODE.items()})


if __name__ == "__main__":
    main()
