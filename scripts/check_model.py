#!/usr/bin/env python3
"""A real model server whose calls are cut, through `toolmend serve`, in three protocols, streamed and not.

    ../shared/real-model/up.sh target/model 18090
    python3 scripts/check_model.py --shared ../shared --cli target/release/toolmend --installed target/model

`up.sh` fetches the server and a small model; here it is started with a template with which it returns structured
calls. One prompt for each of twelve tools is asked at temperature 0, with too few tokens, and in Chat with enough. A
relay between the gateway and the server keeps the bytes of each answer, so that both sides of one turn are compared.
Of a cut turn this server's Responses say `completed`, and its Messages `input: {}` where not streamed. Checked:

- a turn that used up its tokens never ends as if it had not, and any other ends as the server said;
- arguments arrive as they were, or as an object that the tool's schema admits;
- `input: {}` of a cut turn arrives byte for byte, and is told as declined;
- where neither arguments nor ending change, and for all that has no tools, every byte is the server's.

Exits 1 where something is wrong, 2 where something could not be run.
"""

import argparse
import http.client
import json
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parent))
from check_gateway import Gateway  # noqa: E402
from check_live import admitted  # noqa: E402
from relay import Relay  # noqa: E402

FEW, ENOUGH = 14, 200
# Seconds in which the server has to be up.
PATIENCE = 120
# How a protocol says that a turn was cut; Responses twice, in the last event and in the status.
CUT = {"chat": "length", "responses": "incomplete", "messages": "max_tokens"}


@dataclass
class Read:
    """What a client reads in an answer: names and arguments, how it ended, and the tokens used."""

    calls: list
    ending: str | None
    tokens: int


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shared", type=Path, required=True, help="the folder with real-model/")
    parser.add_argument("--cli", type=Path, required=True, help="the toolmend binary")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--installed", type=Path, help="where up.sh put the server and the model")
    where.add_argument("--server", help="the URL of a server that runs with the template")
    options = parser.parse_args()
    process, port = None, options.server and urlsplit(options.server).port
    if options.installed:
        process, port = start(options.installed.resolve(), options.shared / "real-model" / "qwen-fence.jinja")
    try:
        if not answers(port):
            print("!! SKIPPED: no model server answers")
            sys.exit(2)
        with Relay(port) as relay, Gateway(options.cli, relay.port, "call", "mend", "relabel") as gateway:
            sys.exit(check(options.cli, options.shared / "real-model", gateway, relay))
    finally:
        if process:
            process.terminate()
            process.wait()


def start(folder, template):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [folder / "v/bin/llama-server-vulkan", "-m", folder / "model.gguf", "--alias", "qwen", "--port", str(port)]
    command += ["--jinja", "--chat-template-file", template, "--device", "none", "-c", "4096", "-np", "1", "-t", "2"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([*command, "--no-webui"], **quiet), port


def answers(port):
    for _ in range(PATIENCE):
        try:
            if ask(port, "GET", "/health")[0] == 200:
                return True
        except OSError:
            pass
        time.sleep(1)
    return False


def check(cli, folder, gateway, relay):
    """Prints the table; answers the exit code."""
    sys.path.insert(0, str(folder))
    import prompts

    tools = json.loads((folder / "tools.json").read_text(encoding="utf-8"))
    tools = {tool["function"]["name"]: tool for tool in tools}
    # The first prompt of each tool.
    asked = dict(reversed(prompts.PROMPTS))
    failures, emptied = [], 0
    print("| asked | turns | cut | the server says so | toolmend says so | mended | byte for byte |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for protocol, streamed, tokens in (
        ("chat", True, ENOUGH), ("chat", True, FEW), ("chat", False, FEW), ("responses", True, FEW),
        ("responses", False, FEW), ("messages", True, FEW), ("messages", False, FEW),
    ):  # fmt: skip
        label = f"{protocol}, {'streamed' if streamed else 'whole'}, {tokens} tokens"
        counts = dict.fromkeys(("turns", "cut", "told", "corrected", "mended", "same"), 0)
        for name, prompt in asked.items():
            path, body = request(protocol, tools[name], prompt, tokens, streamed)
            logged = len(gateway.log)
            status, got = ask(gateway.port, "POST", path, body)
            came, left = (READERS[protocol](answer, streamed) for answer in (relay.last, got))
            cut = came.tokens >= tokens
            counts["turns"] += 1
            counts["cut"] += cut
            counts["told"] += cut and came.ending == CUT[protocol]
            counts["corrected"] += cut and left.ending == CUT[protocol]
            counts["mended"] += came.calls != left.calls
            counts["same"] += got == relay.last
            failures += [f"{label}, {name}: {what}" for what in wrong(cli, tools[name], protocol, cut, came, left)]
            if status != 200:
                failures.append(f"{label}, {name}: status {status}")
            if (came.calls, came.ending) == (left.calls, left.ending) and got != relay.last:
                failures.append(f"{label}, {name}: nothing was mended, and the bytes differ")
            empty = protocol == "messages" and not streamed and cut and [call for call in came.calls if call[1] == "{}"]
            emptied += bool(empty)
            if empty and not (got == relay.last and declined(gateway, logged)):
                failures.append(f"{label}, {name}: an emptied input was not declined")
        print(f"| {label} | " + " | ".join(map(str, counts.values())) + " |", flush=True)
        if tokens == FEW and not counts["cut"]:
            failures.append(f"{label}: no turn was cut, so nothing was checked")
    if not emptied:
        failures.append("no cut turn had an emptied input, so nothing was checked")
    passed = 0
    for method, path, body in without_tools():
        status, got = ask(gateway.port, method, path, body)
        passed += 1
        if got != relay.last:
            failures.append(f"{method} {path}: status {status}, the bytes differ")
    print(f"{emptied} cut turns had an emptied input; {passed} requests without tools")
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"{len(failures)} failures")
    return 1 if failures else 0


def wrong(cli, tool, protocol, cut, came, left):
    """What must not have become of a turn."""
    if cut and left.ending != CUT[protocol]:
        yield f"a cut turn ended as {left.ending}"
    if not cut and left.ending != came.ending:
        yield f"a whole turn ended as {left.ending}, not as {came.ending}"
    if len(came.calls) != len(left.calls):
        yield f"{len(came.calls)} calls became {len(left.calls)}"
    for before, after in zip(came.calls, left.calls):
        if after != before and not admitted(cli, tool, after):
            yield f"{before} became {after}"


def declined(gateway, logged):
    """Whether the gateway says so; it says it after the turn has left."""
    for _ in range(50):
        if any(b"declined: " in line for line in gateway.log[logged:]):
            return True
        time.sleep(0.02)
    return False


def request(protocol, tool, prompt, tokens, streamed):
    function = tool["function"]
    body = {"model": "qwen", "temperature": 0, "stream": streamed, "cache_prompt": False}
    said = [{"role": "user", "content": prompt}]
    if protocol == "chat":
        # This server says how many tokens it wrote in a chunk of its own, if asked.
        more = {"stream_options": {"include_usage": True}} if streamed else {}
        return "/v1/chat/completions", body | more | {"messages": said, "max_tokens": tokens, "tools": [tool]}
    if protocol == "responses":
        tools = [{"type": "function"} | function]
        return "/v1/responses", body | {"input": prompt, "max_output_tokens": tokens, "tools": tools}
    described = {"name": function["name"], "description": function["description"]}
    described["input_schema"] = function["parameters"]
    return "/v1/messages", body | {"messages": said, "max_tokens": tokens, "tools": [described]}


def without_tools():
    body = {"model": "qwen", "temperature": 0, "max_tokens": 8, "messages": [{"role": "user", "content": "Say hello."}]}
    yield "GET", "/v1/models", None
    yield "GET", "/props", None
    yield "POST", "/tokenize", {"content": "hello"}
    yield "POST", "/completion", {"prompt": "Hello", "n_predict": 8, "stream": True}
    for path in ("/v1/chat/completions", "/v1/messages"):
        yield "POST", path, body
        yield "POST", path, body | {"stream": True}
    yield "POST", "/v1/responses", {"model": "qwen", "input": "Say hello.", "max_output_tokens": 8, "stream": True}
    # An error of the server's.
    yield "POST", "/v1/chat/completions", {"messages": "none"}


def chat(answer, streamed):
    if not streamed:
        value = json.loads(answer)
        choice = value["choices"][0]
        calls = choice["message"].get("tool_calls") or []
        calls = [(call["function"]["name"], call["function"]["arguments"]) for call in calls]
        return Read(calls, choice["finish_reason"], value["usage"]["completion_tokens"])
    read, calls = Read([], None, 0), {}
    for event in events(answer):
        read.tokens = (event.get("usage") or {}).get("completion_tokens", read.tokens)
        for choice in event["choices"]:
            read.ending = choice.get("finish_reason") or read.ending
            for call in choice["delta"].get("tool_calls", []):
                known = calls.setdefault(call["index"], ["", ""])
                known[0] += call["function"].get("name") or ""
                known[1] += call["function"].get("arguments") or ""
    read.calls = [tuple(call) for call in calls.values()]
    return read


def responses(answer, streamed):
    last = list(events(answer))[-1] if streamed else {"response": json.loads(answer)}
    response = last["response"]
    calls = [item for item in response["output"] if item["type"] == "function_call"]
    said = {response["status"]} | ({last["type"].removeprefix("response.")} if streamed else set())
    read = Read([(call["name"], call["arguments"]) for call in calls], "/".join(sorted(said)), 0)
    read.tokens = response["usage"]["output_tokens"]
    return read


def messages(answer, streamed):
    if not streamed:
        value = json.loads(answer)
        calls = [block for block in value["content"] if block["type"] == "tool_use"]
        calls = [(call["name"], json.dumps(call["input"])) for call in calls]
        return Read(calls, value["stop_reason"], value["usage"]["output_tokens"])
    read, calls = Read([], None, 0), {}
    for event in events(answer):
        match event["type"]:
            case "content_block_start" if event["content_block"]["type"] == "tool_use":
                calls[event["index"]] = [event["content_block"]["name"], ""]
            case "content_block_delta" if event["index"] in calls:
                calls[event["index"]][1] += event["delta"].get("partial_json", "")
            case "message_delta":
                read.ending, read.tokens = event["delta"]["stop_reason"], event["usage"]["output_tokens"]
    read.calls = [tuple(call) for call in calls.values()]
    return read


READERS = {"chat": chat, "responses": responses, "messages": messages}


def events(answer):
    for line in answer.decode().splitlines():
        data = line.removeprefix("data:").strip()
        if line.startswith("data:") and data != "[DONE]":
            yield json.loads(data)


def ask(port, method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    head = {"content-type": "application/json"} if body else {}
    connection.request(method, path, json.dumps(body) if body else None, head)
    answer = connection.getresponse()
    got = (answer.status, answer.read())
    connection.close()
    return got


if __name__ == "__main__":
    main()
