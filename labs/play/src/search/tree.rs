//! The tree of a search: which leaf is visited next, and what visits have found. It knows neither games nor networks.

/// A tree over moves of type `M`.
#[derive(Debug)]
pub(crate) struct Tree<M> {
    cpuct: f64,
    fpu: f64,
    /// The root is the first.
    nodes: Vec<Node<M>>,
}

#[derive(Debug)]
struct Node<M> {
    /// The legal moves, the likeliest first; empty before the evaluation, and where the game is over.
    edges: Vec<Edge<M>>,
    /// Expected points of the side to move by its own evaluation.
    own: Option<f64>,
    visits: u32,
    /// Visits that wait for their evaluation.
    in_flight: u32,
    /// The sum over visits of the side to move's points.
    points: f64,
}

#[derive(Debug)]
struct Edge<M> {
    mv: M,
    prior: f64,
    child: Option<usize>,
}

#[derive(Debug)]
pub(crate) struct Leaf<M> {
    /// From the root to the leaf.
    nodes: Vec<usize>,
    pub(crate) moves: Vec<M>,
    /// The points of its side to move, if the game is known to be over there.
    pub(crate) over: Option<f64>,
}

/// The evaluation of a leaf: its moves with their priors, none if the game is over; the points of its side to move.
#[derive(Debug)]
pub(crate) struct LeafEvaluation<M> {
    pub(crate) moves: Vec<(M, f64)>,
    pub(crate) points: f64,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Child<M> {
    pub(crate) mv: M,
    pub(crate) prior: f64,
    pub(crate) visits: u32,
    /// The mean points of the side that plays it; `None` before its first visit.
    pub(crate) points: Option<f64>,
    pub(crate) is_last: bool,
}

impl<M> Node<M> {
    fn new() -> Self {
        Self { edges: Vec::new(), own: None, visits: 0, in_flight: 0, points: 0.0 }
    }

    /// Mean points of the side to move; there is a visit.
    fn mean(&self) -> f64 {
        self.points / f64::from(self.visits)
    }

    /// The same from −1 to 1.
    fn q(&self) -> f64 {
        2.0 * self.mean() - 1.0
    }
}

impl<M: Copy> Tree<M> {
    pub(crate) fn new(cpuct: f64, fpu: f64) -> Self {
        Self { cpuct, fpu, nodes: vec![Node::new()] }
    }

    pub(crate) fn visits(&self) -> u32 {
        self.nodes[0].visits
    }

    /// Mean points of the root's side to move; there is a visit.
    pub(crate) fn points(&self) -> f64 {
        self.nodes[0].mean()
    }

    /// Selects at most `most` leaves. A leaf that is selected again before its evaluation ends the batch.
    pub(crate) fn gather(&mut self, most: u32) -> Vec<Leaf<M>> {
        (0..most).map_while(|_| self.select()).collect()
    }

    fn select(&mut self) -> Option<Leaf<M>> {
        let (mut node, mut nodes, mut moves) = (0, vec![0], Vec::new());
        while let Some(place) = self.best(node) {
            let new = self.nodes.len();
            let edge = &mut self.nodes[node].edges[place];
            moves.push(edge.mv);
            node = *edge.child.get_or_insert(new);
            nodes.push(node);
            if node == new {
                self.nodes.push(Node::new());
            }
        }
        let leaf = &self.nodes[node];
        if leaf.own.is_none() && leaf.in_flight > 0 {
            return None;
        }
        let over = leaf.own;
        for &node in &nodes {
            self.nodes[node].in_flight += 1;
        }
        Some(Leaf { nodes, moves, over })
    }

    /// The place of the edge with the largest Q + U, the likelier of equal ones; `None` for a leaf.
    fn best(&self, node: usize) -> Option<usize> {
        let node = &self.nodes[node];
        let child = |edge: &Edge<M>| edge.child.map(|child| &self.nodes[child]);
        let is_visited = |edge: &Edge<M>| child(edge).is_some_and(|child| child.visits > 0);
        let visited: f64 = node.edges.iter().filter(|&edge| is_visited(edge)).map(|edge| edge.prior).sum();
        let explore = self.cpuct * f64::from(node.visits.saturating_sub(1).max(1)).sqrt();
        let score = |edge: &Edge<M>| {
            let child = child(edge);
            let q = match child {
                Some(child) if child.visits > 0 => -child.q(),
                _ => node.q() - self.fpu * visited.sqrt(),
            };
            let started = child.map_or(0, |child| child.visits + child.in_flight);
            q + explore * edge.prior / f64::from(1 + started)
        };
        let mut best: Option<(usize, f64)> = None;
        for (place, edge) in node.edges.iter().enumerate() {
            let score = score(edge);
            if best.is_none_or(|(_, most)| score > most) {
                best = Some((place, score));
            }
        }
        best.map(|(place, _)| place)
    }

    pub(crate) fn finish(&mut self, leaf: &Leaf<M>, evaluation: LeafEvaluation<M>) {
        let LeafEvaluation { mut moves, mut points } = evaluation;
        let last = &mut self.nodes[*leaf.nodes.last().expect("a path has the root")];
        if last.own.is_none() {
            // Stable: moves of the same prior stay in their order.
            moves.sort_by(|a, b| b.1.total_cmp(&a.1));
            last.edges = moves.into_iter().map(|(mv, prior)| Edge { mv, prior, child: None }).collect();
            last.own = Some(points);
        }
        for &node in leaf.nodes.iter().rev() {
            let node = &mut self.nodes[node];
            node.in_flight -= 1;
            node.visits += 1;
            node.points += points;
            points = 1.0 - points;
        }
    }

    /// The root's moves, the likeliest first.
    pub(crate) fn children(&self) -> Vec<Child<M>> {
        let child = |edge: &Edge<M>| {
            let node = edge.child.map(|child| &self.nodes[child]).filter(|node| node.visits > 0);
            Child {
                mv: edge.mv,
                prior: edge.prior,
                visits: node.map_or(0, |node| node.visits),
                points: node.map(|node| 1.0 - node.mean()),
                is_last: node.is_some_and(|node| node.edges.is_empty()),
            }
        };
        self.nodes[0].edges.iter().map(child).collect()
    }
}

#[cfg(test)]
mod tests;
