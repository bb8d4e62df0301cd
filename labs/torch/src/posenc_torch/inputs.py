"""Inputs: packed rows of bytes, and the channels that they become, as docs/export.md describes them."""

import torch
import torch.nn.functional as F

from .boards import BOARDS, DROPS

PIECES = {"chess": 6, "shogi": 14}


class Thermometer(int):
    """A number of channels, of which the first are 1 up to the byte's number."""


class Word(int):
    """A token by itself, one of a number of words."""


RATINGS = [("rating.own", Thermometer(32)), ("rating.opponent", Thermometer(32))]
SIDES = ("own", "opponent")


def hands(values):
    """A feature for each piece in either hand."""
    return [(f"hand.{side}.{piece}", value) for side in SIDES for piece, value in zip(DROPS["shogi"], values)]


CASTLING = [f"castling.{side}.{wing}" for side in SIDES for wing in ("king_side", "queen_side")]
PASSING = ["en_passant"] + [f"en_passant.{file}" for file in "abcdefgh"]
CLS = [(name, 1) for name in ["cls", "turn", *CASTLING, *PASSING]]
CLS += [("repetitions", 3), ("halfmove_clock", 50), ("fullmove_number", 100)]
CHESS = [(name, 1) for name in CASTLING]
CHESS += [("en_passant", None), ("halfmove_clock", 99), ("repetitions", 2), ("check", 1)]
SHOGI = [*hands([18, 4, 4, 4, 4, 2, 2]), ("repetitions", 3), ("check", 1)]
DLSHOGI = [*hands([Thermometer(n) for n in (8, 4, 4, 4, 4, 2, 2)]), ("check", 1)]

# Bytes behind the boards: (name, divisor), or a divisor of None where the byte names a square (0 for none).
FEATURES = {
    ("chess", "piece_tokens"): CHESS,
    ("chess", "piece_tokens_aux"): CHESS,
    ("chess", "piece_tokens_rated"): CHESS + RATINGS,
    ("shogi", "piece_tokens"): SHOGI,
    ("shogi", "piece_tokens_aux"): SHOGI,
    ("shogi", "piece_tokens_rated"): SHOGI + RATINGS,
    # Castling (own queen side, own king side, the opponent's), Black to move, rule 50, zeros, ones.
    ("chess", "lc0_112"): [(f"plane.{104 + i}", 99 if i == 5 else 1) for i in range(8)],
    ("chess", "lc0_112_en_passant"): [(f"plane.{104 + i}", {4: None, 5: 100}.get(i, 1)) for i in range(8)],
    ("shogi", "dlshogi_62_57"): DLSHOGI,
    ("chess", "cls_tokens"): CLS,
    ("chess", "cls_tokens_white"): CLS,
    ("chess", "tokens_68"): [("castling", Word(16)), ("side_to_move", Word(2))],
}
LC0_STEPS = 8
# dlshogi's order of posenc's kinds of pieces, and up to how many attackers of a square it counts.
KINDS = [0, 1, 2, 3, 5, 6, 4, 7, 8, 9, 10, 11, 12, 13]
ATTACKERS = 3


class Input:
    """A packed row and what becomes of it: channels `[b, l, c]`.

    Raises KeyError for an input that is not here.
    """

    def __init__(self, game, name):
        if (game, name) not in FEATURES:
            raise KeyError(f"the input {name} of {game}")
        self.board, self.features = BOARDS[game], FEATURES[game, name]
        n, codes = self.board.squares, 1 + 2 * PIECES[game]
        self.codes = codes
        self.history = LC0_STEPS if name.startswith("lc0_112") else 0
        self.attacks = name == "dlshogi_62_57"
        self.words = name == "tokens_68"
        self.aux = name == "piece_tokens_aux" or name.startswith("cls_tokens")
        steps = [divisor for _, divisor in self.features if isinstance(divisor, Thermometer)]
        marks = sum(divisor is None for _, divisor in self.features)
        scalars = len(self.features) - len(steps) - marks
        self.aux_names = [feature for feature, divisor in self.features if divisor] if self.aux else []
        if self.words:
            self.aux_names = ["end_pos", *(feature for feature, _ in self.features)]
        # `start_pos` stands before the squares, `cls` behind them.
        self.first = 1 if self.words else 0
        self.summary = 0 if self.words else n if "cls" in self.aux_names else None
        self.tokens = self.first + n + len(self.aux_names)
        boards, self.boards_bytes = codes, n
        # The channels of the current position's pieces.
        self.pieces = list(range(1, codes))
        if self.history:
            boards, self.boards_bytes, self.pieces = LC0_STEPS * codes, LC0_STEPS * (n + 1), list(range(codes - 1))
        if self.attacks:
            side = 2 * len(KINDS) + ATTACKERS
            boards, self.boards_bytes = 2 * side, 5 * n
            self.pieces = [at + kind for at in (0, side) for kind in range(len(KINDS))]
        self.own_channels = boards + marks
        self.channels = self.own_channels + sum(steps) + scalars * (2 if self.aux else 1)
        if self.words:
            self.channels = codes + 2 + sum(divisor for _, divisor in self.features)
        self.row_bytes = self.boards_bytes + len(self.features)

    def expand(self, rows, dtype=torch.float32):
        rows = rows.long()
        if self.words:
            return self.expand_words(rows, dtype)
        n, squares, features = self.board.squares, self.boards(rows).to(dtype), rows[:, self.boards_bytes :]
        marks, thermometers, scalars = [], [], []
        for byte, (_, divisor) in zip(features.T, self.features):
            if divisor is None:
                marks.append((torch.arange(1, n + 1) == byte[:, None]).to(dtype))
            elif isinstance(divisor, Thermometer):
                thermometers.append((byte[:, None] > torch.arange(divisor)).to(dtype))
            else:
                scalars.append(byte.to(dtype) / divisor)
        everywhere = [levels[:, None].expand(-1, n, -1) for levels in thermometers]
        squares = torch.cat([squares] + [mark[..., None] for mark in marks] + everywhere, -1)
        scalars = torch.stack(scalars, -1)
        if not self.aux:
            return torch.cat([squares, scalars[:, None].expand(-1, n, -1)], -1)
        count = scalars.shape[1]
        squares = F.pad(squares, (0, 2 * count))
        identity = torch.eye(count, dtype=dtype)
        values = torch.cat([scalars[..., None] * identity, identity.expand(rows.shape[0], -1, -1)], -1)
        return torch.cat([squares, F.pad(values, (self.channels - 2 * count, 0))], 1)

    def boards(self, rows):
        """The channels of the boards, `[b, squares, c]`."""
        n = self.board.squares
        if self.history:
            steps = F.one_hot(rows[:, : LC0_STEPS * n].unflatten(1, (LC0_STEPS, n)), self.codes)[..., 1:]
            flags = (rows[:, LC0_STEPS * n : self.boards_bytes] != 0).long()
            flags = flags[:, :, None, None].expand(-1, -1, n, 1)
            return torch.cat([steps, flags], -1).transpose(1, 2).flatten(2)
        codes = F.one_hot(rows[:, :n], self.codes)
        if not self.attacks:
            return codes
        bits = torch.tensor([2**bit for bit in range(8)], device=rows.device)
        bits = rows[:, n : self.boards_bytes].unflatten(1, (n, 4))[..., None] // bits % 2
        bits, found, kinds = bits.flatten(2), [], len(KINDS)
        for side in (0, 1):
            attackers = bits[..., side * kinds : (side + 1) * kinds]
            more = bits[..., 2 * kinds + side * (ATTACKERS - 1) :][..., : ATTACKERS - 1]
            any_at_all = attackers.amax(-1, keepdim=True)
            found += [codes[..., [1 + side * kinds + kind for kind in KINDS]], attackers, any_at_all, more]
        return torch.cat(found, -1)

    def expand_words(self, rows, dtype):
        """One channel for each word: piece codes, `start_pos`, `end_pos`, sets of castling rights, sides to move."""
        n, words = self.board.squares, [rows[:, : self.board.squares]]
        number = self.codes + 2
        start = torch.full_like(rows[:, :1], self.codes)
        for at, (_, count) in enumerate(self.features):
            words.append(rows[:, n + at :][:, :1] + number)
            number += count
        words = [start, words[0], start + 1, *words[1:]]
        return F.one_hot(torch.cat(words, 1), self.channels).to(dtype)
