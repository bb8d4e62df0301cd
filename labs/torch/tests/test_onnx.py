"""An ONNX file computes what posenc computes, in batches of any size."""

import subprocess
import sys

import pytest

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnxscript")


@pytest.fixture
def session(export, tmp_path):
    path = tmp_path / "network.onnx"
    subprocess.run([sys.executable, "-m", "posenc_torch", "onnx", export, "--out", path], check=True)
    return onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])


def test_outputs_are_those_of_posenc(session, forward, close):
    packed = forward["packed"].numpy()
    names = [output.name for output in session.get_outputs()]
    for size in (1, 2, len(packed)):
        found = session.run(names, {"packed": packed[:size]})
        for name, value in zip(names, found):
            assert close(value, forward[name][:size]), (name, size)
