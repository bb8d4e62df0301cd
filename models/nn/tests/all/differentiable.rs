//! Operations that compute their own gradient, against autograd's.

use nn::Differentiable;
use nn::differentiable::apply;
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
    fn forward(&self, inputs: &[Tensor]) -> Result<Tensor, TchError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        inputs[0].f_square()?.f_mul(&inputs[1])
    }

    fn backward(&self, inputs: &[Tensor], gradient: &Tensor, wanted: &[bool]) -> Result<Vec<Option<Tensor>>, TchError> {
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
    let own = gradients(&|x, y| apply(SquareTimes::default(), &[x, y]).expect("it cannot fail"));
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
    let loss = apply(operation, &[&x, &y]).expect("it cannot fail").sum(Kind::Float);
    let gradient = Tensor::run_backward(&[&loss], &[&y], false, false).remove(0);
    assert_eq!(*wanted.lock().expect("one thread"), [false, true]);
    assert!(gradient.allclose(&x.square(), 1e-6, 1e-6, false));
}

#[test]
fn without_gradients_there_is_no_graph_and_the_operation_is_dropped() {
    let operation = SquareTimes::default();
    let calls = Arc::clone(&operation.calls);
    let output = no_grad(|| apply(operation, &[&leaf(1), &leaf(2)])).expect("it cannot fail");
    assert!(!output.requires_grad());
    assert_eq!((calls.load(Ordering::Relaxed), Arc::strong_count(&calls)), (1, 1));
}

#[test]
fn the_operation_lives_as_long_as_its_graph() {
    let operation = SquareTimes::default();
    let calls = Arc::clone(&operation.calls);
    let output = apply(operation, &[&leaf(1), &leaf(2)]).expect("it cannot fail");
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
    fn forward(&self, inputs: &[Tensor]) -> Result<Tensor, TchError> {
        if self.forward { self.fail() } else { inputs[0].f_neg() }
    }

    fn backward(&self, _: &[Tensor], _: &Tensor, _: &[bool]) -> Result<Vec<Option<Tensor>>, TchError> {
        self.fail()
    }
}

#[test]
fn failures_come_back_as_errors_from_either_pass() {
    for (panics, said) in [(false, "no more of this"), (true, "panicked")] {
        let error = apply(Broken { forward: true, panics }, &[&leaf(1)]).expect_err("the forward pass fails");
        assert!(error.to_string().contains(said), "{error}");
        let x = leaf(1);
        let loss = apply(Broken { forward: false, panics }, &[&x]).expect("the forward pass works").sum(Kind::Float);
        let error = Tensor::f_run_backward(&[&loss], &[&x], false, false).expect_err("the backward pass fails");
        assert!(error.to_string().contains(said), "{error}");
    }
}
