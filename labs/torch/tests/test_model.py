"""A loaded network computes what posenc computes, and its injection points show and change what passes them."""

from pathlib import Path

import pytest
import torch
import yaml
from safetensors.torch import load_file

import posenc_torch
from posenc_torch import boards
from posenc_torch.pack import PACKERS

HERE = Path(__file__).parent
# A shogi board but for its last rank.
RANKS = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/"


@pytest.fixture
def attentive(model):
    """A model with attention."""
    if not hasattr(model.network, "encoding"):
        pytest.skip("a network of convolutions")
    return model


@pytest.fixture
def last(attentive):
    """Its last layer."""
    return attentive.network.net.layers - 1


def test_outputs_are_those_of_posenc(model, forward, close):
    with torch.no_grad():
        found = model(forward["packed"])
    for name, value in found.items():
        assert close(value, forward[name]), name


def test_observed_layers_are_those_of_the_export(attentive, forward, export, close):
    path = export / "activations.safetensors"
    if not path.is_file():
        pytest.skip("this export has no activations; set POSENC")
    with torch.no_grad(), attentive.observe() as seen:
        attentive(forward["packed"])
    told = {name: value for name, value in load_file(path).items() if not name.startswith("stream.")}
    assert set(told) <= set(seen)
    for name, value in told.items():
        assert close(seen[name], value), name


def test_injection_points_have_their_earlier_name_too(attentive):
    assert attentive.seams is attentive.injection_points


def test_observing_changes_nothing(attentive, forward, close):
    with torch.no_grad():
        plain = attentive(forward["packed"])
        with attentive.observe():
            observed = attentive(forward["packed"])
    assert all(close(observed[name], plain[name], 1e-5) for name in plain)


def test_a_replaced_head_gets_even_attention(attentive, last, forward):
    with torch.no_grad(), attentive.observe() as seen:
        with attentive.replace("attention", lambda x: torch.full_like(x, 1 / x.shape[-1]), layer=last, head=0):
            attentive(forward["packed"])
        attention = seen[f"attention.layer.{last}"]
        assert torch.allclose(attention[:, 0], torch.full_like(attention[:, 0], 1 / attention.shape[-1]))
        assert not torch.allclose(attention[:, 1], torch.full_like(attention[:, 1], 1 / attention.shape[-1]))


def test_without_its_terms_a_network_answers_otherwise(attentive, forward):
    with torch.no_grad():
        plain = attentive(forward["packed"])
        with attentive.observe() as seen:
            attentive(forward["packed"])
        if "term.layer.0" not in seen:
            return
        with attentive.replace("term", torch.zeros_like):
            changed = attentive(forward["packed"])
        again = attentive(forward["packed"])
    assert not torch.equal(changed["trunk"], plain["trunk"])
    assert torch.equal(again["trunk"], plain["trunk"])


def test_positions_are_packed_as_posenc_packs_them(model, forward):
    if (model.game, model.input) not in PACKERS:
        pytest.skip(f"{model.input} is not packed here")
    pytest.importorskip("chess" if model.game == "chess" else "cshogi")
    positions = (HERE / f"{model.game}.txt").read_text().splitlines()
    packed = posenc_torch.pack(positions, model)
    for position, own, other in zip(positions, packed, forward["packed"]):
        assert own.tolist() == other.tolist(), position


@pytest.mark.parametrize(
    ("game", "position"),
    [
        ("chess", "8/8/8/8/8/8/8/8 w - - 0 1"),
        ("shogi", ""),
        ("shogi", f"{RANKS}LNSGKGSN b - 1"),
        ("shogi", f"{RANKS[:-1]} b - 1"),
        ("shogi", f"{RANKS}LNSGKGSNL"),
        ("shogi", f"{RANKS}LNSGKGSNL b - 1 7g7f"),
        ("shogi", f"{RANKS}LNSGKGSNL b 2Q 1"),
    ],
)
def test_what_is_no_position_is_not_packed(game, position):
    pytest.importorskip("chess" if game == "chess" else "cshogi")
    with pytest.raises(ValueError):
        posenc_torch.pack([position], {"game": game, "input": "piece_tokens"})


def test_pieces_in_hand_stand_in_any_order():
    pytest.importorskip("cshogi")
    config = {"game": "shogi", "input": "piece_tokens"}
    one, other = posenc_torch.pack([f"4k4/9/9/9/9/9/9/9/4K4 b {hands} 1" for hands in ("R2Pb", "b2PR")], config)
    assert one.tolist() == other.tolist()


def test_channels_are_those_of_posenc(model, forward, close):
    assert close(model.network.net.input.expand(forward["packed"]), forward["channels"], 1e-6)


def test_convolutions_have_nothing_to_observe():
    with pytest.raises(ValueError, match="no attention"):
        posenc_torch.load(HERE / "exports/chess-residual").observe()


def test_vocabularies_have_the_published_sizes():
    chess, shogi = boards.BOARDS["chess"], boards.BOARDS["shogi"]
    assert [boards.cells("from_to", "chess", chess)[0], len(boards.cells("from_to", "chess", chess)[1])] == [73, 1858]
    compact = boards.shogi_labels("shogi_1496", shogi)
    counts = [sum(kind == own for own, _ in compact) for kind in range(boards.CLASSES)]
    on_board = [72, 64, 64, 72, 72, 72, 64, 64, 40, 40, 27, 24, 24, 24, 24, 72, 49, 49, 24, 24]
    assert counts == on_board + [72, 72, 63, 81, 81, 81, 81]
    # 7g7f is dlshogi's label 59: class 0, and 7f is posenc's rank 3 and file 2.
    assert boards.shogi_labels("dlshogi_2187", shogi)[59] == (0, 3 * 9 + 2)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"game": "minishogi"}, "no board of minishogi"),
        ({"model": {"decoder": {}}}, "plies of a game"),
        ({"model": {"chessformer": {"refinement": {"moves": 3}}}}, "legal moves"),
        ({"model": {"chessformer": {"edge": "hidden"}}}, "outside the board"),
        ({"model": {"chessformer": {"embedding": {"parts": {"pieces": "apart"}}}}}, "two tokens"),
        ({"model": {"resnet": {"unheard_of": 1}}}, "unheard_of"),
        ({"input": "tokens_68", "encoding": ["shaw"]}, "before the squares"),
    ],
)
def test_what_this_package_lacks_is_refused_by_name(changed, said, tmp_path):
    config = {"game": "chess", "input": "piece_tokens", "model": {"chessformer": {}}, "encoding": ["none"], **changed}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config))
    (tmp_path / "weights.safetensors").write_bytes(b"")
    with pytest.raises(ValueError, match=said):
        posenc_torch.load(tmp_path)


def test_what_cannot_be_loaded_is_said(tmp_path):
    with pytest.raises(FileNotFoundError, match="config.yaml"):
        posenc_torch.load(tmp_path)
    (tmp_path / "config.yaml").write_text("game: chess\nmodel: {chessformer: {}}\n")
    with pytest.raises(FileNotFoundError, match="not finished"):
        posenc_torch.load(tmp_path)
    with pytest.raises(ValueError, match="does not pack"):
        posenc_torch.pack(["startpos"], {"game": "chess", "input": "tokens_68"})
