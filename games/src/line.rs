//! A position with the history that its rules and inputs need.

use crate::input::InputLayout;
use crate::position::{Earlier, Position, Side};
use crate::ratings;

/// A game in progress: the current position, the keys of those before it, and the last of these positions if an input
/// shows them.
///
/// ```
/// use games::{Line, Position, chess::ChessPosition};
///
/// let mut line = Line::new(ChessPosition::start());
/// for text in ["g1f3", "g8f6", "f3g1", "f6g8"] {
///     let mv = line.position().parse_move(text).unwrap();
///     line.play(mv);
/// }
/// assert_eq!(line.repetitions(), 1);
/// ```
#[derive(Debug, Clone)]
pub struct Line<P> {
    position: P,
    keys: Vec<u64>,
    /// The positions before the current one, the latest first, at most `keep`.
    earlier: Vec<Earlier<P>>,
    keep: usize,
    /// Of the first and of the second player.
    ratings: [Option<i32>; 2],
    /// Whether missing history is made up, as Lc0 does in play.
    is_filled: bool,
}

impl<P: Position> Line<P> {
    /// Starts from a position without history. Such a line packs inputs that show the current position only.
    pub fn new(position: P) -> Self {
        Self::keeping(position, 0)
    }

    /// Starts from a position without history, and stores as many positions as `layout` shows.
    pub fn for_input(position: P, layout: &InputLayout) -> Self {
        Self::keeping(position, layout.steps() - 1)
    }

    fn keeping(position: P, keep: usize) -> Self {
        let keys = vec![position.repetition_key()];
        Self { position, keys, earlier: Vec::with_capacity(keep), keep, ratings: [None; 2], is_filled: false }
    }

    /// Makes room for the keys of this number of plies.
    pub(crate) fn reserve(&mut self, plies: usize) {
        self.keys.reserve(plies);
    }

    /// The same line between players of these ratings, the first player's first.
    pub fn rated(self, ratings: [Option<i32>; 2]) -> Self {
        Self { ratings, ..self }
    }

    /// The same line with missing history as [`Position::pack_in_play`] makes it up.
    pub fn filled(self, is_filled: bool) -> Self {
        Self { is_filled, ..self }
    }

    /// The current position.
    pub fn position(&self) -> &P {
        &self.position
    }

    /// The stored positions before the current one, the latest first.
    pub fn earlier(&self) -> &[Earlier<P>] {
        &self.earlier
    }

    /// The repetition key of the current position.
    pub fn key(&self) -> u64 {
        *self.keys.last().expect("a line holds its start")
    }

    /// The keys of all positions, the current one's last.
    pub fn into_keys(self) -> Vec<u64> {
        self.keys
    }

    /// How often the position after a legal move occurred before in this line, at most 255.
    pub fn repetitions_after(&self, mv: P::Move) -> u8 {
        let key = self.position.clone().play_with_key(mv, self.key());
        self.keys.iter().filter(|&&before| before == key).count().min(255) as u8
    }

    /// Plies played so far.
    pub fn plies(&self) -> usize {
        self.keys.len() - 1
    }

    /// Plays a legal move. May panic if `mv` is not legal here.
    pub fn play(&mut self, mv: P::Move) {
        if self.keep > 0 {
            let past = Earlier { position: self.position.clone(), repetitions: self.repetitions() };
            self.earlier.truncate(self.keep - 1);
            self.earlier.insert(0, past);
        }
        let key = self.position.play_with_key(mv, self.key());
        self.keys.push(key);
    }

    /// How often the current position occurred before in this line, at most 255.
    pub fn repetitions(&self) -> u8 {
        let (current, before) = self.keys.split_last().expect("a line holds its start");
        before.iter().filter(|&key| key == current).count().min(255) as u8
    }

    /// Writes the packed row of the current position, [`InputLayout::row_bytes`] bytes. Panics if the row has another
    /// size, or the line was not created for an input with this much history ([`Line::for_input`]): the row would be
    /// wrong.
    pub fn pack(&self, layout: &InputLayout, out: &mut [u8]) {
        let wanted = layout.steps() - 1;
        assert!(wanted <= self.keep, "{} shows {wanted} earlier positions, kept are {}", layout.name.name(), self.keep);
        let pack = if self.is_filled { P::pack_in_play } else { P::pack_after };
        pack(&self.position, &self.earlier[..wanted.min(self.earlier.len())], layout.name, self.repetitions(), out);
        let [first, second] = self.ratings;
        let from_mover = if self.position.side_to_move() == Side::First { [first, second] } else { [second, first] };
        layout.ratings_of(out).iter_mut().zip(from_mover).for_each(|(byte, rating)| *byte = ratings::byte(rating));
    }
}
