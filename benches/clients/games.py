"""Lets `posenc play` play games through other programs' clients: python-chess for UCI, cshogi for USI.

    python games.py --posenc PROGRAM --cell CELL --games 200 [--against ENGINE --nodes 1]

Every move is checked by the client's own rules. A move that is not legal, an answer that does not come in time, and a line that
the client cannot read end the program with an error.
"""

import argparse
import collections
import random
import shlex
import tempfile
import time
from pathlib import Path

OPENING_PLIES = 6
MOST_PLIES = 400
SECONDS = 60


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


def shogi_games(chosen):
    import cshogi
    from cshogi.usi import Engine

    own = Engine(launcher(chosen))
    own.setoption("Agent", chosen.agent)
    own.isready()
    other = own
    if chosen.against:
        other = Engine(chosen.against)
        other.isready()
    draw = random.Random(1)
    for number in range(chosen.games):
        own.usinewgame()
        if other is not own:
            other.usinewgame()
        board, moves = cshogi.Board(), []
        while not board.is_game_over() and not board.is_draw() and len(moves) < MOST_PLIES:
            if len(moves) < OPENING_PLIES:
                text = cshogi.move_to_usi(draw.choice(list(board.legal_moves)))
            else:
                ours = other is own or (len(moves) % 2 == number % 2)
                engine = own if ours else other
                engine.position(moves)
                start = time.monotonic()
                text, _ = engine.go(nodes=chosen.nodes) if not ours else engine.go(byoyomi=1000, btime=0, wtime=0)
                assert time.monotonic() - start < SECONDS
            if text == "resign":
                break
            move = board.move_from_usi(text)
            assert move in list(board.legal_moves), (board.sfen(), text)
            board.push(move)
            moves.append(text)
        yield "draw" if board.is_draw() else "decided", len(moves)
    own.quit()
    if other is not own:
        other.quit()


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--posenc", required=True, help="the program posenc")
    arguments.add_argument("--cell", required=True, help="the folder of the cell that plays")
    arguments.add_argument("--game", choices=["chess", "shogi"], default="chess")
    arguments.add_argument("--agent", default="policy")
    arguments.add_argument("--games", type=int, default=200)
    arguments.add_argument("--against", help="an engine; without one the cell plays itself")
    arguments.add_argument("--nodes", type=int, default=1)
    chosen = arguments.parse_args()
    results, plies = collections.Counter(), 0
    for number, (result, length) in enumerate((chess_games if chosen.game == "chess" else shogi_games)(chosen), 1):
        results[result] += 1
        plies += length
    print(f"{chosen.game}, {chosen.agent}: {sum(results.values())} games, {plies} plies, {dict(results)}; "
          f"no illegal move, no lost time, no line that the client could not read")


if __name__ == "__main__":
    main()
