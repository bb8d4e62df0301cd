"""Where encodings act on attention: what passes there can be seen and replaced.

The logits of a head are content + term + rotation: products q·k/√k before rotation, what encodings add (divided by √k where
the term is), and what rotations change of the products. The names are those of `activations.safetensors` (docs/export.md).
"""

import math
from contextlib import contextmanager

INJECTION_POINTS = ("term", "rotation", "attention", "values")


class InjectionPoints:
    """The observers and replacements of a network."""

    def __init__(self):
        self.seen, self.replacements = None, []

    @property
    def is_open(self):
        return self.seen is not None or bool(self.replacements)

    @contextmanager
    def observe(self):
        """Yields a dictionary that each forward pass fills: `content.layer.<n>`, `attention.layer.<n>`, and where an encoding
        acts `term.layer.<n>` and `rotation.layer.<n>`, `[b, h, l, l]` each, query by key; `values.layer.<n>` `[b, h, l, k]`.
        """
        earlier, self.seen = self.seen, {}
        try:
            yield self.seen
        finally:
            self.seen = earlier

    @contextmanager
    def replace(self, point, by, layer=None, head=None):
        """What passes an injection point is `by` of it: `term`, `rotation` and `attention` `[b, h, l, l]`, `values`
        `[b, h, l, k]`, or with `head` `[b, l, l]` and `[b, l, k]`. In one layer, or in all.
        """
        if point not in INJECTION_POINTS:
            raise ValueError(f"there is no injection point {point}: {', '.join(INJECTION_POINTS)}")
        self.replacements.append((point, layer, head, by))
        try:
            yield
        finally:
            self.replacements.pop()

    def passed(self, point, layer, x):
        """A tensor after it passed an injection point."""
        for name, at, head, by in self.replacements:
            if name != point or at not in (None, layer) or x is None:
                continue
            if head is None:
                x = by(x)
            else:
                x = x.clone()
                x[:, head] = by(x[:, head])
        if self.seen is not None and x is not None:
            self.seen[f"{point}.layer.{layer}"] = x.detach()
        return x

    def weights(self, layer, plain, rotated, before, after):
        """The attention of queries and keys before and after rotation, with the terms of the logits."""
        (q, k), (turned_q, turned_k) = plain, rotated
        scale = math.sqrt(q.shape[-1])
        content = q @ k.transpose(-1, -2) / scale
        if self.seen is not None:
            self.seen[f"content.layer.{layer}"] = content.detach()
        terms = [part for part in (None if before is None else before / scale, after) if part is not None]
        term = sum(terms).expand_as(content) if terms else None
        turned = turned_q is not q
        rotation = turned_q @ turned_k.transpose(-1, -2) / scale - content if turned else None
        term, rotation = self.passed("term", layer, term), self.passed("rotation", layer, rotation)
        logits = sum(part for part in (content, term, rotation) if part is not None)
        return self.passed("attention", layer, logits.softmax(-1))
