"""Lets `posenc play` play games through other programs' clients: python-chess for UCI, cshogi for USI,
with pyffish for the rules of minishogi.

    python games.py --posenc PROGRAM --cell CELL --games 200 [--against ENGINE --nodes 1]

Every move is checked by the client's own rules. A move that is not legal, an answer that does not come in time, and a line that
the client cannot read end the program with an error.
"""

import argparse
import collections
import random
import shlex
import shutil
import tempfile
import time
from pathlib import Path

OPENING_PLIES = 6
MOST_PLIES = 400
SECONDS = 60


def absolute(program):
    """Its absolute path: cshogi starts an engine in the folder of the program."""
    return str(Path(shutil.which(program) or program).resolve())


def chess_games(chosen):
    import chess
    import chess.engine

    own = chess.engine.SimpleEngine.popen_uci([chosen.posenc, "play", chosen.cell], timeout=SECONDS)
    own.configure({"Agent": chosen.agent})
    other = chess.engine.SimpleEngine.popen_uci(chosen.against, timeout=SECONDS) if chosen.against else own
    draw = random.Random(1)
    for number in range(chosen.games):
        board = chess.Board()
        for _ in range(OPENING_PLIES):
            board.push(draw.choice(list(board.legal_moves)))
        while not board.is_game_over(claim_draw=True) and len(board.move_stack) < MOST_PLIES:
            ours = other is own or (board.turn == chess.WHITE) == (number % 2 == 0)
            limit = [chess.engine.Limit(nodes=chosen.nodes), chess.engine.Limit(time=0.1),
                     chess.engine.Limit(white_clock=10, black_clock=10)][number % 3]
            if not ours:
                limit = chess.engine.Limit(nodes=chosen.nodes)
            played = (own if ours else other).play(board, limit, game=number, info=chess.engine.INFO_ALL)
            assert played.move in board.legal_moves, (board.fen(), played.move)
            board.push(played.move)
        yield board.result(claim_draw=True), len(board.move_stack)
    own.quit()
    if other is not own:
        other.quit()


def launcher(chosen):
    """A program without arguments that starts the engine: cshogi's client passes none."""
    path = Path(tempfile.mkdtemp()) / "posenc-play"
    path.write_text(f'#!/bin/sh\nexec {shlex.quote(chosen.posenc)} play {shlex.quote(chosen.cell)}\n')
    path.chmod(0o700)
    return str(path)


class Shogi:
    """The rules of shogi by cshogi."""

    def __init__(self):
        import cshogi

        self.usi, self.board = cshogi.move_to_usi, cshogi.Board()

    def legal(self):
        return [self.usi(move) for move in self.board.legal_moves]

    def push(self, move):
        self.board.push_usi(move)

    def drawn(self):
        return self.board.is_draw()


class Minishogi:
    """The rules of minishogi by Fairy-Stockfish's library, which allows mates by a dropped pawn."""

    def __init__(self):
        import pyffish

        self.rules, self.moves = pyffish, []
        self.start = self.position = pyffish.start_fen("minishogi")

    def own(self, *moves):
        return self.rules.legal_moves("minishogi", self.position, list(moves))

    def legal(self):
        return [self.usi(move) for move in self.own() if not move.startswith("P@") or self.own(move)]

    @staticmethod
    def usi(move):
        """a2a3+ becomes 5d5c+, P@c3 becomes P*3c."""
        square = lambda at: str(ord("f") - ord(at[0])) + chr(ord("f") - int(at[1]))
        return move[0] + "*" + square(move[2:]) if "@" in move else square(move) + square(move[2:]) + move[4:]

    def push(self, move):
        own = next(own for own in self.own() if self.usi(own) == move)
        self.moves.append(own)
        self.position = self.rules.get_fen("minishogi", self.position, [own])

    def drawn(self):
        return self.rules.is_optional_game_end("minishogi", self.start, self.moves)[0]


def usi_games(chosen):
    from cshogi.usi import Engine

    own = Engine(launcher(chosen))
    own.setoption("Agent", chosen.agent)
    own.isready()
    other = own
    if chosen.against:
        other = Engine(chosen.against)
        for option in chosen.option:
            other.setoption(*option.split("=", 1))
        other.isready()
    draw = random.Random(1)
    for number in range(chosen.games):
        own.usinewgame()
        if other is not own:
            other.usinewgame()
        board, moves = {"shogi": Shogi, "minishogi": Minishogi}[chosen.game](), []
        while (legal := board.legal()) and not board.drawn() and len(moves) < MOST_PLIES:
            if len(moves) < OPENING_PLIES:
                move = draw.choice(legal)
            else:
                ours = other is own or (len(moves) % 2 == number % 2)
                engine = own if ours else other
                engine.position(moves)
                start = time.monotonic()
                move, _ = engine.go(nodes=chosen.nodes) if not ours else engine.go(byoyomi=1000, btime=0, wtime=0)
                assert time.monotonic() - start < SECONDS
            if move == "resign":
                break
            assert move in legal, (moves, move)
            board.push(move)
            moves.append(move)
        yield "draw" if board.drawn() else "decided", len(moves)
    own.quit()
    if other is not own:
        other.quit()


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--posenc", required=True, help="the program posenc")
    arguments.add_argument("--cell", required=True, help="the folder of the cell that plays")
    arguments.add_argument("--game", choices=["chess", "shogi", "minishogi"], default="chess")
    arguments.add_argument("--agent", default="policy")
    arguments.add_argument("--games", type=int, default=200)
    arguments.add_argument("--against", help="an engine; without one the cell plays itself")
    arguments.add_argument("--option", action="append", default=[], help="an option of a USI engine, such as UCI_Variant=minishogi")
    arguments.add_argument("--nodes", type=int, default=1)
    chosen = arguments.parse_args()
    chosen.posenc, chosen.cell = absolute(chosen.posenc), str(Path(chosen.cell).resolve())
    chosen.against = chosen.against and absolute(chosen.against)
    results, plies = collections.Counter(), 0
    for number, (result, length) in enumerate((chess_games if chosen.game == "chess" else usi_games)(chosen), 1):
        results[result] += 1
        plies += length
    print(f"{chosen.game}, {chosen.agent}: {sum(results.values())} games, {plies} plies, {dict(results)}; "
          f"no illegal move, no lost time, no line that the client could not read")


if __name__ == "__main__":
    main()
