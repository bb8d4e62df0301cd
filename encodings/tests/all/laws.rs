//! Laws that every encoding obeys on every board with auxiliary tokens, and on minishogi's in every layout. One test per law, all encodings
//! inside, since loading LibTorch takes longer than most laws.

use crate::common::single::numbers;
use crate::common::{
    DIMS, Network, board, ensure, for_all, input, largest_difference, normal_tensor, packed, parsed, sequences_on,
};
use encodings::order::in_order;
use encodings::{Encoding, EncodingConfig, InjectionPoints, LayerContext, Queries, Tokens};
use games::GameKind;
use nn::{Part, Views};
use tch::{Kind, Tensor};

#[test]
fn the_declared_injection_points_are_the_observed_ones() {
    for_all(|configs, tokens| {
        let network = Network::small(configs, tokens);
        let views = network.random(3, 0.5);
        for encoding in network.stack.iter() {
            let (declared, observed) =
                (encoding.injection_points(), observed_injection_points(encoding, &views.frozen_views(), tokens));
            ensure(declared == observed, || format!("declares {declared}, touches {observed}"))?;
        }
        let all = network.stack.iter().fold(InjectionPoints::NONE, |all, encoding| all | encoding.injection_points());
        ensure(network.stack.injection_points() == all, || {
            "the stack declares other injection points than its encodings".to_owned()
        })
    });
}

fn observed_injection_points(encoding: &dyn Encoding, views: &Views, tokens: &Tokens) -> InjectionPoints {
    let (l, heads, head_width) = (tokens.len() as i64, DIMS.heads as i64, DIMS.head_width() as i64);
    let x = input(4, 2, tokens, DIMS);
    let packed = packed(&x, tokens);
    let at = LayerContext { views, layer: 1, packed: &packed };
    let [q, k, v] = ["q", "k", "v"].map(|name| normal_tensor(4, name, &[2, heads, l, head_width]));
    let weights = normal_tensor(4, "weights", &[2, heads, l, l]).softmax(-1, Kind::Float);
    let differs = |a: &Tensor, b: &Tensor| largest_difference(a, b) > 1e-3;
    let nonzero = |term: Option<Tensor>| term.is_some_and(|t| t.abs().max().double_value(&[]) > 1e-3);

    let attended = encoding.attend(at, &x);
    let on_attend =
        attended.is_some_and(|input| differs(&input.qk_bld, &x) || input.v_bld.is_some_and(|v| differs(&v, &x)));
    let rotated = encoding.rotate(at, &q, &k);
    let on_rotate = rotated.is_some_and(|(turned_q, turned_k)| differs(&turned_q, &q) && differs(&turned_k, &k));
    let logits = encoding.logits(at, Queries { x_bld: &x, q_bhlk: &q, k_bhlk: &k });
    let on_logits = nonzero(logits.before_scale) || nonzero(logits.after_scale);
    [
        (InjectionPoints::EMBED, differs(&encoding.embed(at, x.shallow_clone()), &x)),
        (InjectionPoints::ATTEND, on_attend),
        (InjectionPoints::ROTATE, on_rotate),
        (InjectionPoints::LOGITS, on_logits),
        (InjectionPoints::VALUES, nonzero(encoding.values(at, Some(&weights), &v))),
    ]
    .into_iter()
    .fold(InjectionPoints::NONE, |points, (point, touched)| if touched { points | point } else { points })
}

/// Encodings that guarantee the identity keep the function; all others change it.
#[test]
fn an_encoding_that_starts_as_the_identity_leaves_the_function_as_it_is() {
    for_all(|configs, tokens| {
        let network = Network::small(configs, tokens);
        let plain = Network::small(&[], tokens);
        let x = input(5, 2, tokens, DIMS);
        let with = network.forward(&network.initial(6).frozen_views(), &x).output;
        let without = plain.forward(&plain.initial(6).frozen_views(), &x).output;
        let (promised, difference) =
            (network.stack.guarantees().identity_at_start, largest_difference(&with, &without));
        ensure(promised == (difference < 1e-6), || format!("promises {promised}, moves the output by {difference}"))
    });
}

/// Encodings that declare permutation equivariance have it; all others break it.
#[test]
fn permuting_the_squares_permutes_the_output_exactly_where_promised() {
    for_all(|configs, tokens| {
        let network = Network::small(configs, tokens);
        let views = network.random(7, 0.5);
        let x = input(8, 2, tokens, DIMS);
        let order = Tensor::from_slice(&shuffled_squares(tokens));
        let of_permuted = network.forward(&views.frozen_views(), &x.index_select(1, &order)).output;
        let permuted = network.forward(&views.frozen_views(), &x).output.index_select(1, &order);
        let promised = network.stack.guarantees().permutation_equivariant;
        let difference = largest_difference(&of_permuted, &permuted) / permuted.abs().max().double_value(&[]);
        ensure(promised == (difference < 1e-5), || format!("promises {promised}, differs by {difference}"))
    });
    let control = Network::small(&[parsed("none")], &board(GameKind::Chess)).stack.guarantees();
    assert!(control.permutation_equivariant, "the control guarantees nothing");
}

fn shuffled_squares(tokens: &Tokens) -> Vec<i64> {
    let mut squares: Vec<_> = tokens.squares().map(|(token, _)| token as i64).collect();
    streams::shuffle(&mut streams::stream(9, &["test", "permutation"]), &mut squares);
    let mut shuffled = squares.into_iter();
    (0..tokens.len()).map(|token| tokens.square(token).and_then(|_| shuffled.next()).unwrap_or(token as i64)).collect()
}

/// Every element of every parameter, in some draw of the parameters: a unit that its ReLU cuts for every input gets none.
#[test]
fn every_parameter_receives_a_gradient() {
    const DRAWS: std::ops::Range<u64> = 10..14;
    for_all(|configs, tokens| {
        let network = Network::small(configs, tokens);
        let gradient = |seed: u64| -> Vec<f32> {
            let arena = network.random_around_start(seed, 0.2);
            let output = network.forward(&arena.views(), &input(11, 12, tokens, DIMS)).output;
            let loss = (&output * normal_tensor(12, "loss", &output.size())).sum(Kind::Float);
            arena.gradient(&loss).expect("a gradient").try_into().expect("numbers")
        };
        let mut dead = vec![true; network.layout.len()];
        let count = |dead: &[bool], param: &nn::ParamSpec| {
            dead[param.offset..param.offset + param.len()].iter().filter(|dead| **dead).count()
        };
        for seed in DRAWS {
            if network.layout.params().iter().any(|param| count(&dead, param) > 0) {
                dead.iter_mut().zip(gradient(seed)).for_each(|(dead, gradient)| *dead &= gradient == 0.0);
            }
        }
        for param in network.layout.params() {
            let dead = count(&dead, param);
            ensure(dead == 0, || format!("{dead} of {} numbers of {} get no gradient", param.len(), param.name))?;
        }
        Ok(())
    });
}

/// An encoding starts from the same values alone and in a stack.
#[test]
fn stacking_does_not_change_how_an_encoding_starts() {
    for tokens in sequences_on(GameKind::Chess.geometry()) {
        for stack in EncodingConfig::example_stacks().into_iter().filter(|stack| stack.len() > 1) {
            let stacked = Network::small(&stack, &tokens).initial(13);
            for config in stack {
                let alone = Network::small(std::slice::from_ref(&config), &tokens).initial(13);
                for param in alone.layout().params() {
                    let id = stacked.layout().find(&param.name).expect("the same name in the stack");
                    let own = alone.layout().find(&param.name).expect("its own name");
                    assert_eq!(stacked.frozen_views()[id], alone.frozen_views()[own], "{}", param.name);
                }
            }
        }
    }
}

/// For every pair that acts at one injection point where encodings act one after the other, in both directions: a stack is
/// stored in one order exactly where both orders have the same function, otherwise in the given order.
#[test]
fn two_orders_are_one_stack_exactly_where_they_are_one_function() {
    // Whether two encodings commute follows from what they do to vectors, not from the board: the smallest one will do.
    let tokens = Tokens::squares_then(GameKind::Minishogi.geometry(), &["hand"]);
    let x = input(14, 2, &tokens, DIMS);
    let points =
        |config: &EncodingConfig| Network::small(std::slice::from_ref(config), &tokens).stack.injection_points();
    let output = |stack: &[EncodingConfig]| {
        let network = Network::declare(stack, DIMS, &tokens).ok()?;
        Some(network.forward(&network.random_by_name(15, 0.5).frozen_views(), &x).output)
    };
    let examples: Vec<(EncodingConfig, InjectionPoints)> =
        EncodingConfig::examples().into_iter().map(|config| (config.clone(), points(&config))).collect();
    let mut apart: Vec<[&str; 2]> = Vec::new();
    for (place, (first, of_first)) in examples.iter().enumerate() {
        for (second, of_second) in &examples[place + 1..] {
            let sequential = [InjectionPoints::EMBED, InjectionPoints::ATTEND, InjectionPoints::ROTATE];
            if !sequential.into_iter().any(|point| of_first.contains(point) && of_second.contains(point)) {
                continue;
            }
            let orders = [vec![first.clone(), second.clone()], vec![second.clone(), first.clone()]];
            // Others are refused in either order: one name twice, two rotations.
            let (Some(one), Some(other)) = (output(&orders[0]), output(&orders[1])) else { continue };
            let difference = largest_difference(&one, &other) / one.abs().max().double_value(&[]);
            let stored = orders.clone().map(in_order);
            let is_one = stored[0] == stored[1];
            let holds = if is_one { difference < 1e-4 } else { difference > 1e-3 && stored == orders };
            assert!(holds, "{} and {}: one stack: {is_one}, {difference} apart", first.label(), second.label());
            if !is_one {
                apart.push([first.info().name, second.info().name]);
            }
        }
    }
    for pair in [["absolute", "absolute"], ["absolute", "laplacian"], ["continuous_bias", "deberta"]] {
        assert!(apart.contains(&pair), "{pair:?} is not among {apart:?}");
    }
}

/// So that a cell that diverges ends as not finite, and not as a panic, which is called a bug of posenc.
#[test]
fn vectors_that_are_not_numbers_stay_so_without_a_panic() {
    for_all(|configs, tokens| {
        let network = Network::small(configs, tokens);
        let x = input(16, 1, tokens, DIMS) * f64::NAN;
        let output = network.forward(&network.initial(16).frozen_views(), &x).output;
        ensure(numbers(&output).iter().all(|number| number.is_nan()), || "hides what is not a number".to_owned())
    });
}

#[test]
fn an_encoding_counts_as_encoding_and_nothing_else_does() {
    for_all(|configs, tokens| {
        let with = Network::small(configs, tokens).layout;
        let without = Network::small(&[], tokens).layout;
        let named = |p: &&nn::ParamSpec| p.name.starts_with("encoding.");
        let declared: usize = with.params().iter().filter(named).map(nn::ParamSpec::len).sum();
        ensure(with.count(Part::Encoding) == declared, || "counts something else".to_owned())?;
        ensure(with.count(Part::Trunk) == without.total(), || "changes the trunk".to_owned())
    });
}
