"""The commands that the benchmark gives to a Python peer; the times are taken in here, so that no pipe is in them.

One command a line on stdin, one answer a line on stdout:
  {"load": text}                 keeps a text; answers its number
  {"run": [number], "times": n}  repairs these n times; answers nanoseconds
  {"show": number}               answers what the repair is as JSON, or null
"""

import json
import sys
import time


def answer(command, texts, repair, written):
    if "load" in command:
        texts.append(command["load"])
        return len(texts) - 1
    if "show" in command:
        try:
            return written(repair(texts[command["show"]]))
        except Exception:
            return None
    chosen = [texts[number] for number in command["run"]]
    start = time.perf_counter_ns()
    for _ in range(command["times"]):
        for text in chosen:
            repair(text)
    return time.perf_counter_ns() - start


def serve(repair, written=lambda repaired: repaired):
    """Answers commands until stdin ends. `written` makes JSON of what `repair` gives; it is not timed."""
    texts = []
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line), texts, repair, written)), flush=True)
