"""Counts solved puzzles by python-chess, and compares the counts with those of `posenc eval --json`.

    python puzzles.py FILE.csv < answers.jsonl

posenc says its network's answers; which of them solve a puzzle is decided here again, from the file alone.
"""

import csv
import json
import sys

import chess


def solved(row, answers):
    """By the rule `any_mate`, and by the rule `strict`."""
    board = chess.Board(row["FEN"])
    answers = iter(answers)
    for number, text in enumerate(row["Moves"].split()):
        move = board.parse_uci(text)
        if number % 2 == 1:
            answer = board.parse_uci(next(answers))
            if answer != move:
                board.push(answer)
                return board.is_checkmate(), False
        board.push(move)
    return True, True


def main():
    with open(sys.argv[1], newline="") as file:
        rows = list(csv.DictReader(file))
    for line in sys.stdin:
        told = json.loads(line)
        rule = told["score"]["rule"]
        found = [solved(row, puzzle["answers"])[rule == "strict"] for row, puzzle in zip(rows, told["puzzles"], strict=True)]
        different = [puzzle["id"] for mine, puzzle in zip(found, told["puzzles"]) if mine != puzzle["solved"]]
        score = told["score"]["solved"]
        print(f"{told['agent']}, {rule}: python-chess {sum(found)} of {len(found)}, posenc {score['right']} of {score['of']}, "
              f"{len(different)} puzzles differ")
        if different or sum(found) != score["right"]:
            sys.exit(f"puzzles.py: the counts differ, at {', '.join(different[:10])}")


if __name__ == "__main__":
    main()
