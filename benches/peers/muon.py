"""Muon (Jordan et al. 2024) in float64, for the matrices of the body, with another optimiser for the rest.

M ← μM + (1−μ)G, U = (1−μ)G + μM, X₀ = U/(‖U‖ + 1e-7), Xᵢ₊₁ = aX + bXXᵀX + c(XXᵀ)²X five times, W ← W − lr·scale·X.
Queries, keys and values, one weight of posenc's, are three matrices; W and V of a gated feed-forward layer are two.
"""

import math

import torch

A, B, C = 3.4445, -4.7750, 2.0315


def matrices(flat, weights):
    """Where the body's matrices lie in the flat store: (first element, rows, columns). Random weights identify them."""
    found = []
    for name, weight in weights.items():
        if not name.startswith("body.") or weight.dim() != 2:
            continue
        values = weight.flatten().double()
        start = int((flat == values[0]).nonzero()[0])
        assert torch.equal(flat[start : start + len(values)], values), name
        parts = 3 if name.endswith("attention.qkv.weight") else 1
        if name.endswith("feed_forward.hidden.weight"):
            parts = weight.shape[0] // weights[name.replace("hidden", "out")].shape[1]
        rows, columns = weight.shape[0] // parts, weight.shape[1]
        found += [(start + part * rows * columns, rows, columns) for part in range(parts)]
    return found


def orthogonal(matrix, iterations):
    x = matrix / (matrix.norm() + 1e-7)
    for _ in range(iterations):
        square = x.T @ x
        x = A * x + x @ (B * square + C * square @ square)
    return x


class Muon:
    def __init__(self, options, parameters, weights, others):
        self.parameters, self.others = parameters, others
        self.matrices = matrices(parameters["all"], weights)
        self.momentum, self.iterations = float(options["momentum"]), options["iterations"]
        self.matched = options["scale"] == "match_adamw"
        self.mean = torch.zeros_like(parameters["all"])

    def __call__(self, gradients, rate):
        before, gradient = self.parameters["all"].clone(), gradients["all"]
        self.mean = self.momentum * self.mean + (1 - self.momentum) * gradient
        nesterov = self.momentum * self.mean + (1 - self.momentum) * gradient
        self.others(gradients, rate)
        after = self.parameters["all"]
        for start, rows, columns in self.matrices:
            here = slice(start, start + rows * columns)
            scale = 0.2 * math.sqrt(max(rows, columns)) if self.matched else math.sqrt(max(1, rows / columns))
            step = orthogonal(nesterov[here].view(rows, columns), self.iterations)
            after[here] = before[here] - rate * scale * step.flatten()
