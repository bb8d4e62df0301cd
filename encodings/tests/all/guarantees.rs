//! What encodings declare and guarantee against what is observed, in both directions: what is guaranteed holds for random
//! parameters, and what is not guaranteed is broken by them.

use crate::common::{DIMS, Network, ensure, for_all, input, largest_difference, normal_tensor, packed};
use encodings::{Auxiliary, Encoding, InjectionPoints, LayerContext, Queries, Tokens};
use nn::{Arena, Views};
use tch::{Kind, Tensor};

/// Runs a check over all stacks and sequences; each gives what is guaranteed and what is observed.
fn compare<T: PartialEq + std::fmt::Debug>(what: &str, check: impl Fn(&Network, &Tokens) -> Option<(T, T)>) {
    for_all(|configs, tokens| {
        let Some((guaranteed, observed)) = check(&Network::small(configs, tokens), tokens) else { return Ok(()) };
        ensure(guaranteed == observed, || format!("{what} guaranteed {guaranteed:?}, observed {observed:?}"))
    });
}

#[test]
fn an_encoding_that_starts_as_the_identity_leaves_the_function_as_it_is() {
    compare("identity_at_start", |network, tokens| {
        let x = input(5, 2, tokens, DIMS);
        let output = |network: &Network| network.forward(&network.initial(6).frozen_views(), &x).output;
        let difference = largest_difference(&output(network), &output(&Network::small(&[], tokens)));
        Some((network.stack.guarantees().identity_at_start, difference < 1e-6))
    });
}

/// Whether exchanging squares of the input exchanges the same squares of the output.
fn commutes(network: &Network, tokens: &Tokens, exchanged: impl Fn(usize) -> usize) -> bool {
    let token_of = |square: usize| (0..tokens.len()).find(|&token| tokens.square(token) == Some(square));
    let place = |token: usize| match tokens.square(token) {
        None => token as i64,
        Some(square) => token_of(exchanged(square)).expect("every square has a token") as i64,
    };
    let order = Tensor::from_slice(&(0..tokens.len()).map(place).collect::<Vec<_>>());
    let views = network.random_around_start(21, 0.2).frozen_views();
    let x = input(21, 2, tokens, DIMS);
    let answer = |x: &Tensor| network.forward(&views, x).output;
    let (first, second) = (answer(&x).index_select(1, &order), answer(&x.index_select(1, &order)));
    largest_difference(&first, &second) / first.abs().max().double_value(&[]) < 1e-5
}

#[test]
fn squares_can_be_permuted_exactly_where_guaranteed() {
    compare("permutation_equivariant", |network, tokens| {
        let mut shuffled: Vec<usize> = (0..tokens.geometry().squares()).collect();
        streams::shuffle(&mut streams::stream(9, &["test", "permutation"]), &mut shuffled);
        let observed = commutes(network, tokens, |square| shuffled[square]);
        Some((network.stack.guarantees().permutation_equivariant, observed))
    });
}

#[test]
fn left_and_right_can_be_exchanged_exactly_where_guaranteed() {
    compare("mirror_equivariant", |network, tokens| {
        let board = tokens.geometry();
        let mirrored = |square: usize| board.square(board.files() - 1 - board.file_of(square), board.rank_of(square));
        Some((network.stack.guarantees().mirror_equivariant, commutes(network, tokens, mirrored)))
    });
}

#[test]
fn the_board_can_be_turned_exactly_where_guaranteed() {
    compare("half_turn_equivariant", |network, tokens| {
        let turned = |square: usize| tokens.geometry().squares() - 1 - square;
        Some((network.stack.guarantees().half_turn_equivariant, commutes(network, tokens, turned)))
    });
}

struct Question {
    x: Tensor,
    q: Tensor,
    k: Tensor,
    weights: Tensor,
}

/// What an encoding adds: the output of every hook less its output without the encoding.
struct Added {
    /// `[1,l,d]`.
    embed: Tensor,
    /// To what queries and keys, and what values are made from.
    attend: Vec<Tensor>,
    /// `[1,h,l,k]`, to queries and to keys.
    rotate: Vec<Tensor>,
    logits: Vec<Tensor>,
    values: Option<Tensor>,
}

impl Added {
    /// What is added to vectors, with the dimension of the tokens.
    fn vectors(&self) -> impl Iterator<Item = (&Tensor, i64)> {
        let of_inputs = [&self.embed].into_iter().chain(&self.attend).map(|term| (term, 1));
        of_inputs.chain(self.rotate.iter().map(|term| (term, 2)))
    }

    fn points(&self) -> InjectionPoints {
        let is_something = |term: &Tensor| term.abs().max().double_value(&[]) > 1e-3;
        let points = [
            (InjectionPoints::EMBED, is_something(&self.embed)),
            (InjectionPoints::ATTEND, self.attend.iter().any(is_something)),
            (InjectionPoints::ROTATE, !self.rotate.is_empty() && self.rotate.iter().all(is_something)),
            (InjectionPoints::LOGITS, self.logits.iter().any(is_something)),
            (InjectionPoints::VALUES, self.values.as_ref().is_some_and(is_something)),
        ];
        let touched = points.into_iter().filter(|(_, is_touched)| *is_touched);
        touched.fold(InjectionPoints::NONE, |all, (point, _)| all | point)
    }
}

impl Question {
    fn new(seed: u64, tokens: &Tokens) -> Self {
        let (l, heads, head_width) = (tokens.len() as i64, DIMS.heads as i64, DIMS.head_width() as i64);
        let random = |name, last| normal_tensor(seed, name, &[1, heads, l, last]);
        let weights = random("weights", l).softmax(-1, Kind::Float);
        Self { x: input(seed, 1, tokens, DIMS), q: random("q", head_width), k: random("k", head_width), weights }
    }

    fn ask(&self, tokens: &Tokens, encoding: &dyn Encoding, views: &Views) -> Added {
        let packed = packed(&self.x, tokens);
        let at = LayerContext { views, layer: 1, packed: &packed };
        let attend = encoding.attend(at, &self.x).map(|input| [Some(input.qk_bld), input.v_bld]);
        let rotate = encoding.rotate(at, &self.q, &self.k).map(|(q, k)| vec![q - &self.q, k - &self.k]);
        let logits = encoding.logits(at, Queries { x_bld: &self.x, q_bhlk: &self.q, k_bhlk: &self.k });
        Added {
            embed: encoding.embed(at, self.x.shallow_clone()) - &self.x,
            attend: attend.into_iter().flatten().flatten().map(|input| input - &self.x).collect(),
            rotate: rotate.unwrap_or_default(),
            logits: logits.before_scale.into_iter().chain(logits.after_scale).collect(),
            values: encoding.values(at, Some(&self.weights), &self.q),
        }
    }

    /// What is added for squares and pairs of squares, or what is added for the rest: zeros in place of the other.
    fn ask_for(&self, to_squares: bool, tokens: &Tokens, encoding: &dyn Encoding, views: &Views) -> Vec<Tensor> {
        let flags: Vec<f32> = (0..tokens.len()).map(|t| f32::from(u8::from(tokens.square(t).is_some()))).collect();
        let squares = Tensor::from_slice(&flags);
        let pairs = squares.unsqueeze(1) * squares.unsqueeze(0);
        let part = |mask: Tensor| if to_squares { mask } else { mask.ones_like() - mask };
        let (of_tokens, of_pairs) = (part(squares), part(pairs));
        let weights = &self.weights * &of_pairs;
        let question =
            Self { weights, x: self.x.shallow_clone(), q: self.q.shallow_clone(), k: self.k.shallow_clone() };
        let added = question.ask(tokens, encoding, views);
        let vectors = added.vectors().map(|(term, dimension)| match dimension {
            1 => term * of_tokens.view([1, -1, 1]),
            _ => term * of_tokens.view([1, 1, -1, 1]),
        });
        let values = added.values.iter().map(|term| match encoding.reads_weights() {
            // Weights of other pairs are zero.
            true => term.shallow_clone(),
            false => term * of_tokens.view([1, 1, -1, 1]),
        });
        vectors.chain(added.logits.iter().map(|term| term * &of_pairs)).chain(values).collect()
    }
}

#[test]
fn injection_points_are_touched_exactly_where_declared() {
    compare("injection points", |network, tokens| {
        let (stack, views, question) =
            (&network.stack, network.random(3, 0.5).frozen_views(), Question::new(4, tokens));
        let touched = |encoding: &dyn Encoding| question.ask(tokens, encoding, &views).points();
        let named_with_all = |points: Vec<InjectionPoints>, all: InjectionPoints| {
            points.iter().chain([&all]).map(ToString::to_string).collect::<Vec<_>>()
        };
        let observed: Vec<_> = stack.iter().map(touched).collect();
        let all = observed.iter().fold(InjectionPoints::NONE, |all, &one| all | one);
        let declared = stack.iter().map(Encoding::injection_points).collect();
        Some((named_with_all(declared, stack.injection_points()), named_with_all(observed, all)))
    });
}

fn observed(encoding: &dyn Encoding, arena: &Arena, tokens: &Tokens) -> Auxiliary {
    let question = Question::new(22, tokens);
    let rest = question.ask_for(false, tokens, encoding, &arena.frozen_views());
    if rest.iter().all(|term| term.abs().max().double_value(&[]) < 1e-5) {
        return Auxiliary::Untouched;
    }
    // Which parameters what is added depends on.
    let parameters = |to_squares| -> Vec<bool> {
        let added = question.ask_for(to_squares, tokens, encoding, &arena.views());
        let mixture = |term: &Tensor| (term * normal_tensor(23, "mixture", &term.size())).sum(Kind::Float);
        let sum = added.iter().map(mixture).reduce(|sum, term| sum + term).expect("the embedding");
        if !sum.requires_grad() {
            return vec![];
        }
        let gradient: Vec<f32> = arena.gradient(&sum).expect("a gradient").try_into().expect("numbers");
        gradient.into_iter().map(|g| g != 0.0).collect()
    };
    let (of_rest, of_squares) = (parameters(false), parameters(true));
    let has_own = of_rest.iter().any(|&used| used);
    let shares = of_rest.iter().zip(&of_squares).any(|(&a, &b)| a && b);
    if has_own && !shares { Auxiliary::OwnParameters } else { Auxiliary::AsSquares }
}

#[test]
fn auxiliary_tokens_are_treated_as_declared() {
    compare("auxiliary tokens", |network, tokens| {
        let arena = network.random(24, 0.5);
        let found = network.stack.iter().map(|encoding| observed(encoding, &arena, tokens)).collect::<Vec<_>>();
        let declared = network.stack.iter().map(|encoding| encoding.guarantees().auxiliary).collect();
        tokens.has_aux().then_some((declared, found))
    });
}

/// One token is changed, which no token attends to; what is added for the others must not change.
#[test]
fn terms_depend_on_their_own_tokens_only_exactly_where_guaranteed() {
    compare("pairwise", |network, tokens| {
        let views = network.random(25, 0.5).frozen_views();
        let changes = |changed: i64| {
            let [one, other] = [26, 27].map(|seed| {
                let question = Question::new(seed, tokens);
                let weights = question.weights.index_fill(3, &Tensor::from_slice(&[changed]), 0.0);
                Question { weights, ..question }
            });
            let with = |a: &Tensor, b: &Tensor, dimension: i64| {
                let place = Tensor::from_slice(&[changed]);
                a.index_copy(dimension, &place, &b.index_select(dimension, &place))
            };
            let changed_one = Question {
                x: with(&one.x, &other.x, 1),
                q: with(&one.q, &other.q, 2),
                k: with(&one.k, &other.k, 2),
                weights: with(&one.weights, &other.weights, 2),
            };
            let rest: Vec<i64> = (0..tokens.len() as i64).filter(|&token| token != changed).collect();
            let rest = Tensor::from_slice(&rest);
            network.stack.iter().any(|encoding| {
                let [before, after] = [&one, &changed_one].map(|question| question.ask(tokens, encoding, &views));
                let of_rest = |term: &Tensor, dimension: i64| term.index_select(dimension, &rest);
                let of_pairs = |term: &Tensor| {
                    let last = term.dim() as i64 - 1;
                    of_rest(&of_rest(term, last - 1), last)
                };
                let rest_of = |added: &Added| -> Vec<Tensor> {
                    let vectors = added.vectors().map(|(term, dimension)| of_rest(term, dimension));
                    let logits = added.logits.iter().map(of_pairs);
                    vectors.chain(logits).chain(added.values.iter().map(|term| of_rest(term, 2))).collect()
                };
                let (before, after) = (rest_of(&before), rest_of(&after));
                before.iter().zip(&after).any(|(before, after)| largest_difference(before, after) > 1e-5)
            })
        };
        let last = tokens.len() as i64 - 1;
        // A changed square blocks a line of others on some boards only.
        let observed = !(0..=8).map(|part| last * part / 8).any(changes);
        Some((network.stack.guarantees().pairwise, observed))
    });
}

#[test]
fn terms_are_the_same_for_every_position_exactly_where_guaranteed() {
    compare("static_logits", |network, tokens| {
        let views = network.random(28, 0.5).frozen_views();
        let questions = [29, 30].map(|seed| Question::new(seed, tokens));
        let is_nothing = |term: &Tensor| term.abs().max().double_value(&[]) < 1e-5;
        let is_static = |encoding: &dyn Encoding| {
            let [one, other] = questions.each_ref().map(|question| question.ask(tokens, encoding, &views));
            let mut logits = one.logits.iter().zip(&other.logits);
            one.vectors().all(|(term, _)| is_nothing(term))
                && one.values.as_ref().is_none_or(is_nothing)
                && logits.all(|(one, other)| largest_difference(one, other) < 1e-5)
        };
        Some((network.stack.guarantees().static_logits, network.stack.iter().all(is_static)))
    });
}
