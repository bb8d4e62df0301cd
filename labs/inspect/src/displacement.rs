//! Maps over pairs of squares as maps over displacements.

use super::relation::{Step, distance};
use games::Geometry;

/// The displacements of a board, from the lower left, file by file: `(2F−1)(2R−1)` of them, the one of zero in the middle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Displacements {
    geometry: Geometry,
    pub steps: Vec<Step>,
    /// How many pairs of squares have it.
    pub pairs: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// The mean over the pairs of each displacement; 0 where there are none.
    pub means: Vec<f64>,
    pub pairs: Vec<f64>,
    /// The variance of a pair around the mean of its displacement.
    pub within: f64,
    /// The share of the variance over pairs of different squares that displacements explain; 1 where nothing varies
    /// within them.
    pub share: f64,
}

impl Displacements {
    pub fn of(geometry: Geometry) -> Self {
        let (files, ranks) = geometry.torus();
        let [right, ahead] = [geometry.files(), geometry.ranks()].map(|side| side as isize - 1);
        let step = |place: usize| ((place % files) as isize - right, (place / files) as isize - ahead);
        let steps: Vec<Step> = (0..files * ranks).map(step).collect();
        let left = |side: usize, step: isize| side - step.unsigned_abs();
        let count = |&(file, rank): &Step| (left(geometry.files(), file) * left(geometry.ranks(), rank)) as u32;
        let pairs = steps.iter().map(count).collect();
        Self { geometry, steps, pairs }
    }

    pub const fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// The place of the displacement from a query's square to a key's.
    pub const fn place(&self, query: usize, key: usize) -> usize {
        // The class of Lc0 is the displacement from key to query.
        self.geometry.displacement_class(key, query)
    }

    /// The places of the displacements of all pairs of squares, query by key.
    pub fn places(&self) -> impl Iterator<Item = usize> + '_ {
        let squares = self.geometry.squares();
        (0..squares * squares).map(move |pair| self.place(pair / squares, pair % squares))
    }

    /// The places of all displacements but zero.
    pub fn moves(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.steps.len()).filter(|&place| distance(self.steps[place]) > 0)
    }

    /// The profile of a map `[squares × squares]`, query by key.
    ///
    /// # Panics
    /// If the map has another size.
    pub fn profile(&self, map: &[f64]) -> Profile {
        let squares = self.geometry.squares();
        assert_eq!(map.len(), squares * squares, "a map has one value for each pair of squares");
        let mut means = vec![0.0; self.steps.len()];
        let pairs = || self.places().enumerate();
        pairs().for_each(|(pair, place)| means[place] += map[pair]);
        means.iter_mut().zip(&self.pairs).for_each(|(mean, &pairs)| *mean /= f64::from(pairs));
        let other = || pairs().filter(|&(_, place)| distance(self.steps[place]) > 0);
        let number = other().count() as f64;
        let mean = other().map(|(pair, _)| map[pair]).sum::<f64>() / number;
        let total = other().map(|(pair, _)| (map[pair] - mean).powi(2)).sum::<f64>();
        let inside = other().map(|(pair, place)| (map[pair] - means[place]).powi(2)).sum::<f64>();
        let classes = self.moves().count() as f64;
        let share = if total > 0.0 { 1.0 - inside / total } else { 1.0 };
        let pairs = self.pairs.iter().map(|&pairs| f64::from(pairs)).collect();
        Profile { means, pairs, within: inside / (number - classes).max(1.0), share }
    }

    /// The profile of values of which the number, the sum and the sum of squares of each displacement are known. A
    /// displacement may have none.
    ///
    /// # Panics
    /// If there is not one number for each displacement.
    pub fn profile_of_sums(&self, pairs: Vec<f64>, sums: &[f64], squares: &[f64]) -> Profile {
        let lengths = [pairs.len(), sums.len(), squares.len()];
        assert_eq!(lengths, [self.steps.len(); 3], "there is one number for each displacement");
        let means: Vec<f64> = sums.iter().zip(&pairs).map(|(sum, pairs)| sum / pairs.max(1.0)).collect();
        let seen = || self.moves().filter(|&place| pairs[place] > 0.0);
        let number: f64 = seen().map(|place| pairs[place]).sum();
        let mean = seen().map(|place| sums[place]).sum::<f64>() / number.max(1.0);
        let total = (seen().map(|place| squares[place]).sum::<f64>() - number * mean * mean).max(0.0);
        let inside = seen().map(|place| squares[place] - sums[place] * means[place]).sum::<f64>().max(0.0);
        let classes = seen().count() as f64;
        let share = if total > 0.0 { 1.0 - inside / total } else { 1.0 };
        Profile { within: inside / (number - classes).max(1.0), means, pairs, share }
    }
}
