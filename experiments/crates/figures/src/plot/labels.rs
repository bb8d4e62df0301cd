//! Finding room for labels.

/// About how wide a character of a label is, and how high a line.
const CHARACTER: f64 = 7.4;
pub(super) const LINE: f64 = 13.0;

/// How wide a text is, roughly.
pub(super) fn width(text: &str) -> f64 {
    CHARACTER * text.chars().count() as f64
}

/// A text that is not wider than `room`; its end is left out where it would be.
pub(super) fn fitted(text: &str, room: f64) -> String {
    let most = (room / CHARACTER).floor().max(1.0) as usize;
    if text.chars().count() > most { text.chars().take(most - 1).chain(['…']).collect() } else { text.to_owned() }
}

const MOST_LINES: usize = 6;

/// A text in lines that are not wider than `room`, broken at spaces but not around ×; a wider word is cut.
pub(super) fn wrapped(text: &str, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.replace(" × ", "\u{a0}×\u{a0}").split(' ') {
        let word = &word.replace('\u{a0}', " ");
        let longer = lines.last().map(|line| format!("{line} {word}")).filter(|longer| width(longer) <= room);
        let is_full = lines.len() == MOST_LINES;
        match (longer, lines.last_mut()) {
            (Some(longer), Some(line)) => *line = longer,
            _ if is_full => break,
            _ => lines.push(fitted(word, room)),
        }
    }
    lines
}

/// Spreads the labels of a column: heights in their order, each at least a line from the next and as near to the wanted height
/// as that allows, between `top` and `bottom`. None without room for all.
pub(super) fn spread(wanted: &[f64], top: f64, bottom: f64) -> Option<Vec<f64>> {
    if LINE * wanted.len().saturating_sub(1) as f64 > bottom - top {
        return None;
    }
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    let mut places = vec![0.0; wanted.len()];
    let mut next = top;
    for &i in &order {
        places[i] = wanted[i].max(next);
        next = places[i] + LINE;
    }
    let mut last = bottom;
    for &i in order.iter().rev() {
        places[i] = places[i].min(last);
        last = places[i] - LINE;
    }
    Some(places)
}

/// A box: left, top, right, bottom.
pub(super) type Area = (f64, f64, f64, f64);

/// Where a label beside a point finds room.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) at: (f64, f64),
    /// Whether it is so far off that a line should lead to it.
    pub(super) far: bool,
}

/// The distances of labels from their points, the preferred first.
const DISTANCES: [f64; 8] = [10.0, 18.0, 28.0, 40.0, 56.0, 74.0, 94.0, 116.0];

/// Places labels beside points one after the other, where they touch neither each other nor a point nor the edge.
pub(super) struct Labels {
    taken: Vec<Area>,
    edge: Area,
}

impl Labels {
    pub(super) fn new(edge: Area, points: &[(f64, f64)]) -> Self {
        let taken = points.iter().map(|&(x, y)| (x - 6.0, y - 6.0, x + 6.0, y + 6.0)).collect();
        Self { taken, edge }
    }

    /// Keeps labels off a line between two points, upright or level.
    pub(super) fn reserve(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        self.taken.push((x1.min(x2) - 2.0, y1.min(y2) - 2.0, x1.max(x2) + 2.0, y1.max(y2) + 2.0));
    }

    /// The place of a label; none without room.
    pub(super) fn place(&mut self, (x, y): (f64, f64), text: &str) -> Option<Placed> {
        let width = width(text);
        let around = |off: f64| {
            [
                (x + off, y + 4.0),
                (x - off - width, y + 4.0),
                (x - width / 2.0, y - off),
                (x - width / 2.0, y + off + 7.0),
                (x + off * 0.7, y - off * 0.7),
                (x + off * 0.7, y + off * 0.7 + 7.0),
                (x - off * 0.7 - width, y - off * 0.7),
                (x - off * 0.7 - width, y + off * 0.7 + 7.0),
            ]
        };
        let mut candidates = DISTANCES.into_iter().flat_map(|off| around(off).map(|at| (at, off)));
        let (at, off) = candidates.find(|&(at, _)| self.has_room(area(at, width)))?;
        self.taken.push(area(at, width));
        Some(Placed { at, far: off > 20.0 })
    }

    fn has_room(&self, (left, top, right, bottom): Area) -> bool {
        let inside = left >= self.edge.0 && top >= self.edge.1 && right <= self.edge.2 && bottom <= self.edge.3;
        let touches = |other: &Area| left < other.2 && right > other.0 && top < other.3 && bottom > other.1;
        inside && !self.taken.iter().any(touches)
    }
}

/// The box of a label by the left end of its baseline.
fn area((left, base): (f64, f64), width: f64) -> Area {
    (left, base - LINE + 3.0, left + width, base + 3.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    const EDGE: Area = (0.0, 0.0, 400.0, 320.0);

    fn overlap(a: Area, b: Area) -> bool {
        a.0 < b.2 && b.0 < a.2 && a.1 < b.3 && b.1 < a.3
    }

    proptest! {
        #[test]
        fn placed_labels_touch_neither_each_other_nor_points_nor_the_edge(
            points in vec(((0.0..400.0_f64, 0.0..320.0_f64), "[a-z(), ×0-9]{1,40}"), 1..24)
        ) {
            let places: Vec<(f64, f64)> = points.iter().map(|(at, _)| *at).collect();
            let mut labels = Labels::new(EDGE, &places);
            let placed = points.iter().filter_map(|(at, text)| Some(area(labels.place(*at, text)?.at, width(text))));
            let areas: Vec<Area> = placed.collect();
            for (i, &a) in areas.iter().enumerate() {
                prop_assert!(a.0 >= EDGE.0 && a.1 >= EDGE.1 && a.2 <= EDGE.2 && a.3 <= EDGE.3, "{a:?}");
                prop_assert!(!areas[..i].iter().any(|&b| overlap(a, b)), "{areas:?}");
                prop_assert!(!places.iter().any(|&(x, y)| overlap(a, (x - 5.0, y - 5.0, x + 5.0, y + 5.0))), "{a:?}");
            }
        }

        #[test]
        fn labels_in_a_column_keep_a_line_between_them_and_stay_inside(wanted in vec(-50.0..400.0_f64, 1..40)) {
            let Some(mut places) = spread(&wanted, 10.0, 290.0) else {
                prop_assert!(wanted.len() > 22);
                return Ok(());
            };
            places.sort_by(f64::total_cmp);
            prop_assert!(places[0] >= 10.0 - 1e-9 && places[places.len() - 1] <= 290.0 + 1e-9, "{places:?}");
            prop_assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= LINE - 1e-9), "{places:?}");
        }
    }

    #[test]
    fn labels_in_a_column_are_near_their_wanted_heights() {
        assert_eq!(spread(&[50.0, 10.0], 0.0, 100.0), Some(vec![50.0, 10.0]));
        assert_eq!(spread(&[50.0, 51.0, 52.0], 0.0, 100.0), Some(vec![50.0, 63.0, 76.0]));
        assert_eq!(spread(&[99.0, 98.0], 0.0, 100.0), Some(vec![100.0, 87.0]));
        assert_eq!(spread(&[1.0, 2.0, 3.0], 0.0, 20.0), None);
    }

    #[test]
    fn what_does_not_fit_is_cut() {
        assert_eq!(["shaw", "sha"].map(|room| fitted("shaw", width(room))), ["shaw", "sh…"]);
    }

    #[test]
    fn lines_break_at_spaces() {
        let room = width("relative bias,");
        let lines = ["relative bias,", "steps 750,", "width 48"];
        assert_eq!(wrapped("relative bias, steps 750, width 48", room), lines);
        assert_eq!(wrapped("absolutely_everything, x", room), ["absolutely_ev…", "x"]);
        assert_eq!(wrapped("Shaw q,k", room), ["Shaw q,k"]);
        assert_eq!(wrapped("log buckets, rate × 64", width("log buckets, rate ×")), ["log buckets,", "rate × 64"]);
    }

    #[test]
    fn three_close_points_find_room_for_their_labels() {
        let points = [(50.0, 50.0), (52.0, 52.0), (54.0, 50.0)];
        let mut labels = Labels::new((0.0, 0.0, 400.0, 400.0), &points);
        assert!(points.iter().all(|&point| labels.place(point, "encoding").is_some()));
        assert!(labels.place(points[0], &"wide ".repeat(20)).is_none(), "it is wider than the plot");
    }
}
