"""A network as an ONNX file: packed rows in, every output by its name, any batch."""

from pathlib import Path

import torch
from torch import nn

from .model import outputs


class Listed(nn.Module):
    """The outputs as a tuple in a fixed order."""

    def __init__(self, model, names):
        super().__init__()
        self.model, self.names = model, names

    def forward(self, packed):
        found = self.model(packed)
        return tuple(found[name] for name in self.names)


def to_onnx(model, path, opset=20):
    """Writes a network: input `packed`, u8 `[batch, row]`; outputs as in `Model.forward`, without `trunk`.

    Raises ImportError without the packages `onnx` and `onnxscript` (`pip install 'posenc-torch[onnx]'`).
    """
    try:
        import onnx  # noqa: F401  PyTorch's exporter needs both.
        import onnxscript  # noqa: F401
    except ImportError as missing:
        raise ImportError(f"{missing.name} is missing: pip install 'posenc-torch[onnx]'") from missing
    names = [name for name in outputs(model) if name != "trunk"]
    rows = torch.zeros(2, model.network.net.input.row_bytes, dtype=torch.uint8)
    torch.onnx.export(
        Listed(model, names).eval(),
        (rows,),
        str(Path(path)),
        dynamo=True,
        external_data=False,
        opset_version=opset,
        input_names=["packed"],
        output_names=names,
        dynamic_shapes=({0: torch.export.Dim("batch")},),
        verbose=False,
    )
