"""Runs Python's json_repair for the benchmark; the times are taken in here, so that no pipe is in them.

One command a line on stdin, one answer a line on stdout:
  {"load": text}                 keeps a text; answers its number
  {"run": [number], "times": n}  repairs these n times; answers nanoseconds
  {"show": number}               answers what the repair is, or null
"""

import json
import sys
import time

try:
    from json_repair import repair_json
except ImportError:
    sys.exit(3)


def repair(text):
    return repair_json(text, ensure_ascii=False)


def answer(command, texts):
    if "load" in command:
        texts.append(command["load"])
        return len(texts) - 1
    if "show" in command:
        try:
            return repair(texts[command["show"]])
        except Exception:
            return None
    chosen = [texts[number] for number in command["run"]]
    start = time.perf_counter_ns()
    for _ in range(command["times"]):
        for text in chosen:
            repair(text)
    return time.perf_counter_ns() - start


def main():
    texts = []
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line), texts)), flush=True)


if __name__ == "__main__":
    main()
