"""chessformer_lens opens networks of chess and finds them by name; what it takes apart adds up to what posenc computed."""

from pathlib import Path

import pytest
import torch

chess = pytest.importorskip("chess")
core = pytest.importorskip("chessformer_lens.core")

from posenc_torch import lens  # noqa: E402

HERE = Path(__file__).parent
POSITIONS = (HERE / "chess.txt").read_text().splitlines()


def boards():
    """The positions of the exports, each with the moves that led to it."""
    found = []
    for position in POSITIONS:
        start, _, moves = position.partition(" moves ")
        board = chess.Board() if start == "startpos" else chess.Board(start)
        for move in moves.split():
            board.push_uci(move)
        found.append(board)
    return found


@pytest.fixture
def adapter(export, model):
    if lens.unfit(model.config):
        with pytest.raises(ValueError):
            lens.PosencAdapter.load(str(export))
        pytest.skip(lens.unfit(model.config))
    return lens.PosencAdapter.load(str(export))


def test_it_is_registered_by_its_entry_point():
    text = (HERE.parent / "pyproject.toml").read_text()
    assert '[project.entry-points."chessformer_lens.adapters"]\nposenc = "posenc_torch.lens:PosencAdapter"' in text
    assert issubclass(lens.PosencAdapter, core.ModelAdapter)


def test_folders_of_posenc_are_names_of_models_and_others_are_not(export, tmp_path):
    assert lens.PosencAdapter.resolve(str(export)) == f"posenc {export.name}"
    assert lens.PosencAdapter.resolve(str(tmp_path)) is None and lens.PosencAdapter.resolve("bt4") is None


def test_it_answers_as_posenc_does(adapter, forward, close):
    with torch.no_grad():
        found = adapter.forward(boards(), core.Conditioning())
    assert close(found.policy, forward["policy"]) and close(found.value, forward[adapter.shown])
    wdl = adapter.value(found.value[0])
    assert 0 <= wdl.expected <= 1


def test_every_legal_move_has_a_logit_and_comes_back(adapter, forward):
    for board, legal in zip(boards(), forward["legal"]):
        assert torch.equal(adapter.vocab.legal_mask(board), legal.bool())
        for move in board.legal_moves:
            assert adapter.vocab.decode(board, adapter.vocab.index(board, move)) == move


def test_writes_and_streams_add_up(adapter, close):
    seen, handles = {}, []
    for name, module in adapter.hook_modules().items():
        handles.append(module.register_forward_hook(lambda module, given, made, name=name: seen.update({name: made})))
    with torch.no_grad():
        found = adapter.forward(boards(), core.Conditioning())
    for handle in handles:
        handle.remove()
    with torch.no_grad():
        for layer in range(adapter.arch.n_layers):
            at = f"{layer:02d}"
            into = seen["embed_in"] if layer == 0 else seen[f"block_{layer - 1:02d}"]
            taken = adapter.decompose_attention(layer, seen[adapter.attn_input_key(layer)], None)
            assert tuple(taken.terms) == adapter.caps.attn_terms
            writes = taken.head_writes().sum(1)
            assert close(writes if taken.b_O is None else writes + taken.b_O, seen[f"attn_{at}"])
            block, added = adapter.network.body[layer], into + seen[f"attn_{at}"]
            if adapter.caps.norm == "post":
                added = block.attention_norm(added)
            assert close(added, seen[f"postattn_{at}"])
            added = added + seen[f"mlp_{at}"]
            assert close(block.feed_forward_norm(added) if adapter.caps.norm == "post" else added, seen[f"block_{at}"])
        stream = seen[f"block_{adapter.arch.n_layers - 1:02d}"]
        for row, policy in zip(stream, found.policy):
            assert close(adapter.unembed(row), policy)


def test_its_engine_removes_a_head(adapter):
    engine = pytest.importorskip("chessformer_lens.engine")
    asked = engine.ChessformerEngine(adapter)
    plain = asked.evaluate(boards()[1])["policy"]
    assert sum(share for _, share in plain) == pytest.approx(1)
    assert asked.attention(boards()[1], layer=0, head=1)["head"] == 1
    removed = asked.ablate_head(boards()[1], None, 0, 1)
    assert removed is not None
