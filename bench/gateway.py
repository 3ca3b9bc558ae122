#!/usr/bin/env python3
"""What a streamed turn costs in a proxy: directly, through nginx, Envoy, LiteLLM, and `toolmend serve`, in one run.

    python3 bench/gateway.py --cli target/release/toolmend [--nginx PATH] [--envoy PATH] [--litellm PATH] [--quick]

`bench/README.md` says how the others are installed; those that are not are named as skipped. A loopback server writes
turns of 50 and 500 events, each event with a send of its own; half of them are text, half the arguments of one valid
call. They are written as fast as they leave, or, where they are paced, 20 ms apart, as a model writes: then each event
wakes a proxy by itself. A client asks for turns, one after the other and 64 at a time: of each proxy for some that are
not counted, and then of each in its turn, round by round, every other round in the opposite order. Printed for each
proxy: its own CPU time a turn (Linux alone), in the round that is the median of all; the time to the first event that
follows the headers and to the end of the turn, and turns in a second, of all rounds; and its memory with 1,000 turns
open, each standing inside of a call: asked for with 2 KB, and with as much as an agent sends that has worked for a while.

Server and client are Python and run on the same machine, so times hold for comparing rows, not by themselves.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

TOOLS = [{"type": "function", "function": {"name": "write", "parameters": {"type": "object", "properties": {"text": {"type": "string"}}}}}]
# What disturbs the machine is to disturb all rows, so each gets its turns in so many parts.
ROUNDS = 10
# Turns that are not counted. The first one takes a proxy several times the CPU time of those that follow, as what it
# needs is read and made; from some 40 on, no number of turns makes the next one cheaper.
WARM_UP = 50
# Seconds between the events of a turn that is paced.
PACE = 0.02
# Events of a turn, and seconds between them, by what a request asks for.
KINDS = {"50": (50, 0), "500": (500, 0), "50, paced": (50, PACE)}
# Characters of the message that asks for a turn, and of one that asks for it with a long history.
SHORT, LONG = 2000, 300_000
# Seconds that the headers of a turn may take.
PATIENCE = 20


@dataclass
class Row:
    name: str
    process: subprocess.Popen | None
    port: int
    rounds: int = ROUNDS


@dataclass
class Measured:
    """What the turns of one row took: CPU seconds a turn, by round; seconds of them all, and of each to its first event
    and to its end."""

    row: Row
    turns: int = 0
    cpu: list[float] = field(default_factory=list)
    took: float = 0.0
    first: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cli", type=Path, required=True, help="the toolmend binary")
    for name in ("nginx", "envoy", "litellm"):
        parser.add_argument(f"--{name}", default=shutil.which(name), help=f"the {name} binary")
    parser.add_argument("--quick", action="store_true", help="few turns, to see that it works")
    options = parser.parse_args()
    port = free_port()
    server = multiprocessing.Process(target=serve, args=(port,), daemon=True)
    server.start()
    # Whoever ends it ends the proxies, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    wait_for(port)
    rows = [Row("direct", None, port)]
    with tempfile.TemporaryDirectory() as folder:
        try:
            rows += proxies(options, Path(folder), port)
            measure(rows, options.quick)
        finally:
            for row in rows[1:]:
                row.process.terminate()
                row.process.wait()


def measure(rows, quick):
    print("| proxy | events | at once | turns | CPU ms a turn | first event ms p50 / p99 | turn ms p50 / p99 | turns/s |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for kind, (events, pace) in KINDS.items():
        for at_once in (64,) if pace else (1, 64):
            turns = 200 if quick else (2000 if events == 50 and not pace else 500)
            for got in rounds(rows, kind, at_once, turns):
                print(
                    f"| {got.row.name} | {kind} | {at_once} | {got.turns} | {statistics.median(got.cpu) * 1000:.3f} "
                    f"| {times(got.first)} | {times(got.whole)} | {got.turns / got.took:.0f} |",
                    flush=True,
                )
    open_turns = 100 if quick else 1000
    print(f"\n| proxy | memory MB at rest | with {open_turns:,} open turns | asked for with {LONG // 1000} KB |\n|---|--:|--:|--:|")
    for row in rows[1:]:
        line = f"| {row.name} | {memory(row.process):.1f} |"
        for size in (SHORT, LONG):
            used, opened = asyncio.run(hold_open(row, open_turns, size))
            line += f" {used:.1f}{'' if opened == open_turns else f' ({opened} opened)'} |"
        print(line, flush=True)


def rounds(rows, kind, at_once, turns):
    known = [Measured(row) for row in rows]
    for row in rows:
        asyncio.run(load(row.port, kind, at_once, max(at_once, WARM_UP)))
    count = max(at_once, turns // ROUNDS)
    for number in range(ROUNDS):
        for got in known if number % 2 == 0 else reversed(known):
            if number >= got.row.rounds:
                continue
            before, start = cpu(got.row.process), time.perf_counter()
            first, whole = asyncio.run(load(got.row.port, kind, at_once, count))
            got.took += time.perf_counter() - start
            got.cpu.append((cpu(got.row.process) - before) / count)
            got.turns += count
            got.first += first
            got.whole += whole
    return known


def proxies(options, folder, upstream):
    """Starts what there is; tells what there is not."""
    url = f"http://127.0.0.1:{upstream}"
    for name, arguments in (
        ("toolmend, hold call", ["--hold", "call"]),
        ("toolmend, hold deviation", ["--hold", "deviation"]),
        ("toolmend, observe", ["--mode", "observe"]),
    ):
        port = free_port()
        command = [options.cli, "serve", "--upstream", url, "--listen", f"127.0.0.1:{port}", "--log-level", "warn"]
        yield Row(name, start([*command, *arguments], port), port)
    if options.nginx:
        port = free_port()
        config = folder / "nginx.conf"
        config.write_text(NGINX % {"folder": folder, "cores": os.cpu_count(), "upstream": upstream, "port": port})
        yield Row("nginx, unbuffered", start([options.nginx, "-c", config, "-e", folder / "error.log"], port), port)
    else:
        print("!! SKIPPED: nginx is not installed: see bench/README.md, or --nginx PATH")
    if options.envoy:
        port = free_port()
        config = folder / "envoy.json"
        config.write_text(json.dumps(envoy(port, upstream)))
        command = [options.envoy, "-c", config, "--concurrency", str(os.cpu_count()), "--log-level", "error"]
        yield Row("Envoy", start([*command, "--disable-hot-restart"], port), port)
    else:
        print("!! SKIPPED: Envoy is not installed: see bench/README.md, or --envoy PATH")
    if options.litellm:
        port = free_port()
        config = folder / "litellm.json"
        model = {"model": "openai/m", "api_base": f"{url}/v1", "api_key": "x"}
        settings = {"dangerously_permit_weak_or_unset_master_key": True}
        models = [{"model_name": "m", "litellm_params": model}]
        config.write_text(json.dumps({"model_list": models, "general_settings": settings}))
        command = [options.litellm, "--config", config, "--host", "127.0.0.1", "--port", str(port)]
        # Its prices are not to be fetched from the network. It takes a hundred times as long, so one round is enough.
        yield Row("LiteLLM", start(command, port, LITELLM_LOCAL_MODEL_COST_MAP="True"), port, rounds=1)
    else:
        print("!! SKIPPED: LiteLLM is not installed: see bench/README.md, or --litellm PATH")


NGINX = """daemon off; pid %(folder)s/pid; worker_processes %(cores)s; events { worker_connections 8192; }
http { access_log off; client_body_temp_path %(folder)s/1; proxy_temp_path %(folder)s/2; fastcgi_temp_path %(folder)s/3;
uwsgi_temp_path %(folder)s/4; scgi_temp_path %(folder)s/5; upstream u { server 127.0.0.1:%(upstream)s; keepalive 64; }
server { listen 127.0.0.1:%(port)s; location / { proxy_pass http://u; proxy_http_version 1.1;
proxy_set_header Connection ""; proxy_buffering off; proxy_read_timeout 600s; } } }
"""


def envoy(port, upstream):
    def address(port):
        return {"socket_address": {"address": "127.0.0.1", "port_value": port}}

    route = {"match": {"prefix": "/"}, "route": {"cluster": "u", "timeout": "0s"}}
    router = {"@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}
    manager = {
        "@type": "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": "x",
        "route_config": {"virtual_hosts": [{"name": "x", "domains": ["*"], "routes": [route]}]},
        "http_filters": [{"name": "envoy.filters.http.router", "typed_config": router}],
    }
    chain = {"filters": [{"name": "envoy.filters.network.http_connection_manager", "typed_config": manager}]}
    endpoint = {"lb_endpoints": [{"endpoint": {"address": address(upstream)}}]}
    limits = {"thresholds": [{"max_connections": 8192, "max_pending_requests": 8192, "max_requests": 8192}]}
    cluster = {
        "name": "u", "type": "STATIC", "connect_timeout": "5s", "circuit_breakers": limits,
        "load_assignment": {"cluster_name": "u", "endpoints": [endpoint]},
    }  # fmt: skip
    return {"static_resources": {"listeners": [{"address": address(port), "filter_chains": [chain]}], "clusters": [cluster]}}


def turn(events):
    """The events of a turn, as chunks."""
    def chunk(delta, finish=None):
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        data = {"id": "chatcmpl-bench", "object": "chat.completion.chunk", "created": 1754000000, "model": "m", "choices": [choice]}
        return framed(f"data: {json.dumps(data)}\n\n".encode())

    half = events // 2
    yield chunk({"role": "assistant", "content": None})
    for n in range(half - 2):
        yield chunk({"content": f"word{n} "})
    yield chunk({"tool_calls": [{"index": 0, "id": "c", "type": "function", "function": {"name": "write", "arguments": '{"text":"'}}]})
    for n in range(events - half - 3):
        yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": f"word{n} "}}]})
    yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": '"}'}}]})
    yield chunk({}, "tool_calls")
    yield framed(b"data: [DONE]\n\n")


def framed(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


def serve(port):
    turns = {number(kind): (list(turn(events)), pace) for kind, (events, pace) in KINDS.items()}
    turns[number(None)] = (turns[number("50")][0][:30], 0)

    async def handle(reader, writer):
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                if "content-length:" not in head:
                    # LiteLLM asks what there is.
                    writer.write(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")
                    continue
                body = await reader.readexactly(int(head.split("content-length:")[1].split("\r\n")[0]))
                kind = json.loads(body)["seed"]
                pieces, pace = turns[kind]
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
                for piece in pieces:
                    writer.write(piece)
                    await asyncio.sleep(pace)
                if kind == number(None):
                    await asyncio.sleep(600)
                writer.write(b"0\r\n\r\n")
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def run():
        server = await asyncio.start_server(handle, "127.0.0.1", port, backlog=4096)
        await server.serve_forever()

    asyncio.run(run())


def number(kind):
    """What stands for a kind of turn in the one field of a request that all pass on; none is one that stays open."""
    return 0 if kind is None else 1 + list(KINDS).index(kind)


def request(kind, size=SHORT):
    """Asks for a turn of this kind."""
    messages = [{"role": "user", "content": "x" * size}]
    body = json.dumps({"model": "m", "stream": True, "seed": number(kind), "messages": messages, "tools": TOOLS})
    head = "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
    return f"{head}content-length: {len(body)}\r\n\r\n{body}".encode()


async def load(port, kind, at_once, turns):
    """The seconds to the first event and to the end, of each turn."""
    first, whole = [], []
    left, asked = iter(range(turns)), request(kind)

    async def client():
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in left:
            start = time.perf_counter()
            writer.write(asked)
            head = await reader.readuntil(b"\r\n\r\n")
            assert b" 200 " in head, head
            seen = b""
            while not seen.endswith(b"\r\n0\r\n\r\n"):
                more = await reader.read(65536)
                if not seen:
                    first.append(time.perf_counter() - start)
                assert more
                seen = seen[-8:] + more
            whole.append(time.perf_counter() - start)
        writer.close()

    await asyncio.gather(*(client() for _ in range(at_once)))
    return first, whole


async def hold_open(row, count, size):
    """The proxy's memory in MB while so many turns stand inside of a call, and how many it let be open."""
    writers = []
    for _ in range(count):
        reader, writer = await asyncio.open_connection("127.0.0.1", row.port)
        writer.write(request(None, size))
        try:
            await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)
        except asyncio.TimeoutError:
            writer.close()
            break
        writers.append(writer)
    await asyncio.sleep(2)
    used = memory(row.process)
    for writer in writers:
        writer.close()
    return used, len(writers)


def times(seconds):
    cuts = statistics.quantiles(seconds, n=100)
    return f"{cuts[49] * 1000:.2f} / {cuts[98] * 1000:.2f}"


def cpu(process):
    """The CPU seconds of a process and its children, by Linux's clock of each."""
    if process is None:
        return 0
    return sum(time.clock_gettime((~pid << 3) | 2) for pid in family(process.pid))


def memory(process):
    used = 0
    for pid in family(process.pid):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                used += int(line.split()[1])
    return used / 1024


def family(pid):
    """A process and its children: nginx works in those."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


def start(command, port, **environment):
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, env=os.environ | environment, **quiet)
    wait_for(port)
    return process


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def wait_for(port):
    # LiteLLM takes its time.
    for _ in range(1200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise SystemExit(f"nothing listens on port {port}")


if __name__ == "__main__":
    main()
