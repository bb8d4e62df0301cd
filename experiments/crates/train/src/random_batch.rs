//! Positions on which steps are tried and timed: random games, so that no dataset is needed.

use config::RunConfig;
use dataset::Batch;
use games::{Game, InputLayout, Line, Position, with_game};

/// Plies after which a random game starts again.
const GAME_PLIES: usize = 60;

/// A batch of positions from random legal games, each with a random legal move and outcome as its targets. The columns that only
/// evaluations read are empty.
pub(super) fn random_batch(run: &RunConfig, size: usize) -> Batch {
    with_game!(run.game, G => random_of::<G>(run, size))
}

fn random_of<G: Game>(run: &RunConfig, size: usize) -> Batch {
    let mut stream = streams::stream(0, &["bench", G::NAME]);
    let (layout, vocabulary) = (G::input(run.input), G::KIND.moves(run.moves));
    let frame = run.input.frame();
    // Rows of sequences end with the played move.
    let move_bytes = if run.plies() > 1 { InputLayout::MOVE_BYTES } else { 0 };
    let (row_bytes, legal_bytes) = (layout.row_bytes() + move_bytes, vocabulary.len().div_ceil(u8::BITS as usize));
    let mut batch = Batch {
        size,
        row_bytes,
        packed: vec![0; size * row_bytes],
        legal: vec![0; size * legal_bytes],
        policy_index: Vec::with_capacity(size),
        policy_prob: vec![1.0; size],
        outcome: Vec::with_capacity(size),
        value: vec![f32::NAN; size],
        ..Batch::default()
    };
    let mut line = Line::for_input(G::Position::start(), layout);
    let mut moves = Vec::new();
    for (row, legal) in batch.packed.chunks_exact_mut(row_bytes).zip(batch.legal.chunks_exact_mut(legal_bytes)) {
        line.position().legal_moves(&mut moves);
        if moves.is_empty() || line.plies() == GAME_PLIES {
            line = Line::for_input(G::Position::start(), layout);
            line.position().legal_moves(&mut moves);
        }
        let position = line.position();
        let (packed, in_row) = row.split_at_mut(layout.row_bytes());
        line.pack(layout, packed);
        for &mv in &moves {
            let index = usize::from(position.label(mv, run.moves, frame));
            legal[index / u8::BITS as usize] |= 1 << (index % u8::BITS as usize);
        }
        let played = moves[streams::below(&mut stream, moves.len() as u64) as usize];
        let index = position.label(played, run.moves, frame);
        if move_bytes > 0 {
            in_row.copy_from_slice(&index.to_le_bytes());
        }
        batch.policy_index.push(index.into());
        batch.outcome.push(streams::below(&mut stream, 3) as i64);
        line.play(played);
    }
    batch
}
