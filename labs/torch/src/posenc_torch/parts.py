"""The embedding of the CLS transformer: every token of `cls_tokens` from a table or a formula of its own, from the packed row."""

import torch
import torch.nn.functional as F
from torch import nn

from .points import zeros

DEGREE, SMALL, SYMBOLS, PLACES, REPETITIONS = 8, 16, 11, 3, 4


class Digits(nn.Module):
    """Three tokens of a number: a vector for each digit, or for none, and one for its place."""

    def __init__(self, width):
        super().__init__()
        self.symbols, self.places = zeros(SYMBOLS, width), zeros(PLACES, width)
        texts = [str(number).ljust(PLACES) for number in range(256)]
        digits = [[SYMBOLS - 1 if digit == " " else int(digit) for digit in text] for text in texts]
        self.register_buffer("digits", torch.tensor(digits), persistent=False)

    def forward(self, byte):
        return self.symbols[self.digits[byte]] + self.places


class Scaled(nn.Module):
    """n/50, or a polynomial of it, times a vector."""

    def __init__(self, kind, width):
        super().__init__()
        self.kind, self.vector = kind, zeros(width)
        if kind != "linear":
            self.polynomial = zeros(DEGREE + 1)

    def forward(self, byte):
        x = scale = byte.to(self.vector.dtype).clamp_max(100) / 50
        if self.kind != "linear":
            scale = self.polynomial[DEGREE] + 0 * x
            for power in reversed(range(DEGREE)):
                scale = scale * x + self.polynomial[power]
        if self.kind == "polynomial_relu":
            scale = scale.relu()
        return (scale[:, None] * self.vector)[:, None]


class Product(nn.Module):
    """(n/100 times a small vector) times a matrix."""

    def __init__(self, width):
        super().__init__()
        self.vector, self.matrix = zeros(SMALL), zeros(SMALL, width)

    def forward(self, byte):
        return (byte.to(self.vector.dtype)[:, None] / 100 * self.vector @ self.matrix)[:, None]


class Parts(nn.Module):
    """Squares, the summary token, flags, repetitions and counters, in this order: packed rows → `[b, l, d]`."""

    def __init__(self, options, seen, width):
        super().__init__()
        self.squares = seen.board.squares
        names = [name for name, _ in seen.features]
        self.byte = {name: seen.boards_bytes + at for at, name in enumerate(names)}
        self.flag_bytes = [self.byte[name] for name in flags(options, seen)]
        kinds, pieces = (seen.codes - 1) // 2, options.get("pieces", "thirteen")
        rows = {"thirteen": seen.codes, "nine": kinds + 3, "ten": kinds + 4}[pieces]
        picks = torch.zeros(seen.codes, rows)
        for code in range(seen.codes):
            kind, owner = (0, 0) if code == 0 else (1 + (code - 1) % kinds, 1 + (code - 1) // kinds)
            if pieces == "thirteen":
                picks[code, code] = 1
            else:
                picks[code, kind] = 1
                if pieces == "ten":
                    picks[code, kinds + 1 + owner] = 1
                elif code:
                    picks[code, kinds + owner] = 1
        self.register_buffer("picks", picks, persistent=False)
        self.pieces, self.cls, self.width = zeros(rows, width), zeros(width), width
        if options.get("flags", "learned") == "learned" and self.flag_bytes:
            self.flags = zeros(len(self.flag_bytes), 2, width)
        if options.get("repetition", True):
            self.repetition = zeros(REPETITIONS, width)
        half, full = options.get("half_move", "polynomial"), options.get("full_move", "matrix")
        if half != "none":
            self.half_move = Digits(width) if half == "digits" else Scaled(half, width)
        if full != "none":
            self.full_move = Digits(width) if full == "digits" else Product(width)

    def forward(self, rows, stack, registers=None):
        rows = rows.long()
        codes = F.one_hot(rows[:, : self.squares], len(self.picks)).to(self.pieces.dtype)
        found = [codes @ self.picks @ self.pieces, self.cls.expand(rows.shape[0], 1, -1)]
        if self.flag_bytes:
            bits = rows[:, self.flag_bytes, None].to(self.pieces.dtype)
            if hasattr(self, "flags"):
                found.append(bits * self.flags[:, 1] + (1 - bits) * self.flags[:, 0])
            else:
                found.append(bits.expand(-1, -1, self.width))
        if hasattr(self, "repetition"):
            found.append(self.repetition[rows[:, self.byte["repetitions"]]][:, None])
        for name, feature in (("half_move", "halfmove_clock"), ("full_move", "fullmove_number")):
            if hasattr(self, name):
                found.append(getattr(self, name)(rows[:, self.byte[feature]]))
        if registers is not None:
            found.append(registers.expand(rows.shape[0], -1, -1))
        return stack.embed(torch.cat(found, 1))


def flags(options, seen):
    """The names of the tokens of yes and no."""
    passing, wanted = options.get("en_passant", "all"), set()
    wanted |= {"turn"} if options.get("turn", True) else set()
    wanted |= {"en_passant"} if passing == "all" else set()
    groups = ["castling."] if options.get("castling", True) else []
    groups += ["en_passant."] if passing != "none" else []
    return [name for name, _ in seen.features if name in wanted or name.startswith(tuple(groups))]


def tokens(options, seen):
    """How many tokens the parts make."""
    counts = {"none": 0, "digits": PLACES}
    counters = [options.get("half_move", "polynomial"), options.get("full_move", "matrix")]
    made = sum(counts.get(kind, 1) for kind in counters) + int(options.get("repetition", True))
    return seen.board.squares + 1 + len(flags(options, seen)) + made
