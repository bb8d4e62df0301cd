use super::*;

const MOVES: usize = 3;
const DEPTH: usize = 5;

/// A hand-made game: three moves in each position, five plies; the second move twice in a row mates. Values are multiples of 1/64, so
/// that sums are exact in any order.
fn evaluation(path: &[usize]) -> LeafEvaluation<usize> {
    const POINTS: [f64; 11] = [33.0, 20.0, 51.0, 44.0, 7.0, 38.0, 26.0, 60.0, 15.0, 30.0, 41.0];
    const PRIORS: [[f64; MOVES]; 4] =
        [[0.5, 0.3125, 0.1875], [0.125, 0.25, 0.625], [0.375, 0.4375, 0.1875], [0.75, 0.0625, 0.1875]];
    if path.ends_with(&[1, 1]) {
        return LeafEvaluation { moves: Vec::new(), points: 0.0 };
    }
    let number = path.iter().fold(1, |number: usize, mv| 4 * number + mv + 1);
    let moves = if path.len() == DEPTH { Vec::new() } else { PRIORS[number % 4].into_iter().enumerate().collect() };
    LeafEvaluation { moves, points: POINTS[number % 11] / 64.0 }
}

/// PUCT without a tree: a list of visits, from which every number is counted again.
struct Naive {
    cpuct: f64,
    fpu: f64,
    /// Paths to leaves, with the points of the leaf's side to move once they are known.
    visits: Vec<(Vec<usize>, Option<f64>)>,
}

impl Naive {
    fn started(&self, path: &[usize]) -> usize {
        self.visits.iter().filter(|(own, _)| own.starts_with(path)).count()
    }

    /// The values at a position, from −1 to 1 for its side to move.
    fn values(&self, path: &[usize]) -> Vec<f64> {
        let below = self.visits.iter().filter(|(own, _)| own.starts_with(path));
        let value = |(own, points): &(Vec<usize>, Option<f64>)| {
            let sign = if (own.len() - path.len()).is_multiple_of(2) { 1.0 } else { -1.0 };
            points.map(|points| sign * (2.0 * points - 1.0))
        };
        below.filter_map(value).collect()
    }

    fn next(&self, path: &[usize]) -> Option<usize> {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let own = self.values(path);
        let mut moves = if own.is_empty() { Vec::new() } else { evaluation(path).moves };
        moves.sort_by(|a, b| b.1.partial_cmp(&a.1).expect("numbers"));
        let after = |mv: usize| [path, &[mv]].concat();
        let known = moves.iter().filter(|(mv, _)| !self.values(&after(*mv)).is_empty());
        let reduced = mean(&own) - self.fpu * known.map(|(_, prior)| prior).sum::<f64>().sqrt();
        let others = (own.len().max(2) - 1) as f64;
        let scored = moves.iter().map(|&(mv, prior)| {
            let values = self.values(&after(mv));
            let q = if values.is_empty() { reduced } else { -mean(&values) };
            (mv, q + self.cpuct * prior * others.sqrt() / (1 + self.started(&after(mv))) as f64)
        });
        let scored: Vec<(usize, f64)> = scored.collect();
        let most = scored.iter().map(|&(_, score)| score).fold(f64::NEG_INFINITY, f64::max);
        scored.iter().find(|(_, score)| *score == most).map(|&(mv, _)| mv)
    }

    fn batch(&mut self, size: u32) {
        for _ in 0..size {
            let mut path = Vec::new();
            while let Some(mv) = self.next(&path) {
                path.push(mv);
            }
            if self.visits.contains(&(path.clone(), None)) && self.values(&path).is_empty() {
                break;
            }
            self.visits.push((path, None));
        }
        for (path, points) in &mut self.visits {
            *points = Some(evaluation(path).points);
        }
    }
}

fn grow(tree: &mut Tree<usize>, batch: u32) {
    for leaf in tree.gather(batch) {
        let found = evaluation(&leaf.moves);
        tree.finish(&leaf, found);
    }
}

/// Visits and value of every position of the tree.
fn compare(tree: &Tree<usize>, naive: &Naive, node: usize, path: &[usize]) -> usize {
    let own = &tree.nodes[node];
    let values = naive.values(path);
    assert_eq!((own.visits as usize, own.in_flight), (values.len(), 0), "{path:?}");
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    assert!((own.q() - mean).abs() < 1e-12, "{path:?}: {} and {mean}", own.q());
    let visited = own.edges.iter().filter_map(|edge| edge.child.map(|child| (edge.mv, child)));
    1 + visited.map(|(mv, child)| compare(tree, naive, child, &[path, &[mv]].concat())).sum::<usize>()
}

#[test]
fn every_visit_count_is_that_of_an_independent_implementation() {
    for (cpuct, fpu, batch) in [(1.745, 0.33, 1), (1.25, 0.0, 1), (4.0, 0.6, 1), (1.745, 0.33, 4), (2.5, 0.2, 7)] {
        let mut tree = Tree::new(cpuct, fpu);
        let mut naive = Naive { cpuct, fpu, visits: Vec::new() };
        for _ in 0..150 {
            grow(&mut tree, batch);
            naive.batch(batch);
            compare(&tree, &naive, 0, &[]);
        }
        assert!(compare(&tree, &naive, 0, &[]) > 20, "the tree has grown");
        assert!(tree.visits() >= 150 && (batch == 1) == (tree.visits() == 150));
    }
}

#[test]
fn the_first_visits_are_those_worked_out_by_hand() {
    let mut tree = Tree::new(1.0, 0.0);
    let mut next = || {
        let leaf = tree.gather(1).remove(0);
        // Even everywhere but after the second move, where the opponent has a quarter of the points.
        let points = if leaf.moves == [1] { 0.25 } else { 0.5 };
        tree.finish(&leaf, LeafEvaluation { moves: vec![(1, 0.4), (0, 0.6)], points });
        leaf.moves
    };
    assert!(next().is_empty());
    // 0.6 and 0.4.
    assert_eq!(next(), [0]);
    // 0.6/2 and 0.4.
    assert_eq!(next(), [1]);
    // 0.6·√2/2 = 0.42 and 0.5 + 0.4·√2/2 = 0.78; below, the prior decides.
    assert_eq!(next(), [1, 0]);
    // 0.6·√3/2 = 0.52 and 0.25 + 0.4·√3/3 = 0.48.
    assert_eq!(next(), [0, 0]);
    // 0.6·2/3 = 0.40 and 0.25 + 0.4·2/3 = 0.52; below, 0.6/2 and −0.25 + 0.4.
    assert_eq!(next(), [1, 0, 0]);
    let children: Vec<(usize, u32)> = tree.children().iter().map(|child| (child.mv, child.visits)).collect();
    assert_eq!(children, [(0, 2), (1, 3)]);
    let points = tree.children()[1].points.expect("it was visited");
    assert!((points - (0.75 + 0.5 + 0.5) / 3.0).abs() < 1e-15);
}

#[test]
fn a_batch_ends_where_a_leaf_would_be_selected_twice() {
    let mut tree = Tree::new(1.0, 0.0);
    let first = tree.gather(8);
    assert_eq!((first.len(), first[0].moves.len()), (1, 0), "the root alone");
    tree.finish(&first[0], LeafEvaluation { moves: vec![(0, 0.6), (1, 0.4)], points: 0.5 });
    // 0.6; 0.4 against 0.3; then 0.3 of the first again.
    let second = tree.gather(8);
    assert_eq!(second.iter().map(|leaf| leaf.moves[0]).collect::<Vec<_>>(), [0, 1]);
    for leaf in &second {
        tree.finish(leaf, LeafEvaluation { moves: Vec::new(), points: 0.5 });
    }
    // Where the game is over a leaf may be visited again and again.
    assert_eq!(tree.gather(8).len(), 8);
}
