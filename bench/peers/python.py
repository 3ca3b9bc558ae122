"""Python's json_repair: from text to text, or with a tool's file as argument to a value that its schema admits."""

import json
import sys
from pathlib import Path

from adapter import serve

try:
    import json_repair

    if len(sys.argv) > 1:
        # It imports this when the first schema is used.
        import jsonschema  # noqa: F401
except ImportError:
    sys.exit(3)


def main():
    if len(sys.argv) == 1:
        serve(lambda text: json_repair.repair_json(text, ensure_ascii=False))
    else:
        schema = json.loads(Path(sys.argv[1]).read_text())["input_schema"]
        serve(lambda text: json_repair.loads(text, schema=schema), written=json.dumps)


if __name__ == "__main__":
    main()
