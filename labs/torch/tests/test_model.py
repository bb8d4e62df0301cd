"""A loaded network computes what posenc computes, and its seams show and change what passes them."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

import posenc_torch

HERE = Path(__file__).parent


def test_outputs_are_those_of_posenc(model, forward, close):
    with torch.no_grad():
        found = model(forward["packed"])
    for name, value in found.items():
        assert close(value, forward[name]), name


def test_observed_layers_are_those_of_the_export(model, forward, export, close):
    path = export / "activations.safetensors"
    if not path.is_file():
        pytest.skip("this export has no activations; set POSENC")
    with torch.no_grad(), model.observe() as seen:
        model(forward["packed"])
    told = {name: value for name, value in load_file(path).items() if not name.startswith("stream.")}
    assert set(told) <= set(seen)
    for name, value in told.items():
        assert close(seen[name], value), name


def test_observing_changes_nothing(model, forward, close):
    with torch.no_grad():
        plain = model(forward["packed"])
        with model.observe():
            observed = model(forward["packed"])
    assert all(close(observed[name], plain[name], 1e-5) for name in plain)


def test_a_replaced_head_gets_even_attention(model, forward):
    with torch.no_grad(), model.observe() as seen:
        with model.replace("attention", lambda x: torch.full_like(x, 1 / x.shape[-1]), layer=1, head=0):
            model(forward["packed"])
        attention = seen["attention.layer.1"]
        assert torch.allclose(attention[:, 0], torch.full_like(attention[:, 0], 1 / attention.shape[-1]))
        assert not torch.allclose(attention[:, 1], torch.full_like(attention[:, 1], 1 / attention.shape[-1]))


def test_without_its_terms_a_network_answers_otherwise(model, forward):
    with torch.no_grad():
        plain = model(forward["packed"])
        with model.observe() as seen:
            model(forward["packed"])
        if "term.layer.0" not in seen:
            return
        with model.replace("term", torch.zeros_like):
            changed = model(forward["packed"])
        again = model(forward["packed"])
    assert not torch.equal(changed["trunk"], plain["trunk"])
    assert torch.equal(again["trunk"], plain["trunk"])


def test_positions_are_packed_as_posenc_packs_them(model, forward):
    pytest.importorskip("chess" if model.game == "chess" else "cshogi")
    positions = (HERE / f"{model.game}.txt").read_text().splitlines()
    packed = posenc_torch.pack(positions, model)
    for position, own, other in zip(positions, packed, forward["packed"]):
        assert own.tolist() == other.tolist(), position


def test_what_cannot_be_loaded_is_said(tmp_path):
    with pytest.raises(FileNotFoundError, match="config.yaml"):
        posenc_torch.load(tmp_path)
    (tmp_path / "config.yaml").write_text("game: chess\nmodel: {chessformer: {}}\n")
    with pytest.raises(FileNotFoundError, match="not finished"):
        posenc_torch.load(tmp_path)
    with pytest.raises(ValueError, match="does not pack"):
        posenc_torch.pack(["startpos"], {"game": "chess", "input": "tokens_68"})
