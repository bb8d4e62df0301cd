//! The efficient form of Shaw's encoding against its definition, which makes every a_ij.

use crate::common::{DIMS, Network, input, largest_difference, normal_tensor, sequences};
use encodings::pairs::Share;
use encodings::shaw::{Config, Term};
use encodings::{Configure, EncodingConfig, LayerContext, Queries, Tokens};
use nn::{Arena, Views};
use tch::{Kind, Tensor};

/// The class of query i and key j, from its formula.
fn class(tokens: &Tokens, i: usize, j: usize) -> i64 {
    let (files, ranks) = (tokens.geometry().files() as i64, tokens.geometry().ranks() as i64);
    let on_board = (2 * files - 1) * (2 * ranks - 1);
    let place = |token| tokens.square(token).map(|s| (s as i64 / files, s as i64 % files));
    match (place(i), place(j)) {
        (Some((rank_i, file_i)), Some((rank_j, file_j))) => {
            (2 * files - 1) * (rank_i - rank_j + ranks - 1) + file_i - file_j + files - 1
        }
        (Some(_), None) => on_board,
        (None, Some(_)) => on_board + 1,
        (None, None) => on_board + 2,
    }
}

/// Shaw's encoding as it is written down: with all vectors a_ij.
struct Naive<'a> {
    network: &'a Network,
    tokens: &'a Tokens,
    config: &'a Config,
}

impl Naive<'_> {
    /// All vectors of one table, `[h, i, j, k]`.
    fn a_hijk(&self, views: &Views, term: Term) -> Option<Tensor> {
        self.config.terms.contains(&term).then_some(())?;
        let name = match term {
            Term::Q => "q",
            Term::K => "k",
            Term::V => "v",
        };
        let id = self.network.layout.find(&format!("encoding.shaw.layer.1.{name}")).expect("a declared table");
        let (l, table) = (self.tokens.len(), &views[id]);
        let index: Vec<_> = (0..l * l)
            .map(|pair| match (self.config.share, term) {
                (Share::Displacement, _) => class(self.tokens, pair / l, pair % l),
                (Share::Pair, Term::K) => (pair % l * l + pair / l) as i64,
                (Share::Pair, _) => pair as i64,
            })
            .collect();
        let size = table.size();
        Some(table.index_select(1, &Tensor::from_slice(&index)).view([size[0], l as i64, l as i64, size[2]]))
    }

    /// Eq. 6 without q·k, before the division, term by term.
    fn logits(&self, views: &Views, q: &Tensor, k: &Tensor) -> Option<Tensor> {
        let (a_k, a_q) = (self.a_hijk(views, Term::Q), self.a_hijk(views, Term::K));
        let of_queries = a_k.as_ref().map(|a_k| Tensor::einsum("bhik,hijk->bhij", &[q, a_k], None::<i64>));
        let of_keys = a_q.as_ref().map(|a_q| Tensor::einsum("bhjk,hijk->bhij", &[k, a_q], None::<i64>));
        let cross = match (self.config.cross, a_q, a_k) {
            (true, Some(a_q), Some(a_k)) => Some(Tensor::einsum("hijk,hijk->hij", &[a_q, a_k], None::<i64>)),
            _ => None,
        };
        [of_queries, of_keys, cross].into_iter().flatten().reduce(|sum, term| sum + term)
    }

    fn values(&self, views: &Views, weights: &Tensor) -> Option<Tensor> {
        let a_v = self.a_hijk(views, Term::V)?;
        Some(Tensor::einsum("bhij,hijk->bhik", &[weights, &a_v], None::<i64>))
    }
}

/// What one form of the encoding gives, and how a fixed mixture of it depends on everything that goes in.
struct Outcome {
    logits: Option<Tensor>,
    values: Option<Tensor>,
    gradients: Vec<Tensor>,
}

struct Inputs {
    q: Tensor,
    k: Tensor,
    weights: Tensor,
}

impl Inputs {
    fn new(tokens: &Tokens) -> Self {
        let (l, heads, head_width) = (tokens.len() as i64, DIMS.heads as i64, DIMS.head_width() as i64);
        let leaf = |name, last| normal_tensor(2, name, &[3, heads, l, last]).set_requires_grad(true);
        Self { q: leaf("q", head_width), k: leaf("k", head_width), weights: leaf("weights", l) }
    }

    fn outcome(&self, arena: &Arena, logits: Option<Tensor>, values: Option<Tensor>) -> Outcome {
        let leaves = [&self.q, &self.k, &self.weights];
        let mixture = |term: &Tensor| (term * normal_tensor(3, "mixture", &term.size())).sum(Kind::Float);
        let terms = logits.iter().chain(&values).map(mixture);
        let every_leaf = leaves.iter().map(|leaf| leaf.sum(Kind::Float) * 0.0);
        let loss = terms.chain(every_leaf).reduce(|sum, term| sum + term).expect("three leaves");
        let mut gradients = Tensor::run_backward(&[&loss], &leaves, true, false);
        gradients.push(arena.gradient(&loss).expect("a gradient"));
        Outcome { logits, values, gradients }
    }
}

#[test]
fn the_efficient_form_equals_the_definition_with_gradients() {
    for config in Config::examples() {
        for tokens in sequences() {
            let network = Network::small(&[EncodingConfig::Shaw(config.clone())], &tokens);
            let (arena, inputs) = (network.random(1, 0.5), Inputs::new(&tokens));
            let efficient = efficient(&network, &arena, &inputs, &tokens);
            let naive = Naive { network: &network, tokens: &tokens, config: &config };
            let views = arena.views();
            let (logits, values) = (naive.logits(&views, &inputs.q, &inputs.k), naive.values(&views, &inputs.weights));
            let naive = inputs.outcome(&arena, logits, values);

            let place = format!("{config:?} on {:?} with {} tokens", tokens.geometry(), tokens.len());
            assert_close(&efficient.logits, &naive.logits, &format!("{place}: logits"));
            assert_close(&efficient.values, &naive.values, &format!("{place}: values"));
            for (name, (found, wanted)) in
                ["q", "k", "weights", "tables"].iter().zip(efficient.gradients.iter().zip(&naive.gradients))
            {
                let scale = wanted.abs().max().double_value(&[]).max(1.0);
                assert!(largest_difference(found, wanted) / scale < 1e-5, "{place}: gradient of {name}");
            }
        }
    }
}

fn efficient(network: &Network, arena: &Arena, inputs: &Inputs, tokens: &Tokens) -> Outcome {
    let (views, x) = (arena.views(), input(2, 3, tokens, DIMS));
    let packed = network.packed(&x);
    let at = LayerContext { views: &views, layer: 1, packed: &packed };
    let encoding = network.stack.iter().next().expect("one encoding");
    let logits = encoding.logits(at, Queries { x_bld: &x, q_bhlk: &inputs.q, k_bhlk: &inputs.k });
    assert!(logits.after_scale.is_none(), "Shaw's terms come before the scale");
    let values = encoding.values(at, Some(&inputs.weights), &inputs.q);
    inputs.outcome(arena, logits.before_scale, values)
}

fn assert_close(found: &Option<Tensor>, wanted: &Option<Tensor>, what: &str) {
    match (found, wanted) {
        (None, None) => {}
        (Some(found), Some(wanted)) => {
            let difference = largest_difference(found, wanted);
            assert!(difference < 1e-5, "{what} differ by {difference}");
        }
        _ => panic!("{what}: one form has them, the other has not"),
    }
}
