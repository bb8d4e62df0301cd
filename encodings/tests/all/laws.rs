//! Laws that every encoding obeys on every board with auxiliary tokens, and on minishogi's in every layout. One test per law, all encodings
//! inside, since loading LibTorch takes longer than most laws.

use crate::common::single::numbers;
use crate::common::{DIMS, Network, ensure, for_all, input, largest_difference, normal_tensor, sequences_on};
use encodings::order::in_order;
use encodings::{EncodingConfig, InjectionPoints, Tokens};
use games::GameKind;
use nn::Part;
use tch::Kind;

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
