"""Boards and move vocabularies, as docs/export.md describes them.

A square is `rank * files + file` in the frame of the side to move. Nothing here is read from an export: sizes and orders
are computed again, so that an export made under another order cannot pass.
"""

from dataclasses import dataclass


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

# Vocabularies without a structure for heads: how many moves they have.
LISTS = {"chessdecoder_1924": 1924, "uci_1968_dm": 1968, "uci_1968_sid": 1968}

CLASSES = 27
# What the first ten classes of dlshogi's labels step by: (ranks forward, files to the right). The last two are the knight's.
DIRECTIONS = [(1, 0), (1, -1), (1, 1), (0, -1), (0, 1), (-1, 0), (-1, -1), (-1, 1), (2, -1), (2, 1)]
# Ranks that a dropped pawn, lance and knight need ahead of them.
AHEAD = {20: 1, 21: 1, 22: 2}


def dlshogi_square(number, board):
    """The square that dlshogi numbers file by file, from the right, each from the far end."""
    file, rank = divmod(number, board.ranks)
    return (board.ranks - 1 - rank) * board.files + board.files - 1 - file


def is_possible(kind, to, board):
    """Whether a piece of shogi can make a move of this class to a square."""
    rank, file = divmod(to, board.files)
    if kind >= 20:
        return rank + AHEAD.get(kind, 0) < board.ranks
    (up, right), promotes, knight = DIRECTIONS[kind % 10], kind >= 10, kind % 10 >= 8
    if knight and not promotes and rank >= board.ranks - 2:
        return False
    for steps in range(1, 2 if knight else board.ranks):
        from_rank, from_file = rank - steps * up, file - steps * right
        if not (0 <= from_rank < board.ranks and 0 <= from_file < board.files):
            return False
        if not promotes or max(rank, from_rank) >= board.ranks - 3:
            return True
    return False


def shogi_labels(name, board):
    """The entries of a vocabulary of planes, (class, to). python-dlshogi2 has the same places, and other names for three."""
    labels = [(label // board.squares, dlshogi_square(label % board.squares, board)) for label in range(CLASSES * board.squares)]
    return [entry for entry in labels if is_possible(*entry, board)] if name == "shogi_1496" else labels


PLANES = ("dlshogi_2187", "shogi_1496", "python_dlshogi_2187")


def cells(name, game, board):
    """How many kinds of moves a vocabulary has, and each entry's kind and square: that which is left, or entered by drops
    and in vocabularies of planes.
    """
    if name in PLANES:
        return CLASSES, shogi_labels(name, board)
    if name != "from_to":
        raise KeyError(f"the vocabulary {name} as planes")
    places, drops = board.coordinates(), board.squares

    def kind(origin, target, promotion):
        if origin >= drops:
            return (2, origin - drops), target
        up, right = places[target][0] - places[origin][0], places[target][1] - places[origin][1]
        return ((0, up, right) if promotion is None else (1, promotion, up, right)), origin

    found = [kind(*move) for move in MOVES[game](board)]
    kinds = sorted({kind for kind, _ in found})
    number = {kind: i for i, kind in enumerate(kinds)}
    return len(kinds), [(number[kind], square) for kind, square in found]
