"""Exports to test with: the committed ones, or with $POSENC every network of exports.yaml, with activations."""

import os
import subprocess
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

HERE = Path(__file__).parent


def pytest_generate_tests(metafunc):
    if "export" in metafunc.fixturenames:
        folders = sorted(made().iterdir())
        metafunc.parametrize("export", folders, ids=[folder.name for folder in folders])


_made = []


def made():
    """The folder of exports; it is made once."""
    if not os.environ.get("POSENC"):
        return HERE / "exports"
    if not _made:
        out = Path(os.environ.get("POSENC_TORCH_EXPORTS", "/tmp/posenc-torch-exports"))
        if not out.is_dir():
            subprocess.run([HERE / "export.sh", out], check=True, capture_output=True)
        _made.append(out)
    return _made[0]


@pytest.fixture
def forward(export):
    """What posenc computed: inputs and outputs by name."""
    return load_file(export / "forward.safetensors")


@pytest.fixture
def model(export):
    import posenc_torch

    torch.set_num_threads(1)
    return posenc_torch.load(export)


@pytest.fixture
def close():
    """Whether two tensors agree within a share of the largest number."""

    def near(own, other, share=1e-4):
        other = torch.as_tensor(other)
        return float((torch.as_tensor(own) - other).abs().max()) <= share * max(1.0, float(other.abs().max()))

    return near
