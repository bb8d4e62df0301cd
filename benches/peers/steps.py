"""Compares posenc's optimisers: the same gradients, clipped likewise, through independent optimisers in f64."""

import json
import subprocess

import torch
import yaml
from safetensors.torch import load_file

from muon import Muon
from nadam import Nadam

STEPS = 20


def compare(posenc, here, work, limit):
    """Lines of a table, and whether all keep the limit."""
    out = work / "optimisers"
    command = [posenc, "parity", here / "optimisers.yaml", "--out", out, "--random", "1", "--steps", str(STEPS)]
    subprocess.run(command, check=True)
    rows, good = [], True
    for entry in json.loads((out / "rows.json").read_text()):
        folder = out / entry["folder"]
        config = yaml.safe_load((folder / "config.yaml").read_text())
        told = load_file(folder / "steps.safetensors")
        name, error = replay(config, told, load_file(folder / "weights.safetensors"))
        good &= error <= limit
        kind = next(iter(config["train"]["optimizer"]))
        rows.append([entry["game"], kind, name, str(STEPS), f"{error:.1e}", "yes" if error <= limit else "NO"])
    return rows, good


def replay(config, told, weights):
    """Takes the recorded steps again; the largest difference of a weight, as a share of the largest weight."""
    kind, options = next(iter(config["train"]["optimizer"].items()))
    parameters = {"all": told["first"].double()}
    if kind == "muon":
        other = begin(*next(iter(options["others"].items())), parameters)
        step = Muon(options, parameters, weights, other)
    else:
        step = begin(kind, options, parameters)
    for gradient, rate in zip(told["gradients"].double(), told["rates"].tolist()):
        largest = config["train"].get("clip")
        norm = float(gradient.norm())
        scale = 1.0 if largest is None else min(1.0, largest / norm)
        step({"all": gradient * scale}, rate)
    end = parameters["all"]
    error = float((end - told["last"].double()).abs().max() / end.abs().max())
    return NAMES[kind], error


def begin(kind, options, parameters):
    # PyYAML takes 1e-7, without a dot, for a word.
    options = {name: float(value) if name != "groups" else value for name, value in options.items()}
    return REFERENCES[kind](options, parameters)


def keras(options, parameters):
    own = Nadam(parameters, options["beta1"], options["beta2"], options["epsilon"])

    def step(gradients, rate):
        own.step(gradients, rate)
        parameters.update(own.parameters)

    return step


def pytorch(make):
    def start(options, parameters):
        tensor = parameters["all"].requires_grad_()
        own = make(tensor, options)

        def step(gradients, rate):
            own.param_groups[0]["lr"] = rate
            tensor.grad = gradients["all"]
            own.step()

        parameters["all"] = tensor.detach()
        return step

    return start


def betas(options):
    return {"betas": (options["beta1"], options["beta2"]), "eps": options["epsilon"], "weight_decay": 0.0}


REFERENCES = {
    "nadam": keras,
    "nadam_torch": pytorch(
        lambda tensor, options: torch.optim.NAdam([tensor], momentum_decay=options["momentum_decay"], **betas(options))
    ),
    "adamw": pytorch(lambda tensor, options: torch.optim.AdamW([tensor], **betas(options))),
    "sgd": pytorch(
        lambda tensor, options: torch.optim.SGD(
            [tensor], lr=0.0, momentum=options["momentum"], nesterov=bool(options["nesterov"])
        )
    ),
}
NAMES = {
    "nadam": "Keras' formula",
    "nadam_torch": "torch.optim.NAdam",
    "adamw": "torch.optim.AdamW",
    "muon": "its formula",
    "sgd": "torch.optim.SGD",
}
