//! Finding room for labels.

/// About how wide a character of a label is, and how high a line.
const CHARACTER: f64 = 7.4;
const LINE: f64 = 13.0;

/// How wide a text is, roughly.
pub(super) fn width(text: &str) -> f64 {
    CHARACTER * text.chars().count() as f64
}

/// A text that is not wider than `room`; its end is left out where it would be.
pub(super) fn fitted(text: &str, room: f64) -> String {
    let most = (room / CHARACTER).floor().max(1.0) as usize;
    match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

/// Spreads the labels of a column: heights in their order, each at least a line from the next and as near to the wanted height
/// as that allows, between `top` and `bottom` if there is room for all.
pub(super) fn spread(wanted: &[f64], top: f64, bottom: f64) -> Vec<f64> {
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
    places
}

/// A box: left, top, right, bottom.
pub(super) type Area = (f64, f64, f64, f64);

/// Where a label beside a point finds room.
pub(super) struct Placed {
    pub(super) at: (f64, f64),
    /// Whether it is so far off that a line should lead to it.
    pub(super) far: bool,
}

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
    pub(super) fn keep_off(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        self.taken.push((x1.min(x2) - 2.0, y1.min(y2) - 2.0, x1.max(x2) + 2.0, y1.max(y2) + 2.0));
    }

    pub(super) fn place(&mut self, (x, y): (f64, f64), text: &str) -> Placed {
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
        let distances = [10.0, 18.0, 28.0, 40.0, 56.0, 74.0];
        let candidates = distances.into_iter().flat_map(|off| around(off).map(|at| (at, off)));
        let area = |(left, base): (f64, f64)| (left, base - LINE + 3.0, left + width, base + 3.0);
        let free = candidates.into_iter().find(|&(at, _)| self.has_room(area(at)));
        let (at, off) = free.unwrap_or(((x + 10.0, y + 4.0), 10.0));
        self.taken.push(area(at));
        Placed { at, far: off > 20.0 }
    }

    fn has_room(&self, (left, top, right, bottom): Area) -> bool {
        let inside = left >= self.edge.0 && top >= self.edge.1 && right <= self.edge.2 && bottom <= self.edge.3;
        let touches = |other: &Area| left < other.2 && right > other.0 && top < other.3 && bottom > other.1;
        inside && !self.taken.iter().any(touches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_in_a_column_keep_a_line_between_them() {
        assert_eq!(spread(&[50.0, 10.0], 0.0, 100.0), [50.0, 10.0]);
        assert_eq!(spread(&[50.0, 51.0, 52.0], 0.0, 100.0), [50.0, 63.0, 76.0]);
        assert_eq!(spread(&[99.0, 98.0], 0.0, 100.0), [100.0, 87.0]);
    }

    #[test]
    fn what_does_not_fit_is_cut() {
        assert_eq!(
            (fitted("shaw", width("shaw")), fitted("shaw", width("sha"))),
            ("shaw".to_owned(), "sh…".to_owned())
        );
    }

    #[test]
    fn labels_beside_points_do_not_touch() {
        let points = [(50.0, 50.0), (52.0, 52.0), (54.0, 50.0)];
        let mut labels = Labels::new((0.0, 0.0, 400.0, 400.0), &points);
        let areas: Vec<Area> = points
            .iter()
            .map(|&point| {
                let placed = labels.place(point, "encoding");
                (placed.at.0, placed.at.1 - 10.0, placed.at.0 + width("encoding"), placed.at.1)
            })
            .collect();
        for (i, a) in areas.iter().enumerate() {
            for b in &areas[..i] {
                assert!(a.0 >= b.2 || b.0 >= a.2 || a.1 >= b.3 || b.1 >= a.3, "{a:?} {b:?}");
            }
        }
    }
}
