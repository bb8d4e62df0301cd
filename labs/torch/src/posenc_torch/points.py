"""What every position encoding has: the injection points of a network, and parameters that start at zero.

Shapes: b batch, l tokens, d width, h heads, k head width. `i` is the query's token and `j` the key's.
"""

import torch
from torch import nn


def zeros(*shape):
    return nn.Parameter(torch.zeros(*shape))


class Encoding(nn.Module):
    """The injection points of a network; each does nothing until a kind says otherwise."""

    def show(self, occupied):
        """The squares with a piece, `[b, squares]`, before a forward pass."""

    def embed(self, x):
        return x

    def queries(self, layer, x):
        """What queries and keys are made from."""
        return x

    def contents(self, layer, x):
        """What values are made from."""
        return x

    def rotate(self, layer, q, k):
        return q, k

    def before(self, layer, x, q, k):
        """A term of the logits `[…, l, l]` that is divided by √k."""
        return None

    def after(self, layer, x):
        """A term of the logits that is not."""
        return None

    def mixed(self, layer, weights, v):
        """A term of the attention output `[b, h, l, k]`."""
        return None


class OfParameters:
    """For encodings with matrices that depend on parameters only. `fix` keeps them: ONNX has no inverse and no exponential of a
    matrix."""

    def known(self, layer):
        fixed = getattr(self, f"matrices_{layer}", None)
        return self.matrices(layer) if fixed is None else fixed

    def fix(self):
        for layer in range(len(self.layer)):
            self.register_buffer(f"matrices_{layer}", self.matrices(layer).detach(), persistent=False)
