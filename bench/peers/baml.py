"""BAML's parser of answers, through the client that it generates for the function `Arguments` of a file.

It only parses; no model is called.
"""

import importlib
import importlib.metadata
import os
import sys
import tempfile
from pathlib import Path

from adapter import serve

os.environ["BAML_LOG"] = "off"
try:
    import baml_py
    import pydantic  # noqa: F401, which the generated client imports
except ImportError:
    sys.exit(3)

GENERATOR = """
generator python {{
  output_type "python/pydantic"
  output_dir ".."
  version "{version}"
}}
"""


def client(declarations, folder):
    """The generated client's module; `folder` is written to."""
    source = folder / "baml_src"
    source.mkdir()
    (source / "arguments.baml").write_text(declarations)
    (source / "generator.baml").write_text(GENERATOR.format(version=importlib.metadata.version("baml-py")))
    # The command line takes its words from here.
    sys.argv = ["baml-cli", "generate", "--from", str(source)]
    baml_py.invoke_runtime_cli()
    sys.path.insert(0, str(folder))
    return importlib.import_module("baml_client")


def main():
    declarations = Path(sys.argv[1]).read_text()
    with tempfile.TemporaryDirectory() as folder:
        parse = client(declarations, Path(folder)).b.parse.Arguments
    serve(parse, written=lambda parsed: parsed.model_dump_json())


if __name__ == "__main__":
    main()
