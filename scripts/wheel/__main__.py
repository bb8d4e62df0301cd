"""Starts posenc with the LibTorch of the installed PyTorch, which is found without importing it: an import takes seconds."""
import importlib.metadata
import importlib.util
import os
import sys
from pathlib import Path


def libtorch():
    """The folder of PyTorch's libraries. Their C++ interface changes with every version, so the version must be the one of the build."""
    needed = next(line for line in importlib.metadata.requires("posenc") if line.startswith("torch=="))
    spec = importlib.util.find_spec("torch")
    if spec is None or not spec.submodule_search_locations:
        sys.exit(f"posenc: PyTorch is missing. Run: pip install {needed}")
    try:
        found = importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        found = "of unknown version"
    # 2.11.0+cpu and 2.11.0+cu126 are builds of 2.11.0.
    if found.split("+")[0] != needed.removeprefix("torch=="):
        sys.exit(f"posenc: expected {needed}, got torch {found}. Run: pip install {needed}, in an environment for posenc alone if others "
                 "need another version")
    return Path(spec.submodule_search_locations[0]) / "lib"


def main():
    paths = [str(libtorch()), os.environ.get("LD_LIBRARY_PATH")]
    os.environ["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, paths))
    program = Path(__file__).with_name("bin") / "posenc"
    os.execv(program, ["posenc", *sys.argv[1:]])


if __name__ == "__main__":
    main()
