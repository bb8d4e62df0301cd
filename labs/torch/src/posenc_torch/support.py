"""Which networks this package has, and why it lacks the others."""

from .boards import BOARDS

ARCHITECTURES = ("chessformer", "resnet", "resnet_transformer")
# Every option of an architecture that is read here. One that is not named could change the numbers unnoticed.
OPTIONS = {
    "chessformer": "layers width heads ff embedding ff_kind ff_bias norm normalisation activation ff_activation qkv_bias qk_norm "
    "registers loops dropout out_bias policy value outputs edge refinement",
    "resnet": "blocks channels stem se activation batch_norm init policy value outputs",
    "resnet_transformer": "resnet attention embed",
}


def names(encodings):
    """(name, options) of each entry of `encoding`."""
    return [(next(iter(one.items())) if isinstance(one, dict) else (one, {})) for one in encodings]


def architecture(config):
    """The name of a network's kind."""
    return next(iter(config["model"])) if isinstance(config["model"], dict) else config["model"]


def refusal(config):
    """Why this package does not have the network of a `config.yaml`; None if it does."""
    if config["game"] not in BOARDS:
        return f"posenc_torch has no board of {config['game']}"
    kind = architecture(config)
    if kind == "decoder":
        return "a decoder reads the plies of a game one after the other, not one position"
    if kind not in ARCHITECTURES:
        return f"posenc_torch has no networks of the kind {kind}"
    model = config["model"][kind]
    unknown = sorted(set(model) - set(OPTIONS[kind].split()))
    if unknown:
        return f"posenc_torch does not know the option {unknown[0]} of {kind}"
    if kind == "chessformer" and model.get("refinement"):
        return "refinement asks for the legal moves between its two passes, and a network alone does not know them"
    if kind == "chessformer" and model.get("edge") == "hidden":
        return "posenc_torch has no squares outside the board (edge: hidden)"
    embedding = model.get("embedding")
    if isinstance(embedding, dict) and (embedding.get("parts") or {}).get("pieces") == "apart":
        return "posenc_torch has no squares of two tokens (pieces: apart)"
    if config["input"] == "tokens_68":
        placed = next((name for name, options in names(config["encoding"]) if needs_squares(name, options or {})), None)
        if placed:
            return f"in tokens_68 a token stands before the squares, and posenc_torch's {placed} does not allow for it"
    return None


def needs_squares(name, options):
    """Whether an encoding asks where in the sequence the squares lie."""
    if name == "rope":
        return options["layout"] != "flat_1d" or options.get("aux") == "unrotated"
    if name == "absolute":
        return options.get("table", "learned") != "learned"
    return name not in ("none", "smolgen", "dynamic_relative")
