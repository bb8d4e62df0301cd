"""Boards, move vocabularies and inputs, as docs/export.md describes them.

A square is `rank * files + file` in the frame of the side to move. Nothing here is read from an export: sizes and orders
are computed again, so that an export made under another order cannot pass.
"""

from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Board:
    files: int
    ranks: int

    @property
    def squares(self):
        return self.files * self.ranks

    def coordinates(self):
        """(rank, file) of every square, in order."""
        return [(rank, file) for rank in range(self.ranks) for file in range(self.files)]


BOARDS = {"chess": Board(8, 8), "shogi": Board(9, 9)}


def on_a_line(a, b):
    """Whether a queen on `a` could reach `b` on an empty board."""
    up, right = b[0] - a[0], b[1] - a[1]
    return (up, right) != (0, 0) and (up == 0 or right == 0 or abs(up) == abs(right))


def chess_moves(board):
    """Lc0's 1858 moves: (from, to, promotion or None), 1792 pairs and then 66 promotions to queen, rook and bishop."""
    places = board.coordinates()
    moves = []
    for a, here in enumerate(places):
        for b, there in enumerate(places):
            knight = sorted([abs(there[0] - here[0]), abs(there[1] - here[1])]) == [1, 2]
            if on_a_line(here, there) or knight:
                moves.append((a, b, None))
    last = (board.ranks - 1) * board.files
    for file in range(board.files):
        for target in (file - 1, file, file + 1):
            if 0 <= target < board.files:
                moves += [(last - board.files + file, last + target, piece) for piece in range(3)]
    return moves


def shogi_moves(board):
    """2192 plain moves, 1058 promotions, 531 drops; a drop's `from` is `squares + piece` (pawn … rook)."""
    places = board.coordinates()
    plain, promotions, drops = [], [], []
    for a, here in enumerate(places):
        for b, there in enumerate(places):
            jump = there[0] == here[0] + 2 and abs(there[1] - here[1]) == 1
            if not (jump or on_a_line(here, there)):
                continue
            if not (jump and there[0] >= board.ranks - 2):
                plain.append((a, b, None))
            if max(here[0], there[0]) >= board.ranks - 3:
                promotions.append((a, b, 0))
    for piece, ranks_ahead in enumerate([1, 1, 2, 0, 0, 0, 0]):
        drops += [(board.squares + piece, to, None) for to in range((board.ranks - ranks_ahead) * board.files)]
    return plain + promotions + drops


MOVES = {"chess": chess_moves, "shogi": shogi_moves}
PROMOTIONS = {"chess": 3, "shogi": 1}
DROPS = {"chess": [], "shogi": ["pawn", "lance", "knight", "silver", "gold", "bishop", "rook"]}
PIECES = {"chess": 6, "shogi": 14}

class Thermometer(int):
    """So many channels, of which the first are 1 up to the byte's number."""


RATINGS = [("rating.own", Thermometer(32)), ("rating.opponent", Thermometer(32))]

# Bytes behind the boards: (name, divisor), or a divisor of None where the byte names a square (0 for none).
FEATURES = {
    ("chess", "tokens"): [
        ("castling.own.king_side", 1),
        ("castling.own.queen_side", 1),
        ("castling.opponent.king_side", 1),
        ("castling.opponent.queen_side", 1),
        ("en_passant", None),
        ("halfmove_clock", 99),
        ("repetitions", 2),
        ("check", 1),
    ],
    ("shogi", "tokens"): [
        (f"hand.{side}.{piece}", total)
        for side in ("own", "opponent")
        for piece, total in zip(DROPS["shogi"], [18, 4, 4, 4, 4, 2, 2])
    ]
    + [("repetitions", 3), ("check", 1)],
    # Castling (own queen side, own king side, the opponent's), Black to move, rule 50, zeros, ones.
    ("chess", "lc0"): [(f"plane.{104 + i}", 99 if i == 5 else 1) for i in range(8)],
}
LC0_STEPS = 8


class Input:
    """A packed row and what becomes of it: channels `[b, l, c]`."""

    def __init__(self, game, name):
        self.board = BOARDS[game]
        self.history = LC0_STEPS if name == "lc0_112" else 0
        self.aux = name == "piece_tokens_aux"
        self.codes = 1 + 2 * PIECES[game]
        self.features = list(FEATURES[game, "lc0" if self.history else "tokens"])
        self.features += RATINGS if name == "piece_tokens_rated" else []
        self.aux_names = [feature for feature, divisor in self.features if divisor] if self.aux else []
        self.tokens = self.board.squares + len(self.aux_names)
        self.row_bytes = (self.history or 1) * self.board.squares + self.history + len(self.features)
        steps = [divisor for _, divisor in self.features if isinstance(divisor, Thermometer)]
        scalars = sum(divisor is not None for _, divisor in self.features) - len(steps)
        boards = self.history * self.codes if self.history else self.codes
        # The channels of the current position's pieces.
        self.pieces = range(0, self.codes - 1) if self.history else range(1, self.codes)
        marks = len(self.features) - scalars - len(steps)
        self.channels = boards + marks + sum(steps) + scalars * (2 if self.aux else 1)

    def expand(self, rows, dtype=torch.float32):
        n, batch = self.board.squares, rows.shape[0]
        rows = rows.long()
        if self.history:
            boards = rows[:, : self.history * n].view(batch, self.history, n)
            pieces = torch.nn.functional.one_hot(boards, self.codes)[..., 1:]
            flags = (rows[:, self.history * n :][:, : self.history] != 0).long()
            flags = flags[:, :, None, None].expand(-1, -1, n, 1)
            squares = torch.cat([pieces, flags], -1).permute(0, 2, 1, 3).reshape(batch, n, -1)
            features = rows[:, self.history * (n + 1) :]
        else:
            squares = torch.nn.functional.one_hot(rows[:, :n], self.codes)
            features = rows[:, n:]
        marks, thermometers, scalars = [], [], []
        for byte, (_, divisor) in zip(features.T, self.features):
            if divisor is None:
                marks.append((torch.arange(1, n + 1) == byte[:, None]).to(dtype))
            elif isinstance(divisor, Thermometer):
                thermometers.append((byte[:, None] > torch.arange(divisor)).to(dtype))
            else:
                scalars.append(byte.to(dtype) / divisor)
        everywhere = [levels[:, None].expand(-1, n, -1) for levels in thermometers]
        squares = torch.cat([squares.to(dtype)] + [mark[..., None] for mark in marks] + everywhere, -1)
        scalars = torch.stack(scalars, -1)
        if not self.aux:
            return torch.cat([squares, scalars[:, None].expand(-1, n, -1)], -1)
        count = scalars.shape[1]
        squares = torch.nn.functional.pad(squares, (0, 2 * count))
        aux = torch.zeros(batch, count, self.channels, dtype=dtype)
        first = self.channels - 2 * count
        for i in range(count):
            aux[:, i, first + i] = scalars[:, i]
            aux[:, i, first + count + i] = 1
        return torch.cat([squares, aux], 1)
