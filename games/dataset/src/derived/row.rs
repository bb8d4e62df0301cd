//! A row as bytes: fixed fields, then those columns that it has.

use crate::loader::{GameStart, StoredGame, StoredPolicy};
use games::{Game, GameKind, GameResult, MoveText, Position as _, Termination, with_game};

/// The columns of a row, as bits.
mod bit {
    pub(super) const START_TEXT: u16 = 1;
    pub(super) const START_COMPACT: u16 = 1 << 1;
    /// Moves in 16 bits instead of a text.
    pub(super) const MOVE_CODES: u16 = 1 << 2;
    pub(super) const VALUE: u16 = 1 << 3;
    pub(super) const DRAW: u16 = 1 << 4;
    pub(super) const SEEN: u16 = 1 << 5;
    pub(super) const USED: u16 = 1 << 6;
    pub(super) const POLICY: u16 = 1 << 7;
    pub(super) const POLICY_CODES: u16 = 1 << 8;
    pub(super) const MEAN_RESULT: u16 = 1 << 9;
    pub(super) const MAP: u16 = 1 << 10;
    pub(super) const BUCKET: u16 = 1 << 11;
    pub(super) const FIRST_RATING: u16 = 1 << 12;
    pub(super) const SECOND_RATING: u16 = 1 << 13;
    pub(super) const CLUSTER: u16 = 1 << 14;
}

/// Appends a row; `bucket` is the place of its rating bucket in the index.
pub(super) fn encode(game: &StoredGame, kind: GameKind, bucket: Option<u16>, out: &mut Vec<u8>) {
    let codes: Option<Vec<u16>> = game.moves.split(' ').map(|text| MoveText::from(text).code(kind)).collect();
    let candidates: Option<Vec<u16>> =
        game.policy.as_ref().and_then(|policy| policy.moves.iter().map(|text| text.code(kind)).collect());
    let start = compact_start(&game.start, kind);
    let is_unknown = |value: &f32| value.to_bits() == f32::NAN.to_bits();
    let [first, second] = game.ratings;
    let columns = [
        (matches!(start, GameStart::Text(_)), bit::START_TEXT),
        (matches!(start, GameStart::Compact(_)), bit::START_COMPACT),
        (codes.is_some(), bit::MOVE_CODES),
        (!game.value.iter().all(is_unknown), bit::VALUE),
        (!game.draw.is_empty(), bit::DRAW),
        (!game.seen_in_train.is_empty(), bit::SEEN),
        (game.used.is_some(), bit::USED),
        (game.policy.is_some(), bit::POLICY),
        (candidates.is_some(), bit::POLICY_CODES),
        (!game.mean_result.is_empty(), bit::MEAN_RESULT),
        (!game.map.is_empty(), bit::MAP),
        (bucket.is_some(), bit::BUCKET),
        (first.is_some(), bit::FIRST_RATING),
        (second.is_some(), bit::SECOND_RATING),
        (game.cluster != game.id, bit::CLUSTER),
    ];
    let columns = columns.into_iter().filter(|(is_there, _)| *is_there).fold(0, |bits, (_, bit)| bits | bit);
    out.extend(game.id.to_le_bytes());
    out.extend(game.plies.to_le_bytes());
    out.extend(columns.to_le_bytes());
    out.push(place(&GameResult::ALL, game.result));
    out.push(place(&Termination::ALL, game.termination));
    out.extend(game.policy_from_ply.to_le_bytes());
    match &start {
        GameStart::Standard => {}
        GameStart::Text(text) => put_long(text.as_bytes(), out),
        GameStart::Compact(bytes) => put_long(bytes, out),
    }
    match codes {
        Some(codes) => out.extend(codes.iter().flat_map(|code| code.to_le_bytes())),
        None => put_long(game.moves.as_bytes(), out),
    }
    if columns & bit::VALUE != 0 {
        put_numbers(&game.value, out);
    }
    put_numbers(&game.draw, out);
    put_marks(&game.seen_in_train, out);
    put_marks(game.used.as_deref().unwrap_or_default(), out);
    if let Some(policy) = &game.policy {
        out.extend(policy.counts.iter().flat_map(|count| count.to_le_bytes()));
        match candidates {
            Some(codes) => out.extend(codes.iter().flat_map(|code| code.to_le_bytes())),
            None => policy.moves.iter().for_each(|text| put_long(text.as_bytes(), out)),
        }
        put_numbers(&policy.probabilities, out);
    }
    put_numbers(&game.mean_result, out);
    if let Some(bucket) = bucket {
        out.extend(bucket.to_le_bytes());
    }
    out.extend(game.ratings.iter().flatten().flat_map(|rating| rating.to_le_bytes()));
    if columns & bit::CLUSTER != 0 {
        out.extend(game.cluster.to_le_bytes());
    }
    if columns & bit::MAP != 0 {
        let labels: Vec<u8> = game.map.iter().map(|&label| label as u8).collect();
        put_long(&labels, out);
    }
}

/// The start in few bytes, if the position writes the same text.
fn compact_start(start: &GameStart, kind: GameKind) -> GameStart {
    let GameStart::Text(text) = start else { return start.clone() };
    let compact = with_game!(kind, G => compact::<G>(text));
    compact.map_or_else(|| start.clone(), |bytes| GameStart::Compact(bytes.into_boxed_slice()))
}

fn compact<G: Game>(text: &str) -> Option<Vec<u8>> {
    let position = G::Position::parse(text).ok()?;
    (position.to_text() == text).then(|| position.compact()).flatten()
}

fn place<T: PartialEq>(all: &[T], one: T) -> u8 {
    all.iter().position(|known| *known == one).unwrap_or(all.len()) as u8
}

fn put_long(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend((bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(bytes);
}

fn put_numbers(numbers: &[f32], out: &mut Vec<u8>) {
    out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn put_marks(marks: &[bool], out: &mut Vec<u8>) {
    out.extend(marks.chunks(8).map(|marks| marks.iter().rev().fold(0u8, |bits, &mark| bits << 1 | u8::from(mark))));
}

/// Reads a row; an error names the invalid part.
pub(super) fn decode(bytes: &[u8], kind: GameKind, buckets: usize) -> Result<StoredGame, &'static str> {
    let mut rest = Bytes(bytes);
    let id = u32::from_le_bytes(rest.array("id")?);
    let plies = u16::from_le_bytes(rest.array("plies")?);
    let columns = u16::from_le_bytes(rest.array("columns")?);
    let [result, termination] = rest.array::<2>("result")?;
    let policy_from_ply = u16::from_le_bytes(rest.array("policy_from_ply")?);
    let has = |column: u16| columns & column != 0;
    let count = |column: u16| if has(column) { usize::from(plies) } else { 0 };
    let start = match (has(bit::START_TEXT), has(bit::START_COMPACT)) {
        (false, false) => GameStart::Standard,
        (true, _) => GameStart::Text(rest.text("start")?),
        (false, true) => GameStart::Compact(rest.long("start")?.into()),
    };
    let moves = match has(bit::MOVE_CODES) {
        true => MoveText::line(&rest.codes(plies.into(), kind, "moves")?).into_boxed_str(),
        false => rest.text("moves")?,
    };
    let value = match has(bit::VALUE) {
        true => rest.numbers(plies.into(), "value")?,
        false => std::iter::repeat_n(f32::NAN, plies.into()).collect(),
    };
    let draw = rest.numbers(count(bit::DRAW), "draw")?;
    let seen_in_train = rest.marks(count(bit::SEEN), "seen_in_train")?;
    let used = if has(bit::USED) { Some(rest.marks(plies.into(), "used")?) } else { None };
    let policy = match has(bit::POLICY) {
        true => Some(Box::new(rest.policy(plies.into(), has(bit::POLICY_CODES), kind)?)),
        false => None,
    };
    let mean_result = rest.numbers(count(bit::MEAN_RESULT), "mean_result")?;
    // The index has the buckets of all rows; a row only must not name another one.
    if has(bit::BUCKET) && usize::from(u16::from_le_bytes(rest.array("rating_bucket")?)) >= buckets {
        return Err("rating_bucket");
    }
    let mut rating = |column| match has(column) {
        true => rest.array("ratings").map(|bytes| Some(i32::from_le_bytes(bytes))),
        false => Ok(None),
    };
    let ratings = [rating(bit::FIRST_RATING)?, rating(bit::SECOND_RATING)?];
    let cluster = if has(bit::CLUSTER) { u32::from_le_bytes(rest.array("cluster")?) } else { id };
    let map = if has(bit::MAP) { rest.long("map")? } else { &[] };
    if !has(bit::MOVE_CODES) && moves.split_ascii_whitespace().count() != usize::from(plies) {
        return Err("moves");
    }
    if !map.len().is_multiple_of(usize::from(plies).max(1)) {
        return Err("map");
    }
    if !rest.0.is_empty() {
        return Err("length");
    }
    let positions = used.as_ref().map_or(plies.into(), |used| used.iter().filter(|&&used| used).count() as u32);
    Ok(StoredGame {
        id,
        cluster,
        start,
        moves,
        plies,
        result: *GameResult::ALL.get(usize::from(result)).ok_or("result")?,
        termination: *Termination::ALL.get(usize::from(termination)).ok_or("termination")?,
        policy_from_ply,
        value,
        draw,
        targets: None,
        seen_in_train,
        used,
        positions,
        policy,
        mean_result,
        ratings,
        map: map.iter().map(|&label| label as i8).collect(),
    })
}

/// Bytes that are still to be read.
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], &'static str> {
        self.0.split_off(..count).ok_or(what)
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], &'static str> {
        let (array, rest) = self.0.split_first_chunk().ok_or(what)?;
        self.0 = rest;
        Ok(*array)
    }

    /// Bytes that stand after their number, a `u32`.
    pub(super) fn long(&mut self, what: &'static str) -> Result<&'a [u8], &'static str> {
        let count = u32::from_le_bytes(self.array(what)?);
        self.take(count as usize, what)
    }

    fn text(&mut self, what: &'static str) -> Result<Box<str>, &'static str> {
        str::from_utf8(self.long(what)?).map(Box::from).map_err(|_| what)
    }

    fn numbers(&mut self, count: usize, what: &'static str) -> Result<Box<[f32]>, &'static str> {
        let (numbers, _) = self.take(4 * count, what)?.as_chunks::<4>();
        Ok(numbers.iter().map(|&number| f32::from_le_bytes(number)).collect())
    }

    fn marks(&mut self, count: usize, what: &'static str) -> Result<Box<[bool]>, &'static str> {
        let bits = self.take(count.div_ceil(8), what)?;
        Ok((0..count).map(|i| bits[i / 8] >> (i % 8) & 1 == 1).collect())
    }

    fn codes(&mut self, count: usize, kind: GameKind, what: &'static str) -> Result<Vec<MoveText>, &'static str> {
        let (codes, _) = self.take(2 * count, what)?.as_chunks::<2>();
        codes.iter().map(|&code| MoveText::of_code(u16::from_le_bytes(code), kind).ok_or(what)).collect()
    }

    fn policy(&mut self, plies: usize, coded: bool, kind: GameKind) -> Result<StoredPolicy, &'static str> {
        let what = "policy";
        let (counts, _) = self.take(2 * plies, what)?.as_chunks::<2>();
        let counts: Box<[u16]> = counts.iter().map(|&count| u16::from_le_bytes(count)).collect();
        let count: usize = counts.iter().copied().map(usize::from).sum();
        let moves = match coded {
            true => self.codes(count, kind, what)?,
            false => (0..count).map(|_| Ok(MoveText::from(&*self.text(what)?))).collect::<Result<_, _>>()?,
        };
        Ok(StoredPolicy { moves: moves.into(), probabilities: self.numbers(count, what)?, counts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::Split;
    use crate::store::GameRow;

    fn plain() -> GameRow {
        GameRow {
            id: 7,
            split: Split::Validation,
            moves: "e2e4 e7e5 e1e2".to_owned(),
            plies: 3,
            result: GameResult::Draw,
            termination: Termination::Repetition,
            policy_from_ply: 1,
            value: vec![None; 3],
            ..GameRow::default()
        }
    }

    fn full() -> GameRow {
        GameRow {
            start: Some("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned()),
            value: vec![Some(0.5), None, Some(1.0)],
            draw: Some(vec![Some(0.25), None, None]),
            seen_in_train: Some(vec![true, false, true]),
            used: Some(vec![true, false, true]),
            policy: Some(vec![vec![("e2e4".to_owned(), 0.5), ("a7a8q".to_owned(), 0.5)], Vec::new(), Vec::new()]),
            mean_result: Some(vec![None, Some(0.75), Some(0.0)]),
            rating_bucket: Some("high".to_owned()),
            ratings: [Some(-1), Some(2_000)],
            map: Some(vec![vec![0, -1], vec![1, 2], vec![3, 4]]),
            ..plain()
        }
    }

    /// Every row comes back, but for the form of its start.
    fn comes_back(row: GameRow, kind: GameKind) -> usize {
        let bucket = row.rating_bucket.as_ref().map(|_| 1);
        let game = StoredGame::from(row);
        let buckets = 2;
        let mut bytes = Vec::new();
        encode(&game, kind, bucket, &mut bytes);
        let mut read = decode(&bytes, kind, buckets).expect("it was just written");
        assert_eq!(read.start.text(kind), game.start.text(kind));
        read.start = game.start.clone();
        assert_eq!(format!("{read:?}"), format!("{game:?}"));
        for length in 0..bytes.len() {
            assert!(decode(&bytes[..length], kind, buckets).is_err(), "{length} bytes");
        }
        bytes.push(0);
        assert_eq!(decode(&bytes, kind, buckets).expect_err("one more byte"), "length");
        bytes.len() - 1
    }

    #[test]
    fn rows_come_back() {
        assert_eq!(comes_back(plain(), GameKind::Chess), 12 + 3 * 2);
        comes_back(full(), GameKind::Chess);
        // Moves and starts of another form stay texts.
        comes_back(GameRow { moves: "e2e4  e7e5 O-O".to_owned(), ..full() }, GameKind::Chess);
        comes_back(GameRow { start: Some("no position".to_owned()), ..full() }, GameKind::Chess);
        let sfen = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 3";
        let row = GameRow { start: Some(sfen.to_owned()), moves: "7g7f P*5e 8h2b+".to_owned(), ..plain() };
        assert_eq!(comes_back(row, GameKind::Shogi), 12 + 4 + 36 + 3 * 2);
        let empty = GameRow { moves: String::new(), plies: 0, value: Vec::new(), ..GameRow::default() };
        comes_back(empty, GameKind::Chess);
    }
}
