"""Minishogi from its rules, slow and plain, sharing no code with posenc.

python minishogi.py perft DEPTH          numbers of move sequences from the start
python minishogi.py positions N SEED     N positions of random games: an SFEN, a tab, and its legal moves in USI, sorted
"""

import random
import sys

SIZE = 5
START = "rbsgk/4p/5/P4/KGSBR b - 1"
LINES = [(1, 0), (-1, 0), (0, 1), (0, -1)]
DIAGONALS = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
GOLD = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (0, 1)]
# Columns and rows as SFEN writes them; Black moves to smaller rows.
STEPS = {
    "P": [(0, -1)],
    "S": [(-1, -1), (0, -1), (1, -1), (-1, 1), (1, 1)],
    "G": GOLD,
    "K": LINES + DIAGONALS,
    "+P": GOLD,
    "+S": GOLD,
    "+B": LINES,
    "+R": DIAGONALS,
}
SLIDES = {"B": DIAGONALS, "+B": DIAGONALS, "R": LINES, "+R": LINES}
PROMOTE = "PSBR"


def read(sfen):
    rows, turn, hands, ply = sfen.split()
    board = {}
    for y, row in enumerate(rows.split("/")):
        x, plus = 0, ""
        for letter in row:
            if letter.isdigit():
                x += int(letter)
            elif letter == "+":
                plus = "+"
            else:
                board[x, y] = ("b" if letter.isupper() else "w", plus + letter.upper())
                x, plus = x + 1, ""
    held = {"b": {}, "w": {}}
    number = ""
    for letter in hands.replace("-", ""):
        if letter.isdigit():
            number += letter
        else:
            held["b" if letter.isupper() else "w"][letter.upper()] = int(number or 1)
            number = ""
    return board, turn, held, int(ply)


def write(state):
    board, turn, held, ply = state
    rows = []
    for y in range(SIZE):
        row, empty = "", 0
        for x in range(SIZE):
            if (x, y) not in board:
                empty += 1
                continue
            side, piece = board[x, y]
            row += (str(empty) if empty else "") + (piece if side == "b" else piece.lower())
            empty = 0
        rows.append(row + (str(empty) if empty else ""))
    hands = ""
    for side in "bw":
        for piece in "RBGSP":
            count = held[side].get(piece, 0)
            if count:
                hands += (str(count) if count > 1 else "") + (piece if side == "b" else piece.lower())
    return f"{'/'.join(rows)} {turn} {hands or '-'} {ply}"


def other(side):
    return "w" if side == "b" else "b"


def reach(board, x, y):
    side, piece = board[x, y]
    ahead = 1 if side == "b" else -1
    for dx, dy in STEPS.get(piece, []):
        yield x + dx, y + dy * ahead
    for dx, dy in SLIDES.get(piece, []):
        to = (x + dx, y + dy)
        while 0 <= to[0] < SIZE and 0 <= to[1] < SIZE:
            yield to
            if to in board:
                break
            to = (to[0] + dx, to[1] + dy)


def checked(board, side):
    king = next(at for at, piece in board.items() if piece == (side, "K"))
    return any(king in reach(board, *at) for at, (owner, _) in list(board.items()) if owner != side)


def play(state, move):
    board, turn, held, ply = state
    board, held = dict(board), {side: dict(hand) for side, hand in held.items()}
    if move[0] == "drop":
        _, piece, to = move
        held[turn][piece] -= 1
        board[to] = (turn, piece)
    else:
        _, at, to, promotes = move
        piece = board.pop(at)[1]
        if to in board:
            taken = board[to][1].replace("+", "")
            held[turn][taken] = held[turn].get(taken, 0) + 1
        board[to] = (turn, "+" + piece if promotes else piece)
    return board, other(turn), held, ply + 1


def moves(state, with_drops=True):
    """The legal moves."""
    board, turn, held, _ = state
    last = 0 if turn == "b" else SIZE - 1
    found = []
    for at, (side, piece) in board.items():
        if side != turn:
            continue
        for to in reach(board, *at):
            if not (0 <= to[0] < SIZE and 0 <= to[1] < SIZE) or board.get(to, " ")[0] == turn:
                continue
            if not (piece == "P" and to[1] == last):
                found.append(("move", at, to, False))
            if piece in PROMOTE and last in (at[1], to[1]):
                found.append(("move", at, to, True))
    if with_drops:
        for piece, count in held[turn].items():
            for x in range(SIZE):
                for y in range(SIZE):
                    if not count or (x, y) in board:
                        continue
                    in_file = [board.get((x, row)) for row in range(SIZE)]
                    if piece == "P" and (y == last or (turn, "P") in in_file):
                        continue
                    found.append(("drop", piece, (x, y)))
    legal = []
    for move in found:
        after = play(state, move)
        if checked(after[0], turn):
            continue
        # A pawn must not be dropped to give mate. Its check is from the next square, so that no drop answers it.
        if move[:2] == ("drop", "P") and checked(after[0], after[1]) and not moves(after, with_drops=False):
            continue
        legal.append(move)
    return legal


def usi(move):
    name = lambda square: f"{SIZE - square[0]}{'abcde'[square[1]]}"
    if move[0] == "drop":
        return f"{move[1]}*{name(move[2])}"
    return name(move[1]) + name(move[2]) + ("+" if move[3] else "")


def perft(state, depth):
    legal = moves(state)
    return len(legal) if depth == 1 else sum(perft(play(state, move), depth - 1) for move in legal)


def positions(count, seed):
    draw = random.Random(seed)
    state = read(START)
    for _ in range(count):
        legal = moves(state)
        print(write(state) + "\t" + " ".join(sorted(map(usi, legal))))
        if not legal or state[3] > 80:
            state = read(START)
        else:
            state = play(state, draw.choice(legal))


if __name__ == "__main__":
    task, *numbers = sys.argv[1:]
    if task == "perft":
        print([perft(read(START), depth) for depth in range(1, int(numbers[0]) + 1)])
    else:
        positions(*map(int, numbers))
