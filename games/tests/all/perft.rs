//! Perft: numbers of move sequences, against published counts.

use games::chess::Chess;
use games::minishogi::Minishogi;
use games::shogi::Shogi;
use games::{Game, Position};

fn perft<P: Position>(position: &P, depth: u32) -> u64 {
    let moves = position.list_moves();
    if depth == 1 {
        return moves.len() as u64;
    }
    moves.into_iter().map(|mv| perft(&position.after(mv), depth - 1)).sum()
}

fn check<G: Game>(positions: &[(&str, &[u64])]) {
    for (text, counts) in positions {
        let position = G::Position::parse(text).unwrap_or_else(|error| panic!("{error}"));
        for (depth, &count) in (1..).zip(*counts) {
            assert_eq!(perft(&position, depth), count, "depth {depth} of {text}");
        }
    }
}

#[test]
fn chess_counts() {
    check::<Chess>(&[
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &[20, 400, 8_902, 197_281, 4_865_609]),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", &[48, 2_039, 97_862, 4_085_603]),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", &[14, 191, 2_812, 43_238]),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", &[6, 264, 9_467, 422_333]),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", &[44, 1_486, 62_379]),
    ]);
}

/// Counts: `tests/oracle/minishogi.py`; Fairy-Stockfish publishes the fifth.
#[test]
fn minishogi_counts() {
    check::<Minishogi>(&[("rbsgk/4p/5/P4/KGSBR b - 1", &[14, 181, 2_512, 35_401, 533_203])]);
}

/// Counts: YaneuraOu's and rsshogi's test data, counted again with cshogi.
#[test]
fn shogi_counts() {
    check::<Shogi>(&[
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", &[30, 900, 25_470, 719_731]),
        ("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1", &[207, 28_684]),
        ("R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", &[593, 105_677]),
        ("lnsgkgsnl/1r7/p1ppp1bpp/1p3pp2/7P1/2P6/PP1PPPP1P/1B3S1R1/LNSGKG1NL b - 9", &[31, 1_177, 37_189]),
        ("l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1", &[98, 15_850, 1_114_656]),
        ("6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1", &[246, 41_605]),
        ("ln1g5/1r2S1k2/p2pppn2/2ps2p2/1p7/2P6/PPSPPPPLP/2G2K1pr/LN4G1b w BGSLPnp 62", &[74, 16_440, 864_786]),
        ("ln3gsn1/7kl/3+B1p1p1/p4s2p/2P6/P2B3PP/1PNP+rPP2/2G3SK1/L4G1NL b G3Prs3p 65", &[101, 15_744, 1_183_354]),
        ("ln2+r1r2/5s+Pkl/3+B1p1p1/p4B2p/2P6/P6PP/1PNP1P3/2G3SK1/L4G1NL w 2GSN3Ps3p 76", &[2, 445, 45_717]),
        ("ln3k3/2s5+L/prp1p+B3/1pP6/3p2p2/5P1+p1/PP1PP4/2S3S2/L2GK1GN1 b 2GNLPrbsn4p 61", &[204, 46_360]),
    ]);
}
