"""`python -m posenc_torch onnx EXPORT --out FILE`: writes a network as ONNX. `posenc export --onnx` calls it."""

import argparse
import sys
from pathlib import Path

from . import load, to_onnx
from .onnx import FORMS


def main():
    arguments = argparse.ArgumentParser(prog="posenc_torch", description="Networks that posenc trained, for other programs.")
    commands = arguments.add_subparsers(dest="command", required=True)
    onnx = commands.add_parser("onnx", help="write a network as ONNX")
    onnx.add_argument("path", type=Path, help="an export of `posenc export`, or a cell's folder")
    onnx.add_argument("--out", type=Path, required=True, help="the file to write")
    onnx.add_argument("--form", choices=FORMS, help="what it reads (docs/export.md, ONNX)")
    chosen = arguments.parse_args()
    try:
        to_onnx(load(chosen.path), chosen.out, chosen.form)
    except (OSError, ValueError, ImportError) as error:
        sys.exit(f"posenc_torch: {error}")


if __name__ == "__main__":
    main()
