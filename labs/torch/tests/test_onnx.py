"""ONNX files compute what posenc computes, in every form and in batches of any size."""

import subprocess
import sys

import numpy
import pytest

import posenc_torch
from posenc_torch import boards
from posenc_torch.onnx import FORMS, IMPOSSIBLE, unfit, usual


def session_of(export, path, form):
    """The written file, opened by onnxruntime."""
    onnxruntime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    command = [sys.executable, "-m", "posenc_torch", "onnx", export, "--out", path]
    subprocess.run(command + (["--form", form] if form else []), check=True)
    return onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])


def planes(channels, side):
    """`[b, n, c]` → `[b, c, ranks, files]`."""
    return numpy.ascontiguousarray(channels.transpose(0, 2, 1)).reshape(len(channels), -1, side, side)


def fed(form, model, forward):
    """What a form reads, from posenc's own numbers."""
    if form == "packed":
        return {"packed": forward["packed"].numpy()}
    channels = forward["channels"].numpy()
    if form == "tokens":
        return {"tokens": channels}
    board = planes(channels, model.network.net.board.ranks)
    if form == "planes":
        return {"planes": board}
    # dlshogi counts files from the right and ranks from the far end, files first.
    turned = numpy.ascontiguousarray(board[:, :, ::-1, ::-1].transpose(0, 1, 3, 2))
    return {"input1": turned[:, :62], "input2": turned[:, 62:]}


@pytest.mark.parametrize("form", FORMS)
def test_outputs_are_those_of_posenc(export, model, forward, close, form, tmp_path):
    if unfit(model.config, form):
        pytest.skip(unfit(model.config, form))
    session = session_of(export, tmp_path / "network.onnx", form)
    inputs = fed(form, model, forward)
    assert [own.name for own in session.get_inputs()] == list(inputs)
    names = [output.name for output in session.get_outputs()]
    told = dlshogi_outputs(model, forward) if form == "dlshogi" else {name: forward[name].numpy() for name in names}
    assert names == list(told)
    for size in (1, 2, len(forward["packed"])):
        found = session.run(names, {name: value[:size] for name, value in inputs.items()})
        for name, value in zip(names, found):
            assert value.shape == told[name][:size].shape, (name, size)
            assert close(numpy.where(value == IMPOSSIBLE, 0, value), told[name][:size]), (name, size)


def dlshogi_outputs(model, forward):
    """What dlshogi expects of posenc's numbers: 2,187 logits, 0 where there is none, and the expected points."""
    policy, board, moves = forward["policy"].numpy(), model.network.net.board, model.config["moves"]
    if moves == "shogi_1496":
        labels = [divmod(label, 81) for label in range(2187)]
        possible = [boards.is_possible(kind, boards.dlshogi_square(square, board), board) for kind, square in labels]
        compact, policy = policy, numpy.zeros((len(policy), 2187), dtype="float32")
        policy[:, numpy.nonzero(possible)[0]] = compact
    if moves == "python_dlshogi_2187":
        # Gold, bishop, rook are its last classes; dlshogi's are bishop, rook, gold.
        policy = policy.reshape(-1, 27, 81)[:, [*range(24), 25, 26, 24]].reshape(-1, 2187)
    return {"output_policy": policy, "output_value": forward["win_rate"].numpy()[:, None]}


def test_dlshogis_form_is_the_usual_one_of_its_networks(model):
    name = usual(model.config)
    assert (name == "dlshogi") == (model.input == "dlshogi_62_57")
    assert not unfit(model.config, name)


def test_a_form_that_does_not_fit_is_refused_before_anything_is_imported(model, tmp_path):
    for form in FORMS:
        why = unfit(model.config, form)
        if why:
            with pytest.raises(ValueError, match="it cannot read"):
                posenc_torch.to_onnx(model, tmp_path / "network.onnx", form)
            assert not list(tmp_path.iterdir())
