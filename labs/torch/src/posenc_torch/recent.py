"""Position encodings of 2025 and 2026, written from the formulas of the papers that each names.

Shapes as in positions.py: b batch, l tokens, d width, h heads, k head width. `i` is the query's token and `j` the key's.
"""

from .positions import Rope, turn


class Rove(Rope):
    """RoVE: queries, keys and values rotated by their token's angle, and each output back by its query's."""

    def mixed(self, layer, weights, v):
        cosine, sine = self.turns(layer, v.dtype)
        return turn(weights @ turn(v, cosine, sine), cosine, -sine) - weights @ v


ENCODINGS = {
    "rove": Rove,
}
