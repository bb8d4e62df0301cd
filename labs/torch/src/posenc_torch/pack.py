"""Positions as the packed rows that networks read (docs/export.md, "The packed row").

A position is `startpos`, a FEN or an SFEN, and may be followed by `moves` and moves in UCI or USI. The rules come from
python-chess and cshogi: `pip install 'labs/torch[chess,shogi]'`.
"""

import re

import torch

from .inputs import LC0_STEPS

# Piece types of cshogi in posenc's order: pawn, lance, knight, silver, gold, bishop, rook, king, then promoted ones.
SHOGI_KINDS = [1, 2, 3, 4, 7, 5, 6, 8, 9, 10, 11, 12, 13, 14]
SHOGI_HANDS = 7


def pack(positions, model):
    """Packed rows, u8 `[b, row]`, of a list of positions for a model (or its `config`).

    Raises ImportError without the game's package, ValueError for a position that cannot be read or an input that is not
    packed here.
    """
    config = getattr(model, "config", model)
    game, name = config["game"], config["input"]
    packer = PACKERS.get((game, name))
    if packer is None:
        raise ValueError(f"posenc_torch does not pack {name} of {game}; `posenc predict` does")
    return torch.tensor([packer(*read(position)) for position in positions], dtype=torch.uint8)


def read(position):
    """The start of a line of moves and its moves."""
    start, _, moves = position.strip().removeprefix("position ").partition("moves")
    start = start.strip()
    for word in ("fen ", "sfen "):
        start = start.removeprefix(word)
    return start, moves.split()


def chess_boards(start, moves):
    """Every board of a line, from the first on."""
    try:
        import chess
    except ImportError as missing:
        raise ImportError("the package chess is missing: pip install 'labs/torch[chess]'") from missing
    board = chess.Board() if start == "startpos" else chess.Board(start)
    if None in (board.king(chess.WHITE), board.king(chess.BLACK)):
        raise ValueError(f"a side of {start!r} has no king")
    boards = [board.copy(stack=False)]
    for move in moves:
        board.push_uci(move)
        boards.append(board.copy(stack=False))
    return boards


def chess_codes(board, white):
    """The piece codes of a board as White or Black sees it."""
    codes = [0] * 64
    for square, piece in board.piece_map().items():
        codes[square if white else square ^ 56] = piece.piece_type + (0 if piece.color == white else 6)
    return codes


def key(board):
    """What makes two positions the same: pieces, side to move, castling, a legal en-passant capture."""
    passing = board.ep_square if board.has_legal_en_passant() else None
    return board.board_fen(), board.turn, board.castling_xfen(), passing


def repetitions(boards, at):
    """How often a position occurred before in its line."""
    return sum(key(boards[earlier]) == key(boards[at]) for earlier in range(at))


def chess_tokens(start, moves):
    """The row of `piece_tokens`."""
    boards = chess_boards(start, moves)
    board, white = boards[-1], boards[-1].turn
    rights = [
        right(side)
        for side in (white, not white)
        for right in (board.has_kingside_castling_rights, board.has_queenside_castling_rights)
    ]
    passing = 0
    if board.has_legal_en_passant():
        passing = 1 + (board.ep_square if white else board.ep_square ^ 56)
    clock, earlier = min(board.halfmove_clock, 100), min(repetitions(boards, len(boards) - 1), 2)
    return chess_codes(board, white) + [int(r) for r in rights] + [passing, clock, earlier, int(board.is_check())]


def chess_lc0(start, moves):
    """The row of `lc0_112`: eight boards, the current one first, all seen by the side to move now."""
    boards = chess_boards(start, moves)
    board, white = boards[-1], boards[-1].turn
    known = range(len(boards) - 1, max(-1, len(boards) - 1 - LC0_STEPS), -1)
    codes = [chess_codes(boards[at], white) for at in known]
    flags = [int(repetitions(boards, at) > 0) for at in known]
    if len(codes) < LC0_STEPS and boards[0].has_legal_en_passant():
        # The pawn that can be taken stood on its first square before the known history.
        earlier = boards[0].copy(stack=False)
        step = 8 if earlier.turn else -8
        pawn = earlier.remove_piece_at(earlier.ep_square - step)
        earlier.set_piece_at(earlier.ep_square + step, pawn)
        codes, flags = codes + [chess_codes(earlier, white)], flags + [0]
    empty = LC0_STEPS - len(codes)
    rights = [
        right(side)
        for side in (white, not white)
        for right in (board.has_queenside_castling_rights, board.has_kingside_castling_rights)
    ]
    features = [int(r) for r in rights] + [int(not white), min(board.halfmove_clock, 255), 0, 1]
    return sum(codes, []) + [0] * (64 * empty) + flags + [0] * empty + features


def told(sfen):
    """The board, the side to move and the pieces in hand of an SFEN, in any order."""
    words = sfen.split()
    return words[:2], sorted(re.findall(r"\d*[A-Za-z]", "".join(words[2:3])))


def shogi_tokens(start, moves):
    """The row of `piece_tokens`."""
    try:
        import cshogi
    except ImportError as missing:
        raise ImportError("the package cshogi is missing: pip install 'labs/torch[shogi]'") from missing
    try:
        board = cshogi.Board() if start == "startpos" else cshogi.Board(start)
    except RuntimeError as error:
        raise ValueError(f"{start!r}: {error}") from error
    # cshogi reads what it can of an SFEN.
    if start != "startpos" and (len(start.split()) not in (3, 4) or told(start) != told(board.sfen())):
        raise ValueError(f"{start!r} is no SFEN; cshogi reads {board.sfen()}")
    # An SFEN ends with the number of the move, which makes no position another one.
    seen = [board.sfen().rsplit(" ", 1)[0]]
    for move in moves:
        if board.push_usi(move) == 0:
            raise ValueError(f"{move} is not a move of {seen[-1]}")
        seen.append(board.sfen().rsplit(" ", 1)[0])
    black = board.turn == cshogi.BLACK
    codes = [0] * 81
    for square, piece in enumerate(board.pieces):
        if piece:
            own = (piece < 16) == black
            codes[shogi_square(square, black)] = 1 + SHOGI_KINDS.index(piece % 16) + (0 if own else 14)
    hands = board.pieces_in_hand if black else board.pieces_in_hand[::-1]
    counts = [hand[piece] for hand in hands for piece in range(SHOGI_HANDS)]
    return codes + counts + [min(seen[:-1].count(seen[-1]), 3), int(board.is_check())]


def shogi_square(square, black):
    """posenc's number of cshogi's square (file by file, from the first rank of file 1)."""
    file, rank = divmod(square, 9)
    return (8 - rank) * 9 + (8 - file) if black else rank * 9 + file


# What makes the rows of an input.
PACKERS = {
    ("chess", "piece_tokens"): chess_tokens,
    ("chess", "piece_tokens_aux"): chess_tokens,
    ("chess", "lc0_112"): chess_lc0,
    ("shogi", "piece_tokens"): shogi_tokens,
    ("shogi", "piece_tokens_aux"): shogi_tokens,
}
