//! The signal of a layer's heads by the piece on one of the two squares, summed over positions.
//!
//! Terms that depend on the content of squares differ from piece to piece: what a head adds for a key on which a bishop stands
//! can follow the bishop's diagonals, and the mean over all keys shows nothing of it. Of every query its mean over keys is
//! taken off first, because the softmax does not see it.

use super::displacement::{Displacements, Profile};
use games::{Frame, GameKind, with_game};
use records::inspected::{End, Occupant};
use tch::{Device, Kind, TchError, Tensor};

/// A piece is looked at if it stood on this many squares of the positions.
pub const LEAST_SEEN: usize = 30;

/// Which piece stands on each square of some positions, `[b,n,pieces]`, f64, 0 or 1. Empty squares have no piece.
#[derive(Debug)]
pub(super) struct Occupants {
    one_hot: Tensor,
    /// The displacement of each pair of squares, `[n·n]`, i64.
    classes: Tensor,
    displacements: i64,
}

/// Sums over positions and pairs of squares, by end, piece and displacement.
#[derive(Debug)]
pub(super) struct OccupantSums {
    /// For queries and for keys.
    ends: [EndSums; 2],
}

/// Those with the piece on one end of the pair.
#[derive(Debug)]
struct EndSums {
    /// Of the signal and of its squares, `[h,pieces,displacements]`.
    sums: Tensor,
    squares: Tensor,
    pairs: Tensor,
    /// Squares with the piece, `[pieces]`.
    seen: Tensor,
}

const ENDS: [End; 2] = [End::Query, End::Key];

impl Occupants {
    /// The pieces of packed rows, of which the first bytes are the piece codes of the board.
    pub(super) fn of(board: &Displacements, packed: &Tensor, pieces: usize) -> Result<Self, TchError> {
        let squares = board.geometry().squares();
        let codes = packed.f_narrow(1, 0, squares as i64)?.f_to_kind(Kind::Int64)?;
        let one_hot = codes.f_one_hot(1 + pieces as i64)?.f_narrow(2, 1, pieces as i64)?.f_to_kind(Kind::Double)?;
        let classes: Vec<i64> = board.places().map(|place| place as i64).collect();
        let classes = Tensor::f_from_slice(&classes)?.f_to_device(packed.device())?;
        Ok(Self { one_hot, classes, displacements: board.steps.len() as i64 })
    }

    /// The sums of a signal `[b,h,n,n]`, query by key.
    pub(super) fn sums(&self, signal: &Tensor) -> OccupantSums {
        let off = signal - signal.mean_dim(-1, true, Kind::Double);
        let squares = off.square();
        OccupantSums { ends: ENDS.map(|end| self.of_end(end, &off, &squares)) }
    }

    fn of_end(&self, end: End, off: &Tensor, squares: &Tensor) -> EndSums {
        let [_, n, pieces] = self.one_hot.size3().map(|(b, n, k)| [b, n, k]).expect("three dimensions");
        let heads = off.size()[1];
        let on_square = self.one_hot.permute([1, 0, 2]);
        // With the end's square first, one product for each square adds up the positions in which a piece stands there.
        let by_piece = |map: &Tensor| {
            let (order, back): ([i64; 4], [i64; 4]) = match end {
                End::Query => ([2, 1, 3, 0], [1, 3, 0, 2]),
                End::Key => ([3, 1, 2, 0], [1, 3, 2, 0]),
            };
            let summed = map.permute(order).reshape([n, heads * n, -1]).bmm(&on_square);
            self.by_displacement(&summed.view([n, heads, n, pieces]).permute(back).reshape([heads, pieces, n * n]))
        };
        let seen_kn = self.one_hot.sum_dim_intlist(0, false, Kind::Double).transpose(0, 1);
        let of_pairs = match end {
            End::Query => seen_kn.unsqueeze(2),
            End::Key => seen_kn.unsqueeze(1),
        };
        let pairs = self.by_displacement(&of_pairs.expand([pieces, n, n], false).reshape([pieces, n * n]));
        EndSums {
            sums: by_piece(off),
            squares: by_piece(squares),
            pairs,
            seen: seen_kn.sum_dim_intlist(1, false, Kind::Double),
        }
    }

    fn by_displacement(&self, of_pairs: &Tensor) -> Tensor {
        let mut shape = of_pairs.size();
        *shape.last_mut().expect("pairs") = self.displacements;
        Tensor::zeros(&shape, (Kind::Double, of_pairs.device())).index_add(-1, &self.classes, of_pairs)
    }
}

impl OccupantSums {
    pub(super) fn add(&mut self, other: Self) {
        for (own, other) in self.ends.iter_mut().zip(other.ends) {
            own.sums += other.sums;
            own.squares += other.squares;
            own.pairs += other.pairs;
            own.seen += other.seen;
        }
    }

    /// For each head, the profiles of the pieces that were seen often enough.
    pub(super) fn profiles(
        &self,
        board: &Displacements,
        names: &[String],
    ) -> Result<Vec<Vec<(Occupant, Profile)>>, TchError> {
        let heads = self.ends[0].sums.size()[0];
        let mut found: Vec<Vec<_>> = (0..heads).map(|_| Vec::new()).collect();
        for (end, sums) in ENDS.into_iter().zip(&self.ends) {
            let seen = numbers(&sums.seen)?;
            for (piece, name) in names.iter().enumerate().filter(|&(piece, _)| seen[piece] >= LEAST_SEEN as f64) {
                let pairs = numbers(&sums.pairs.f_get(piece as i64)?)?;
                for (head, of_head) in found.iter_mut().enumerate() {
                    let of = |sums: &Tensor| numbers(&sums.f_get(head as i64)?.f_get(piece as i64)?);
                    let profile = board.profile_of_sums(pairs.clone(), &of(&sums.sums)?, &of(&sums.squares)?);
                    of_head.push((Occupant { on: end, piece: name.clone(), seen: seen[piece] as usize }, profile));
                }
            }
        }
        Ok(found)
    }
}

/// The pieces of a game in the order of their codes, as a network with this view of the board sees them.
pub fn piece_names(game: GameKind, frame: Frame) -> Vec<String> {
    let owners = match frame {
        Frame::FirstPlayer => ["first player's", "second player's"],
        _ => ["own", "opponent's"],
    };
    let kinds = with_game!(game, G => G::PIECES.to_vec());
    owners
        .iter()
        .flat_map(|owner| kinds.iter().map(move |kind| format!("{owner} {}", kind.replace('_', " "))))
        .collect()
}

fn numbers(tensor: &Tensor) -> Result<Vec<f64>, TchError> {
    Vec::try_from(tensor.f_to_device(Device::Cpu)?.f_contiguous()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permutation::test;
    use crate::relation::Relation;
    use crate::significance::{Tested, name, permutations};
    use records::inspected::{HeadRecord, Signal};
    use streams::{Stream, below, normal, stream};

    const POSITIONS: usize = 40;
    const HEADS: usize = 2;

    /// Boards on which three squares in four have a piece.
    fn boards(board: &Displacements, pieces: usize, draws: &mut Stream) -> Vec<Vec<u8>> {
        let mut code = |_| if below(draws, 4) > 0 { 1 + below(draws, pieces as u64) as u8 } else { 0 };
        (0..POSITIONS).map(|_| (0..board.geometry().squares()).map(&mut code).collect()).collect()
    }

    fn occupants(board: &Displacements, boards: &[Vec<u8>], pieces: usize) -> Occupants {
        let packed = Tensor::from_slice(&boards.concat()).view([boards.len() as i64, -1]);
        Occupants::of(board, &packed, pieces).expect("LibTorch")
    }

    fn tensor(signal: &[f64], squares: usize) -> Tensor {
        let squares = squares as i64;
        Tensor::from_slice(signal).view([-1, HEADS as i64, squares, squares])
    }

    #[test]
    fn profiles_are_the_means_over_pairs_with_the_piece() {
        // Boards of 5 × 5 have too few of each piece.
        for game in [GameKind::Chess, GameKind::Shogi] {
            let (board, names) = (Displacements::of(game.geometry()), piece_names(game, Frame::SideToMove));
            let squares = board.geometry().squares();
            let draws = &mut stream(1, &["occupants", game.name()]);
            let boards = boards(&board, names.len(), draws);
            let signal: Vec<f64> = (0..POSITIONS * HEADS * squares * squares).map(|_| normal(draws)).collect();
            let half = POSITIONS / 2;
            let part = |from: usize, to: usize| {
                let signal = &signal[from * HEADS * squares * squares..to * HEADS * squares * squares];
                occupants(&board, &boards[from..to], names.len()).sums(&tensor(signal, squares))
            };
            let mut sums = part(0, half);
            sums.add(part(half, POSITIONS));
            let found = sums.profiles(&board, &names).expect("LibTorch");
            assert!(found.iter().all(|of_head| of_head.len() == 2 * names.len()), "{game:?}");
            for (head, of_head) in found.iter().enumerate() {
                for (occupant, profile) in of_head {
                    let code = 1 + names.iter().position(|name| *name == occupant.piece).expect("a piece") as u8;
                    let mut expected = vec![(0.0, 0.0); board.steps.len()];
                    for (position, codes) in boards.iter().enumerate() {
                        for query in 0..squares {
                            let start = ((position * HEADS + head) * squares + query) * squares;
                            let row = &signal[start..start + squares];
                            let mean = row.iter().sum::<f64>() / squares as f64;
                            for (key, value) in row.iter().enumerate() {
                                let square = if occupant.on == End::Query { query } else { key };
                                if codes[square] == code {
                                    let (sum, pairs) = &mut expected[board.place(query, key)];
                                    *sum += value - mean;
                                    *pairs += 1.0;
                                }
                            }
                        }
                    }
                    for ((mean, pairs), (sum, number)) in profile.means.iter().zip(&profile.pairs).zip(expected) {
                        assert_eq!(*pairs, number);
                        assert!((mean * number - sum).abs() < 1e-9 * number.max(1.0));
                    }
                }
            }
        }
    }

    /// The first head adds 1 where a bishop of the side to move on the key could move to the query; all else is noise.
    #[test]
    fn what_a_head_sees_of_one_piece_is_named() {
        for game in GameKind::ALL {
            let (board, names) = (Displacements::of(game.geometry()), piece_names(game, Frame::SideToMove));
            let squares = board.geometry().squares();
            let draws = &mut stream(2, &["occupants", game.name()]);
            let boards = boards(&board, names.len(), draws);
            let bishop = 1 + names.iter().position(|name| name == "own bishop").expect("a bishop") as u8;
            let mut signal = Vec::new();
            for codes in &boards {
                for head in 0..HEADS {
                    for pair in 0..squares * squares {
                        let step = board.steps[board.place(pair / squares, pair % squares)];
                        let sees = head == 0 && codes[pair % squares] == bishop && Relation::Bishop.contains(step);
                        signal.push(f64::from(u8::from(sees)) + normal(draws));
                    }
                }
            }
            let sums = occupants(&board, &boards, names.len()).sums(&tensor(&signal, squares));
            let found = sums.profiles(&board, &names).expect("LibTorch");
            let subjects: Vec<_> =
                found.into_iter().enumerate().flat_map(|(head, of)| of.into_iter().map(move |of| (head, of))).collect();
            let permutations = permutations(subjects.len(), 0.01);
            let tested = |(head, (occupant, profile)): (usize, (Occupant, Profile))| {
                let test = test(&board, &profile, Relation::of(game), permutations, draws);
                Tested { layer: 0, head, signal: Signal::Position, occupant: Some(occupant), profile, test }
            };
            let tested: Vec<Tested> = subjects.into_iter().map(tested).collect();
            let named = name(&tested, 0.01, &[]);
            let named: Vec<(usize, String)> =
                named.iter().filter_map(|record: &HeadRecord| Some((record.head, record.piece_movement()?))).collect();
            assert_eq!(named, [(0, "own bishop on the key: bishop".to_owned())], "{game:?}");
        }
    }
}
