"""Minishogi beside Fairy-Stockfish: legal moves of positions, and perft.

zstd -dc games/tests/data/minishogi_legal_12k.tsv.zst | python3 fairy.py [ENGINE]

A line of the input is an SFEN, a tab, and its legal moves in USI. Fairy-Stockfish allows mates by a dropped pawn: they are counted, and
any other difference fails.
"""

import subprocess
import sys

PERFT = [14, 181, 2512, 35401, 533203]


class Engine:
    def __init__(self, program):
        self.process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.send("usi")
        # Versions differ in the name of the option.
        for option in ["USI_Variant", "UCI_Variant"]:
            self.send(f"setoption name {option} value minishogi")

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def perft(self, position, depth):
        """The numbers of move sequences after each move, and of all."""
        self.send(f"position {position}")
        self.send(f"go perft {depth}")
        after = {}
        for line in self.process.stdout:
            name, _, number = line.strip().partition(": ")
            if name == "Nodes searched":
                return after, int(number)
            if number.isdigit():
                after[name] = int(number)
        sys.exit("the engine ended")


def main():
    engine = Engine(sys.argv[1] if len(sys.argv) > 1 else "fairy-stockfish")
    found = [engine.perft("startpos", depth)[1] for depth in range(1, len(PERFT) + 1)]
    positions = mates = 0
    wrong = []
    if found != PERFT:
        wrong.append(f"perft: {found}, expected {PERFT}")
    for line in sys.stdin:
        sfen, moves = line.rstrip("\n").split("\t")
        expected, moves = set(moves.split()), set(engine.perft(f"sfen {sfen}", 1)[0])
        positions += 1
        extra = moves - expected
        by_pawn = {m for m in extra if m.startswith("P*") and not engine.perft(f"sfen {sfen} moves {m}", 1)[1]}
        mates += len(by_pawn)
        if expected - moves or extra - by_pawn:
            wrong.append(f"{sfen}: lacks {sorted(expected - moves)}, has {sorted(extra - by_pawn)}")
    print(f"{positions} positions, {mates} mates by a dropped pawn left out, perft to depth {len(PERFT)}: {found}")
    print(*wrong[:5], sep="\n")
    sys.exit(len(wrong) > 0 or positions == 0)


main()
