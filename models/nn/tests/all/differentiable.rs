//! Operations that compute their own gradient, against autograd's.

use nn::Differentiable;
use nn::differentiable::{BackwardContext, Results, apply, apply_one};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tch::{Device, Kind, TchError, Tensor, no_grad};

/// x²·y, and what it saw.
#[derive(Default)]
struct SquareTimes {
    calls: Arc<AtomicUsize>,
    wanted: Arc<Mutex<Vec<bool>>>,
}

impl Differentiable for SquareTimes {
    fn forward(&self, inputs: &[Tensor], _: bool) -> Result<Results, TchError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        inputs[0].f_square()?.f_mul(&inputs[1]).map(Results::one)
    }

    fn backward(&self, context: BackwardContext<'_>, wanted: &[bool]) -> Result<Vec<Option<Tensor>>, TchError> {
        let (inputs, gradient) = (context.inputs, context.gradients[0].as_ref().expect("the output is used"));
        *self.wanted.lock().expect("one thread") = wanted.to_vec();
        let of_x = || gradient.f_mul(&inputs[0])?.f_mul(&inputs[1])?.f_mul_scalar(2.0);
        let of_y = || gradient.f_mul(&inputs[0].f_square()?);
        Ok(vec![wanted[0].then(of_x).transpose()?, wanted[1].then(of_y).transpose()?])
    }
}

fn leaf(seed: i64) -> Tensor {
    tch::manual_seed(seed);
    Tensor::randn([3, 5], (Kind::Float, Device::Cpu)).set_requires_grad(true)
}

#[test]
fn value_and_gradients_are_autograds_own_within_a_larger_graph() {
    let (x, y) = (leaf(1), leaf(2));
    let gradients = |of: &dyn Fn(&Tensor, &Tensor) -> Tensor| {
        let inner = of(&(&x * 3.0), &y.sigmoid());
        let loss = (&inner * &inner).sum(Kind::Float) + of(&y, &x).sum(Kind::Float);
        let mut all = Tensor::run_backward(&[&loss], &[&x, &y], false, false);
        all.push(loss);
        all
    };
    let own = gradients(&|x, y| apply_one(SquareTimes::default(), &[x, y]).expect("it cannot fail"));
    let autograds = gradients(&|x, y| x.square() * y);
    for (own, autograds) in own.iter().zip(&autograds) {
        assert!(own.allclose(autograds, 1e-6, 1e-6, false), "{own} against {autograds}");
    }
}

#[test]
fn gradients_that_nobody_wants_are_not_asked_for() {
    let operation = SquareTimes::default();
    let wanted = Arc::clone(&operation.wanted);
    let (x, y) = (leaf(1).detach(), leaf(2));
    let loss = apply_one(operation, &[&x, &y]).expect("it cannot fail").sum(Kind::Float);
    let gradient = Tensor::run_backward(&[&loss], &[&y], false, false).remove(0);
    assert_eq!(*wanted.lock().expect("one thread"), [false, true]);
    assert!(gradient.allclose(&x.square(), 1e-6, 1e-6, false));
}

#[test]
fn without_gradients_there_is_no_graph_and_the_operation_is_dropped() {
    let operation = SquareTimes::default();
    let calls = Arc::clone(&operation.calls);
    let output = no_grad(|| apply_one(operation, &[&leaf(1), &leaf(2)])).expect("it cannot fail");
    assert!(!output.requires_grad());
    assert_eq!((calls.load(Ordering::Relaxed), Arc::strong_count(&calls)), (1, 1));
}

#[test]
fn the_operation_lives_as_long_as_its_graph() {
    let operation = SquareTimes::default();
    let calls = Arc::clone(&operation.calls);
    let output = apply_one(operation, &[&leaf(1), &leaf(2)]).expect("it cannot fail");
    assert_eq!(Arc::strong_count(&calls), 2);
    drop(output);
    assert_eq!(Arc::strong_count(&calls), 1);
}

/// Fails, or panics, in one of its passes.
struct Broken {
    forward: bool,
    panics: bool,
}

impl Broken {
    fn fail<T>(&self) -> Result<T, TchError> {
        assert!(!self.panics, "the operation was made to panic");
        Err(TchError::Torch("no more of this".to_owned()))
    }
}

impl Differentiable for Broken {
    fn forward(&self, inputs: &[Tensor], _: bool) -> Result<Results, TchError> {
        if self.forward { self.fail() } else { inputs[0].f_neg().map(Results::one) }
    }

    fn backward(&self, _: BackwardContext<'_>, _: &[bool]) -> Result<Vec<Option<Tensor>>, TchError> {
        self.fail()
    }
}

#[test]
fn failures_come_back_as_errors_from_either_pass() {
    for (panics, said) in [(false, "no more of this"), (true, "panicked")] {
        let error = apply(Broken { forward: true, panics }, &[&leaf(1)]).expect_err("the forward pass fails");
        assert!(error.to_string().contains(said), "{error}");
        let x = leaf(1);
        let loss =
            apply_one(Broken { forward: false, panics }, &[&x]).expect("the forward pass works").sum(Kind::Float);
        let error = Tensor::f_run_backward(&[&loss], &[&x], false, false).expect_err("the backward pass fails");
        assert!(error.to_string().contains(said), "{error}");
    }
}

/// x² and eˣ, the latter kept; and whether something was to be kept.
#[derive(Default)]
struct SquareAndPower {
    kept: Arc<Mutex<Vec<bool>>>,
}

impl Differentiable for SquareAndPower {
    fn forward(&self, inputs: &[Tensor], keeps: bool) -> Result<Results, TchError> {
        self.kept.lock().expect("one thread").push(keeps);
        let power = inputs[0].f_exp()?;
        let kept = if keeps { vec![power.shallow_clone()] } else { vec![] };
        Ok(Results { outputs: vec![inputs[0].f_square()?, power], kept })
    }

    fn backward(&self, context: BackwardContext<'_>, _: &[bool]) -> Result<Vec<Option<Tensor>>, TchError> {
        let factors = [context.inputs[0].f_mul_scalar(2.0)?, context.kept[0].shallow_clone()];
        let parts = context.gradients.iter().zip(factors);
        let parts = parts.filter_map(|(gradient, factor)| gradient.as_ref().map(|gradient| gradient * factor));
        Ok(vec![parts.reduce(|sum, part| sum + part)])
    }
}

#[test]
fn each_output_has_its_gradient_whichever_are_used() {
    let x = leaf(1);
    for (square, power) in [(1.0, 1.0), (1.0, 0.0), (0.0, 1.0)] {
        let outputs = apply(SquareAndPower::default(), &[&x]).expect("it cannot fail");
        let used = outputs.iter().zip([square, power]).filter(|(_, factor)| *factor > 0.0);
        let loss = used.map(|(output, _)| output.sum(Kind::Float)).reduce(|sum, part| sum + part).expect("one is used");
        for _ in 0..2 {
            let gradient = Tensor::run_backward(&[&loss], &[&x], true, false).remove(0);
            assert!(gradient.allclose(&(&x * 2.0 * square + x.exp() * power), 1e-6, 1e-6, false));
        }
    }
}

#[test]
fn nothing_is_kept_where_no_backward_pass_can_follow() {
    let operation = || SquareAndPower::default();
    let asked = |run: &dyn Fn(SquareAndPower)| {
        let operation = operation();
        let kept = Arc::clone(&operation.kept);
        run(operation);
        std::mem::take(&mut *kept.lock().expect("one thread"))
    };
    let on = |x: Tensor| move |operation| drop(apply(operation, &[&x]).expect("it cannot fail"));
    assert_eq!(asked(&on(leaf(1))), [true]);
    assert_eq!(asked(&on(leaf(1).detach())), [false]);
    assert_eq!(asked(&|operation| no_grad(|| on(leaf(1))(operation))), [false]);
}
