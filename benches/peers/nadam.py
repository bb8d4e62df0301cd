"""Nadam as Keras computes it (tf.keras.optimizers.Nadam since TensorFlow 2.11), in float64.

m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g², μ_t = β₁(1 − ½·0.96^t), Π_t = μ_1…μ_t,
θ ← θ − lr·(μ_{t+1}·m/(1 − Π_t·μ_{t+1}) + (1 − μ_t)·g/(1 − Π_t)) / (√(v/(1 − β₂^t)) + ε).
"""

import torch


class Nadam:
    def __init__(self, parameters, beta1=0.9, beta2=0.98, epsilon=1e-7):
        self.parameters = {name: value.double().clone() for name, value in parameters.items()}
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon
        self.m = {name: torch.zeros_like(value) for name, value in self.parameters.items()}
        self.v = {name: torch.zeros_like(value) for name, value in self.parameters.items()}
        self.taken, self.product = 0, 1.0

    def step(self, gradients, rate):
        self.taken += 1
        t = self.taken
        now, later = (self.beta1 * (1 - 0.5 * 0.96**s) for s in (t, t + 1))
        self.product *= now
        for name, parameter in self.parameters.items():
            g = gradients[name].double()
            m, v = self.m[name], self.v[name]
            m.copy_(self.beta1 * m + (1 - self.beta1) * g)
            v.copy_(self.beta2 * v + (1 - self.beta2) * g * g)
            direction = later * m / (1 - self.product * later) + (1 - now) * g / (1 - self.product)
            parameter -= rate * direction / ((v / (1 - self.beta2**t)).sqrt() + self.epsilon)
