//! Pictures of what position encodings do: one small board for each query square, placed at that square of a large
//! board.
//!
//! They are stored in a cell's folder as `pictures/<map>/step-<step>.png`; TensorBoard's event files include them.

pub mod board;
mod colours;
pub mod folder;
mod glyphs;
pub mod names;
mod png;

pub use folder::Folder;
pub use png::{PngError, size};

use board::Scale;
use encodings::MapKind;
use games::GameKind;

/// A picture at a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// What it shows: `<kind of map>` or `<map_kind>/layer-<number>`.
    pub map: String,
    pub step: u64,
    pub png: Vec<u8>,
}

impl Picture {
    /// Draws a map over squares, `[squares × squares]`, query by key.
    pub fn draw(
        kind: GameKind,
        (map_kind, layer): (MapKind, Option<usize>),
        step: u64,
        map: &[f64],
    ) -> Result<Self, PngError> {
        let (values, scale) = shown(map_kind, kind.geometry().squares(), map);
        let png = png::encode(&board::draw(kind, &values, &scale))?;
        let map =
            layer.map_or_else(|| map_kind.name().to_owned(), |layer| format!("{}/layer-{layer:02}", map_kind.name()));
        Ok(Self { map, step, png })
    }

    /// A description of the map.
    pub fn description(&self) -> &'static str {
        let map_kind = self.map.split('/').next().unwrap_or_default();
        MapKind::ALL.into_iter().find(|known| known.name() == map_kind).map_or("", describe)
    }
}

/// The ends of the attention scale: a power of 2 relative to uniform attention.
const ATTENTION_DOUBLINGS: f64 = 3.0;

/// The drawn values and their scale.
fn shown(map_kind: MapKind, squares: usize, map: &[f64]) -> (Vec<f64>, Scale) {
    match map_kind {
        MapKind::Embed | MapKind::Attend | MapKind::Rotate => {
            (map.to_vec(), Scale { limit: 1.0, low: "-1".to_owned(), middle: "0".to_owned(), high: "1".to_owned() })
        }
        MapKind::Logits => {
            let limit = map.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
            let (low, high) = (format!("-{}", short(limit)), short(limit));
            (map.to_vec(), Scale { limit, low, middle: "0".to_owned(), high })
        }
        MapKind::Attention => {
            let times = ATTENTION_DOUBLINGS.exp2();
            let scale = Scale {
                limit: ATTENTION_DOUBLINGS,
                low: format!("1/{times}"),
                middle: "1".to_owned(),
                high: times.to_string(),
            };
            (map.chunks(squares).flat_map(doublings).collect(), scale)
        }
    }
}

/// The attention of a query as log2 of its ratio to uniform attention.
fn doublings(weights: &[f64]) -> Vec<f64> {
    let even = weights.iter().sum::<f64>() / weights.len() as f64;
    let doubling = |weight: &f64| if even > 0.0 { (weight / even).log2() } else { 0.0 };
    weights.iter().map(doubling).collect()
}

/// A number with two significant digits.
fn short(value: f64) -> String {
    match value {
        v if v <= 0.0 => "0".to_owned(),
        v if (0.01..100.0).contains(&v) => format!("{v:.*}", usize::from(v < 10.0) + usize::from(v < 1.0)),
        v => format!("{v:.1e}"),
    }
}

const fn describe(map_kind: MapKind) -> &'static str {
    match map_kind {
        MapKind::Embed => {
            "Each small board belongs to the square at its place (dot): the cosine between the vectors that this square \
             and each other one are given after the input embedding. A vector is what comes out less what went in, the \
             mean over validation positions; tables that depend on no position are shown exactly. As the side to move sees \
             the board."
        }
        MapKind::Attend => {
            "Each small board belongs to the square at its place (dot): the cosine between the vectors that this square \
             and each other one are given at the input of queries and keys of this layer. A vector is what comes out less \
             what went in, the mean over validation positions; tables that depend on no position are shown exactly. As the \
             side to move sees the board."
        }
        MapKind::Rotate => {
            "Each small board belongs to the querying square at its place (dot): what the rotation leaves of the product \
             of a query and an equal key on each square, all channels alike, mean over heads (RoPE: the mean cosine of the \
             angles between them). Depends on no position. As the side to move sees the board."
        }
        MapKind::Logits => {
            "Each small board belongs to the querying square at its place (dot): what the encodings add to the attention \
             logit of each square, mean over heads and over validation positions (exact where it depends on no position). \
             As the side to move sees the board."
        }
        MapKind::Attention => {
            "Each small board belongs to the querying square at its place (dot): how its attention to squares is divided, \
             in multiples of an even share, mean over heads and over the same validation positions in every cell of a \
             dataset. The scale is the same in all pictures. As the side to move sees the board; of games in sequences, the \
             first board."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attention_is_drawn_in_doublings_of_an_even_share() {
        let (values, scale) = shown(MapKind::Attention, 4, &[0.1, 0.2, 0.05, 0.05]);
        assert_eq!((&scale.low[..], &scale.middle[..], &scale.high[..], scale.limit), ("1/8", "1", "8", 3.0));
        let expected = [0.0, 1.0, -1.0, -1.0];
        assert!(values.iter().zip(expected).all(|(value, expected)| (value - expected).abs() < 1e-12), "{values:?}");
        assert_eq!(doublings(&[0.0, 0.0]), [0.0, 0.0]);
    }

    #[test]
    fn numbers_are_short() {
        let cases = [(0.0, "0"), (0.256, "0.26"), (1.26, "1.3"), (12.6, "13"), (0.0012, "1.2e-3"), (4200.0, "4.2e3")];
        for (value, expected) in cases {
            assert_eq!(short(value), expected);
        }
    }

    #[test]
    fn every_map_says_what_it_shows() {
        for map_kind in MapKind::ALL {
            let map = vec![0.5; GameKind::Chess.geometry().squares().pow(2)];
            let picture = Picture::draw(GameKind::Chess, (map_kind, Some(2)), 7, &map).expect("a picture");
            assert_eq!((picture.map, picture.step), (format!("{}/layer-02", map_kind.name()), 7));
            assert!(describe(map_kind).contains("small board"));
        }
    }
}
