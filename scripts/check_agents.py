#!/usr/bin/env python3
"""Coding agents in front of a model whose first call is broken: directly, and through `toolmend serve`.

    python3 scripts/check_agents.py --cli target/release/toolmend [--agents target/agents] [--only codex,…]

Claude Code (Anthropic Messages), Codex (OpenAI Responses), opencode and qwen-code (OpenAI Chat) are installed with npm at
the versions below, unless the folder has them: 1.6 GB. Each is asked to write a file. A loopback server plays the model:
it calls the agent's own shell tool, broken in one way, until a result comes back; whatever that says, it then says that it
is done. So the file is there exactly if the agent got the call. One call is cut, in a turn that claims to be whole: nobody
can know what was meant. Each run has a home of its own, and all of them a network namespace with nothing but loopback,
where one can be made.

    done    the file is there as it was meant, and the result went back to the model
    lost    it is not there: the turn went into a message of error, or nowhere
    other   something else than what was meant was run
    failed  the agent ended with an error, or not in time

Prints a table. Exits 1 where a task fails through the gateway, or a call that was cut is run through it and not directly,
2 where something could not be run.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from check_gateway import Gateway  # noqa: E402
from faulty_server import CUT, FAULTS, FaultyServer, Turn  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
COMMAND = "echo one > done.txt\necho two >> done.txt"
WRITTEN = "one\ntwo\n"
KINDS = (
    "fence", "trailing comma", "single quotes", "missing closer", "raw newline", "leaked mark", "prose after", "doubled",
)  # fmt: skip
TASKS = {"valid": lambda text: text} | {kind: FAULTS[kind] for kind in KINDS} | CUT
WAYS = ("directly", "hold call", "hold deviation")
# Seconds for one run.
PATIENCE = 90
# In the environment of a script that runs in a namespace of its own.
ALONE = "TOOLMEND_CHECK_ALONE"


@dataclass
class Agent:
    package: str
    version: str
    program: str
    # Its shell tool, and the argument that takes the command.
    tool: tuple[str, str]
    # From the server's URL: what it is started with, the environment, and files in the folder where it works.
    start: callable


def claude_code(base):
    command = ["-p", "Write the file.", "--allowedTools", "Bash", "--output-format", "stream-json", "--verbose"]
    quiet = ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY")
    environment = dict.fromkeys(quiet, "1")
    environment |= {"ANTHROPIC_BASE_URL": base, "ANTHROPIC_API_KEY": "x", "ANTHROPIC_MODEL": "m"}
    return command, environment, {}


def codex(base):
    provider = f"{{name='mock',base_url='{base}/v1',env_key='KEY',wire_api='responses'}}"
    settings = ("model_provider=mock", f"model_providers.mock={provider}", "check_for_update_on_startup=false")
    command = ["exec", "--skip-git-repo-check", "--json", "-s", "danger-full-access", "-m", "m"]
    command += [word for setting in settings for word in ("-c", setting)]
    return [*command, "Write the file."], {"KEY": "x"}, {}


def opencode(base):
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "mock", "models": {"m": {}}}
    provider["options"] = {"baseURL": f"{base}/v1", "apiKey": "x"}
    config = {"provider": {"mock": provider}, "autoupdate": False, "share": "disabled"}
    quiet = ("OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_LSP_DOWNLOAD")
    files = {"opencode.json": json.dumps(config)}
    return ["run", "--format", "json", "-m", "mock/m", "Write the file."], dict.fromkeys(quiet, "1"), files


def qwen_code(base):
    command = ["-p", "Write the file.", "--auth-type", "openai", "--approval-mode", "yolo"]
    environment = {"OPENAI_BASE_URL": f"{base}/v1", "OPENAI_API_KEY": "x", "OPENAI_MODEL": "m"}
    settings = {"privacy": {"usageStatisticsEnabled": False}, "general": {"disableAutoUpdate": True}}
    return command, environment, {".qwen/settings.json": json.dumps(settings)}


AGENTS = {
    "Claude Code": Agent("@anthropic-ai/claude-code", "2.1.197", "claude", ("Bash", "command"), claude_code),
    "Codex": Agent("@openai/codex", "0.171.0", "codex", ("exec_command", "cmd"), codex),
    "opencode": Agent("opencode-ai", "1.18.33", "opencode", ("bash", "command"), opencode),
    "qwen-code": Agent("@qwen-code/qwen-code", "0.24.4", "qwen", ("run_shell_command", "command"), qwen_code),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cli", type=Path, required=True, help="the toolmend binary")
    parser.add_argument("--agents", type=Path, default=ROOT / "target/agents", help="where they are installed")
    parser.add_argument("--only", default="", help="programs, with commas between them")
    options = parser.parse_args()
    only = set(filter(None, options.only.split(",")))
    asked = {name: agent for name, agent in AGENTS.items() if not only or agent.program in only}
    if ALONE not in os.environ:
        for name, agent in asked.items():
            if not install(agent, options.agents):
                print(f"!! SKIPPED: {name} could not be installed with npm", flush=True)
        sys.exit(subprocess.run([*alone(), sys.executable, *sys.argv], env=os.environ | {ALONE: "1"}).returncode)
    asked = {name: agent for name, agent in asked.items() if installed(agent, options.agents)}
    sys.exit(check(options.cli, options.agents, asked) if asked else 2)


def installed(agent, folder):
    try:
        package = json.loads((folder / "node_modules" / agent.package / "package.json").read_text(encoding="utf-8"))
    except OSError:
        return False
    return package["version"] == agent.version


def install(agent, folder):
    """Whether the agent is there now."""
    if not installed(agent, folder) and shutil.which("npm"):
        folder.mkdir(parents=True, exist_ok=True)
        quiet = ("--silent", "--no-audit", "--no-fund", "--cache", folder / "npm-cache", "--prefix", folder)
        subprocess.run(["npm", "install", *quiet, f"{agent.package}@{agent.version}"], check=False)
    return installed(agent, folder)


def alone():
    """What makes a command run where there is no network but loopback."""
    command = ["unshare", "--map-root-user", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    if all(map(shutil.which, ("unshare", "ip"))) and subprocess.run([*command, "true"], check=False).returncode == 0:
        return command
    print("!! no network namespace can be made: nothing but their own settings keeps the agents from the network")
    return []


def check(cli, folder, agents):
    """Prints the table; answers the exit code."""
    model, failures = Model(), []
    done = {name: dict.fromkeys(WAYS, 0) for name in agents}
    print("| agent | first call | " + " | ".join(WAYS) + " |\n|---|---|" + "---|" * len(WAYS))
    with FaultyServer(model.answer) as server, Gateway(cli, server.port, "call", "mend", "relabel") as by_call, \
            Gateway(cli, server.port, "deviation", "mend", "relabel") as by_deviation:  # fmt: skip
        ports = dict(zip(WAYS, (server.port, by_call.port, by_deviation.port)))
        for name, agent in agents.items():
            for fault, broken in TASKS.items():
                words, why = {}, {}
                for way, port in ports.items():
                    model.begin(agent.tool, broken)
                    words[way], why[way] = run(folder, agent, f"http://127.0.0.1:{port}", model)
                    done[name][way] += words[way] == "done"
                    if way == "directly":
                        wrong = fault == "valid" and words[way] != "done"
                    elif fault in CUT:
                        wrong = words[way] in ("done", "other") and words[way] != words["directly"]
                    else:
                        wrong = words[way] != "done"
                    if wrong:
                        failures.append(f"{name}, {fault}, {way}: {words[way]}: {why[way]}")
                print(f"| {name} | {fault} | " + " | ".join(words.values()) + " |", flush=True)
    print(f"\n| done, of {len(TASKS) - len(CUT)} | " + " | ".join(WAYS) + " |\n|---|" + "--:|" * len(WAYS))
    for name, count in done.items():
        print(f"| {name} {agents[name].version} | " + " | ".join(map(str, count.values())) + " |")
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"{len(agents) * len(TASKS) * len(WAYS)} runs, {len(failures)} failures")
    return 1 if failures else 0


class Model:
    """Calls the shell where it is offered and no result has come back; says elsewhere that it is done."""

    def begin(self, tool, broken):
        self.tool, self.broken = tool, broken
        self.called, self.results = False, []

    def answer(self, request):
        name, key = self.tool
        offered = {tool.get("function", tool).get("name") for tool in request.get("tools", [])}
        came = results(request)
        self.results += came
        if came or name not in offered:
            return Turn(text="Done.")
        self.called = True
        return Turn(name=name, arguments=self.broken(json.dumps({key: COMMAND})))


def results(request):
    """The results of tools in a request, as text."""
    found = []
    for message in request.get("messages", request.get("input", [])):
        if message.get("role") == "tool" or message.get("type") == "function_call_output":
            found.append(json.dumps(message))
        elif isinstance(message.get("content"), list):
            found += [json.dumps(part) for part in message["content"] if part.get("type") == "tool_result"]
    return found


def run(folder, agent, base, model):
    """How the task ended, and what is known of it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        work = Path(home) / "work"
        work.mkdir()
        command, environment, files = agent.start(base)
        for name, text in files.items():
            path = work / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        program = folder.resolve() / "node_modules/.bin" / agent.program
        environment |= {"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8", "TERM": "dumb"}
        process = subprocess.Popen(
            [program, *command], cwd=work, env=environment, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            said = process.communicate(timeout=PATIENCE)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            # With all that it started.
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return "failed", f"no end after {PATIENCE} s"
        made = {path.name: path.read_text() for path in work.iterdir() if path.is_file() and path.name not in files}
        if made == {"done.txt": WRITTEN} and model.results:
            return "done", ""
        if made:
            return "other", made
        known = (said[-300:], model.results[-1:])
        return ("failed" if process.returncode or not model.called else "lost"), known


if __name__ == "__main__":
    main()
