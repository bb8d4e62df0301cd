"""Networks that posenc trained, as PyTorch modules. `load` takes an export or a cell; docs/export.md defines every tensor."""

from .model import Model, load
from .onnx import to_onnx
from .pack import pack

__all__ = ["Model", "load", "pack", "to_onnx"]
