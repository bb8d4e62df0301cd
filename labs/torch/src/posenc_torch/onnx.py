"""A network as an ONNX file, for batches of any size. What it reads has one of these forms:

dlshogi  `input1` f32 `[batch, 62, 9, 9]` and `input2` f32 `[batch, 57, 9, 9]`, planes file by file as dlshogi has them;
         outputs `output_policy` `[batch, 2187]`, logits, and `output_value` `[batch, 1]`, the expected points
planes   `planes` f32 `[batch, channels, ranks, files]`
tokens   `tokens` f32 `[batch, tokens, channels]`
packed   `packed` u8 `[batch, row]`
"""

import copy
from pathlib import Path

import torch
from torch import nn

from .boards import CLASSES, PLANES, cells, dlshogi_square
from .points import OfParameters
from .support import architecture

FORMS = ("dlshogi", "planes", "tokens", "packed")
# Planes that say something about their square; the others are `input2`.
OWN_PLANES = 62
# A logit of what no piece can do; engines read those of legal moves.
IMPOSSIBLE = -1e4
# Engines' libraries lag behind: dlshogi's form has PyTorch's oldest.
OPSETS = {"dlshogi": 18}


def unfit(config, form):
    """Why a network's file cannot have a form; None if it can."""
    kind, game = architecture(config), config["game"]
    embedding = config["model"][kind].get("embedding")
    if form == "dlshogi":
        heads = outputs(config)
        if config["input"] != "dlshogi_62_57":
            return f"its input is {config['input']}, and dlshogi gives dlshogi_62_57"
        if config.get("moves", "from_to") not in PLANES:
            return "from_to names the square that a move leaves, and dlshogi's labels its direction"
        if "policy" not in heads or not {"win_rate", "result"} & set(heads):
            return "dlshogi reads a policy and a win rate, and this network lacks one of them"
    if form in ("planes", "tokens") and isinstance(embedding, dict) and "parts" in embedding:
        return "embedding: parts reads the packed row"
    if form == "planes" and (config["input"] == "tokens_68" or "cls" in config["input"] or "aux" in config["input"]):
        return f"{config['input']} of {game} has tokens that are no squares"
    return None


def outputs(config):
    """The heads of a network."""
    model = config["model"][architecture(config)]
    return model.get("resnet", model).get("outputs") or {"policy": {}, "result": {}}


def usual(config):
    """The form that is written if none is named: dlshogi's if the network fits, else planes for convolutions and tokens."""
    forms = ("dlshogi", "tokens" if architecture(config) == "chessformer" else "planes", "packed")
    return next(form for form in forms if not unfit(config, form))


class Listed(nn.Module):
    """The outputs as a tuple in a fixed order."""

    def __init__(self, model, names):
        super().__init__()
        self.network, self.names = model.network, names

    def listed(self, x):
        found = self.network(x)
        return tuple(found[name] for name in self.names)


class Packed(Listed):
    def forward(self, packed):
        return self.listed(self.network.prepare(packed))


class Tokens(Listed):
    def forward(self, tokens):
        return self.listed(tokens)


class Planes(Listed):
    def forward(self, planes):
        return self.listed(planes.flatten(2).transpose(1, 2))


class Dlshogi(Listed):
    """dlshogi numbers squares file by file, and has a label for what no piece can do."""

    def __init__(self, model, names):
        super().__init__(model, names)
        net = model.network.net
        number = {dlshogi_square(own, net.board): own for own in range(net.board.squares)}
        squares = torch.tensor([number[square] for square in range(net.board.squares)])
        self.register_buffer("squares", squares, persistent=False)
        self.moves = net.moves
        # For each of dlshogi's labels the place of its logit; where it has none, the one behind the last.
        place = {entry: at for at, entry in enumerate(cells(net.moves, net.game, net.board)[1])}
        labels = [(kind, dlshogi_square(own, net.board)) for kind in range(CLASSES) for own in range(net.board.squares)]
        order = [place.get((renamed(kind, net.moves), square), len(place)) for kind, square in labels]
        self.register_buffer("labels", torch.tensor(order), persistent=False)

    def forward(self, input1, input2):
        x = torch.cat([input1, input2], 1).flatten(2)[:, :, self.squares].transpose(1, 2)
        policy, value = self.listed(x)
        if self.moves != "dlshogi_2187":
            policy = nn.functional.pad(policy, (0, 1), value=IMPOSSIBLE)[:, self.labels]
        if value.dim() == 2:
            shares = value.softmax(1)
            value = shares[:, 0] + shares[:, 1] / 2
        return policy, value[:, None]


def renamed(kind, moves):
    """dlshogi's class in another vocabulary: python-dlshogi2 has the gold before bishop and rook."""
    return {24: 25, 25: 26, 26: 24}.get(kind, kind) if moves == "python_dlshogi_2187" else kind


def written(model, form):
    """The module of a form, its inputs by name with a batch of two, and the names of its outputs."""
    net = model.network.net
    board, seen = net.board, net.input
    rows = torch.zeros(2, seen.row_bytes, dtype=torch.uint8)
    if form == "dlshogi":
        shapes = {"input1": OWN_PLANES, "input2": seen.channels - OWN_PLANES}
        inputs = {name: torch.zeros(2, channels, board.files, board.ranks) for name, channels in shapes.items()}
        read = ["policy", "win_rate" if "win_rate" in outputs(model.config) else "result"]
        return Dlshogi(model, read), inputs, ["output_policy", "output_value"]
    with torch.no_grad():
        names = [name for name in model(rows) if name != "trunk"]
    if form == "planes":
        return Planes(model, names), {"planes": torch.zeros(2, seen.channels, board.ranks, board.files)}, names
    if form == "tokens":
        return Tokens(model, names), {"tokens": torch.zeros(2, seen.tokens, seen.channels)}, names
    return Packed(model, names), {"packed": rows}, names


def to_onnx(model, path, form=None, opset=None):
    """Writes a network in a form of this module's list, the usual one if none is named; returns its name. But for dlshogi's
    form the outputs are those of `Model.forward`, without `trunk`.

    Raises ValueError for a form that the network cannot have, ImportError without the packages `onnx` and `onnxscript` (`pip
    install 'labs/torch[onnx]'`).
    """
    form = form or usual(model.config)
    why = unfit(model.config, form)
    if why:
        raise ValueError(f"it cannot read {form}: {why}")
    try:
        import onnx  # noqa: F401  PyTorch's exporter needs both.
        import onnxscript  # noqa: F401
    except ImportError as missing:
        raise ImportError(f"the package {missing.name} is missing: pip install 'labs/torch[onnx]'") from missing
    model = copy.deepcopy(model)
    for part in model.modules():
        if isinstance(part, OfParameters):
            part.fix()
    module, inputs, names = written(model, form)
    batch = torch.export.Dim("batch")
    torch.onnx.export(
        module.eval(),
        tuple(inputs.values()),
        str(Path(path)),
        dynamo=True,
        external_data=False,
        opset_version=opset or OPSETS.get(form, 20),
        input_names=list(inputs),
        output_names=names,
        dynamic_shapes=tuple({0: batch} for _ in inputs),
        verbose=False,
    )
    return form
