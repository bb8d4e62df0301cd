"""Small datasets with what the starter sets lack: searches, maps of labels, ratings."""

import subprocess
from pathlib import Path

RECORDS = Path(__file__).resolve().parents[2] / "games/tests/data"


def make(posenc, folder):
    """Makes `searches-<game>`, `attacked-squares-<game>`, `attackers-<game>` and `rated-chess` in a folder."""
    run(posenc, folder, "import", "--game", "chess", "--from", RECORDS / "chess_lichess_40.pgn.zst", "--out", "rated-chess")
    for game, records in (("chess", "lc0_v6_selfplay.tar"), ("shogi", "shogi_selfplay_40games.hcpe3")):
        run(posenc, folder, "import", "--game", game, "--from", RECORDS / records, "--out", f"searches-{game}")
        for task in ("attacked-squares", "attackers"):
            run(posenc, folder, "generate", "probe", task, "--game", game, "--positions", 100, "--out", f"{task}-{game}")


def run(posenc, folder, *arguments):
    command = [Path(posenc).resolve(), "data", *map(str, arguments), "--test", "0.2", "--validation", "0.2"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
