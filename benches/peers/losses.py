"""What the heads are trained to: Chessformer's Appendix B, and Lc0's loss of the moves left.

A loss is a mean over the rows (a map's: the cells) that have a target; a missing number is NaN, a missing label −1.
"""

import torch
import torch.nn.functional as F

# posenc's default weights: Appendix B, PaLM's for the z-loss, and 1 for the rest.
WEIGHTS = {"policy_z": 1e-4, "soft_policy": 8.0, "q_buckets": 0.1, "short_term_buckets": 0.1}


def losses(outputs, batch, config):
    """Every loss by name, and their weighted sum as `total`."""
    found, kind = {}, outputs["trunk"].dtype
    train, heads = config["train"], config["model"]["chessformer"].get("outputs") or {}
    policy, present = dense(batch["policy_index"], batch["policy_prob"].to(kind), batch["legal"].shape[1])
    legal = batch["legal"] if train.get("mask", "train") == "train" else None
    if "policy" in outputs:
        found["policy"] = cross_entropy(outputs["policy"], policy, present, legal)
        if heads.get("policy", {}).get("z_loss"):
            logits = outputs["policy"] if legal is None else outputs["policy"].masked_fill(~legal, float("-inf"))
            found["policy_z"] = mean(logits.logsumexp(-1) ** 2, present)
    if "result" in outputs:
        wanted = F.one_hot(batch["outcome"].clamp_min(0), 3).to(kind)
        found["value"] = cross_entropy(outputs["result"], wanted, batch["outcome"] >= 0)
    if "soft_policy" in outputs:
        temperature = (heads["soft_policy"] or {}).get("temperature", 4.0)
        found["soft_policy"] = cross_entropy(outputs["soft_policy"], soften(policy, temperature), present, legal)
    for head, target in (("q", "value"), ("short_term", "short_term")):
        if head in outputs:
            found |= rewards(head, outputs, batch[target].to(kind))
    if "moves_left" in outputs:
        plies = batch["moves_left"].to(kind)
        rows = huber((outputs["moves_left"] - plies.nan_to_num()) / 20, 0.5)
        found["moves_left"] = mean(rows, ~plies.isnan())
    if "per_square" in outputs:
        labels = batch["map"].long()
        rows = F.cross_entropy(outputs["per_square"].flatten(0, 1), labels.flatten().clamp_min(0), reduction="none")
        found["map"] = mean(rows, labels.flatten() >= 0)
    if "pairs" in outputs:
        labels = batch["map"].flatten()
        # −log σ(z) for a yes, −log σ(−z) for a no.
        sign = torch.where(labels > 0, 1, -1)
        found["map"] = mean(-F.logsigmoid(sign * outputs["pairs"].flatten()), labels >= 0)
    weights = WEIGHTS | (train.get("loss") or {})
    found["total"] = sum(weights.get(name, 1.0) * loss for name, loss in found.items())
    return found


def rewards(head, outputs, probability):
    """From winning probabilities p (a draw is half a win): the reward is q = 2p − 1."""
    present, q = ~probability.isnan(), 2 * probability.nan_to_num() - 1
    squared = (q - outputs[head]) ** 2
    found = {head: mean(squared, present)}
    if head + ".error" in outputs:
        found[head + "_error"] = mean((outputs[head + ".error"] - squared.detach()) ** 2, present)
    if head + ".buckets" in outputs:
        count = outputs[head + ".buckets"].shape[1]
        bucket = ((q + 1) / 2 * count).floor().long().clamp(0, count - 1)
        rows = F.cross_entropy(outputs[head + ".buckets"], bucket, reduction="none")
        found[head + "_buckets"] = mean(rows, present)
    return found


def mean(rows, present):
    return rows[present].mean() if present.any() else rows.sum() * 0


def dense(index, probability, moves):
    """Sparse (index, probability) pairs as probabilities `[b, v]`, and which rows have any."""
    used = index >= 0
    target = torch.zeros(len(used), moves, dtype=probability.dtype)
    return target.scatter_add(1, index.clamp_min(0), probability * used), used.any(1)


def soften(target, temperature):
    """π^(1/T), made to add up to 1 again."""
    raised = torch.where(target > 0, target ** (1 / temperature), torch.zeros_like(target))
    return raised / raised.sum(-1, keepdim=True).clamp_min(1e-30)


def cross_entropy(logits, target, present, legal=None):
    """−Σ π log π̂ over the legal moves; where π is 0, whatever π̂ is."""
    if legal is not None:
        logits = logits.masked_fill(~legal, float("-inf"))
    log = logits.log_softmax(-1)
    return mean(-torch.where(target > 0, target * log, torch.zeros_like(log)).sum(-1), present)


def huber(error, delta):
    size = error.abs()
    return torch.where(size <= delta, size**2 / 2, delta * (size - delta / 2))
