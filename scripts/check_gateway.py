#!/usr/bin/env python3
"""Sends the recorded and re-created turns that lie beside the checkout through `toolmend serve`, over sockets.

    python3 scripts/check_gateway.py --shared ../shared --cli target/release/toolmend

A server of our own replays each turn in chunks of random sizes. Checked, for both ways of holding: what a
client gets is what `toolmend repair --as stream` makes of the same bytes; guards and recordings arrive byte for
byte; with `--mode observe`, everything does. Exits 1 where something is wrong, 2 where something could not be
run.
"""

import argparse
import http.client
import json
import random
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

PATHS = {
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic": "/v1/messages",
    "ollama": "/api/chat",
    "gemini": "/v1beta/models/m:streamGenerateContent",
}
MODES = (("call", "mend"), ("deviation", "mend"), ("call", "observe"))
ROUNDS = 3
# Their first event names no protocol. `repair` finds it later than the gateway, which knows it from the path.
FOUND_LATER = {"w065l"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shared", type=Path, required=True, help="the folder with cases/ and recordings/")
    parser.add_argument("--cli", type=Path, required=True, help="the toolmend binary")
    parser.add_argument("--seed", type=int, default=1, help="of the sizes of chunks")
    options = parser.parse_args()
    turns = cases(options.shared) + recordings(options.shared)
    dice, failures = random.Random(options.seed), []
    with Replay(dice) as replay, tempfile.TemporaryDirectory() as folder:
        for hold, mode in MODES:
            with Gateway(options.cli, replay.port, hold, mode) as gateway:
                for turn in turns:
                    wanted = turn["bytes"]
                    if mode == "mend" and not turn["untouched"]:
                        wanted = repaired(options.cli, Path(folder), turn, hold)
                    for _ in range(ROUNDS):
                        got = ask(gateway, replay, turn)
                        if got != (turn["status"], wanted):
                            failures.append(f"{turn['name']} ({hold}, {mode}): {shown(got, wanted)}")
                            break
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"{len(turns)} turns, {len(MODES)} modes, {ROUNDS} times each: {len(failures)} failures")
    sys.exit(1 if failures else 0)


def cases(shared):
    with (shared / "cases" / "wire.jsonl").open(encoding="utf-8") as lines:
        return [
            {
                "name": f"{case['id']} ({case['fault']})",
                "protocol": case["protocol"],
                "tools": case["tools"],
                "status": case["http_status"],
                "type": case["content_type"],
                "bytes": case["stream"].encode("utf-8", "surrogatepass"),
                "untouched": case["fault"].startswith("guard") or case["http_status"] != 200,
            }
            for case in map(json.loads, lines)
            if case["id"] not in FOUND_LATER
        ]


def recordings(shared):
    with (shared / "recordings" / "index.jsonl").open(encoding="utf-8") as lines:
        known = [json.loads(line) for line in lines]
    turns = []
    for recording in known:
        path = shared / "recordings" / recording["file"]
        if recording["framing"] == "sse" and recording["protocol"] in PATHS and path.exists():
            names = sorted({call["name"] for call in recording["calls"]})
            tools = [{"name": name, "parameters": {"type": "object"}} for name in names]
            turns.append(
                {
                    "name": recording["file"],
                    "protocol": recording["protocol"],
                    "tools": [{"type": "function", "function": tool} for tool in tools],
                    "status": 200,
                    "type": "text/event-stream",
                    "bytes": path.read_bytes(),
                    "untouched": True,
                }
            )
    return turns


def request(turn):
    """The request of a client that offers these tools."""
    functions = [tool.get("function", tool) for tool in turn["tools"]]
    names = [(function["name"], schema(function)) for function in functions]
    match turn["protocol"]:
        case "openai-chat" | "ollama":
            tools = [{"type": "function", "function": {"name": n, "parameters": s}} for n, s in names]
            return {"model": "m", "messages": [], "stream": True, "tools": tools}
        case "openai-responses":
            tools = [{"type": "function", "name": n, "parameters": s} for n, s in names]
            return {"model": "m", "input": "x", "stream": True, "tools": tools}
        case "anthropic":
            tools = [{"name": n, "input_schema": s} for n, s in names]
            return {"model": "m", "messages": [], "stream": True, "tools": tools}
        case _:
            tools = [{"functionDeclarations": [{"name": n, "parameters": s} for n, s in names]}]
            return {"contents": [], "tools": tools}


def schema(function):
    for key in ("parameters", "input_schema", "inputSchema"):
        if key in function:
            return function[key]
    return {"type": "object"}


def ask(gateway, replay, turn):
    replay.turn = turn
    connection = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=60)
    body = json.dumps(request(turn))
    connection.request("POST", PATHS[turn["protocol"]], body, {"content-type": "application/json"})
    answer = connection.getresponse()
    got = (answer.status, answer.read())
    connection.close()
    return got


def repaired(cli, folder, turn, hold):
    """What the command line makes of the same bytes."""
    recording, tools = folder / "turn", folder / "tools.json"
    recording.write_bytes(turn["bytes"])
    tools.write_text(json.dumps(request(turn)["tools"]), encoding="utf-8")
    command = [cli, "repair", recording, "--as", "stream", "--hold", hold, "--tools", tools]
    ran = subprocess.run(command, capture_output=True, check=False)
    # What cannot be read at all passes untouched.
    return ran.stdout if ran.returncode in (0, 1) else turn["bytes"]


def shown(got, wanted):
    status, got = got
    at = next((i for i, (a, b) in enumerate(zip(got, wanted)) if a != b), min(len(got), len(wanted)))
    return f"status {status}, at byte {at}: {got[at : at + 60]!r} instead of {wanted[at : at + 60]!r}"


class Replay:
    """A model server that answers everything with one turn."""

    def __init__(self, dice):
        replay = self

        class Handler(socketserver.StreamRequestHandler):
            disable_nagle_algorithm = True

            def handle(self):
                while self.answer():
                    pass

            def answer(self):
                length, line = 0, self.rfile.readline()
                if not line:
                    return False
                while (line := self.rfile.readline()) not in (b"\r\n", b""):
                    if line.lower().startswith(b"content-length:"):
                        length = int(line.split(b":")[1])
                self.rfile.read(length)
                turn = replay.turn
                head = f"HTTP/1.1 {turn['status']} X\r\ncontent-type: {turn['type']}\r\n"
                self.wfile.write(head.encode() + b"transfer-encoding: chunked\r\n\r\n")
                rest = turn["bytes"]
                size = replay.dice.choice((1, 7, 60, 5000))
                while rest:
                    piece = rest[: replay.dice.randint(1, size)]
                    rest = rest[len(piece) :]
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                self.wfile.write(b"0\r\n\r\n")
                return True

        self.dice, self.turn = dice, None
        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()


class Gateway:
    """`toolmend serve` on a free port."""

    def __init__(self, cli, upstream, hold, mode, on_cut="pass", more=()):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        # `repair` relabels nothing, so what is compared with it passes.
        self.command = [
            cli, "serve", "--upstream", f"http://127.0.0.1:{upstream}", "--listen", f"127.0.0.1:{self.port}",
            "--hold", hold, "--mode", mode, "--on-cut", on_cut, "--log-level", "info", *more,
        ]  # fmt: skip
        # What it says of calls, line by line.
        self.log = []

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stderr=subprocess.PIPE)
        # It says where it listens once it does.
        for line in self.process.stderr:
            if b"GEMINI" in line:
                threading.Thread(target=self.log.extend, args=(self.process.stderr,), daemon=True).start()
                return self
        print(f"error: {self.command[0]} did not start", file=sys.stderr)
        sys.exit(2)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


if __name__ == "__main__":
    main()
