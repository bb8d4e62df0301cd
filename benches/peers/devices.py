"""Compares what posenc computes on a device with what it computes on the CPU: every output, and the gradient.

    python devices.py --posenc ../../target/debug/posenc --device cuda:0

Same random weights, same positions (`posenc parity`), on both in f32 and in bf16. How far the CPU's own bf16 is from its
f32 is shown beside: the weights have large tables, so that is more than trained networks have. The exit code is 1 if a
difference between the devices is above its limit.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import yaml
from safetensors.torch import load_file

import data
import timing

# The largest difference of an output, as a share of the largest number in that output (at least 1); posenc's issue 4.
LIMITS = {"f32": 1e-4, "bf16": 2e-2}
# The same of a parameter's gradient in f32, as a share of the largest number there; see `parity.gradient_error`.
GRADIENT_LIMIT = 1e-3
# Batches of the gradients: the CPU has to compute them too.
GRADIENT_BATCH = 32
OURS, THEIRS = "device", "cpu"


def largest(tensor):
    return float(tensor.abs().max())


def forward_error(ours, theirs):
    floats = [name for name, tensor in theirs.items() if tensor.is_floating_point() and not name.endswith(".masked")]
    if set(ours) != set(theirs) or not floats:
        raise SystemExit(f"outputs {sorted(ours)} here, {sorted(theirs)} there")
    return max(largest(ours[name] - theirs[name]) / max(1.0, largest(theirs[name])) for name in floats)


def gradient_error(ours, theirs):
    parts = [name for name in theirs if name.startswith("gradient.")]
    floor = 1e-3 * max(largest(theirs[name]) for name in parts)
    return max(largest(ours[name] - theirs[name]) / max(largest(theirs[name]), floor) for name in parts)


def write(chosen, file, out, device, dtype):
    """One run of `posenc parity`: its rows' folders."""
    command = [chosen.posenc, "parity", file, "--out", out, "--device", device, "--dtype", dtype]
    subprocess.run(command, check=True)
    return [out / entry["folder"] for entry in json.loads((out / "rows.json").read_text())]


def main():
    arguments = argparse.ArgumentParser(description="Compare a device with the CPU.")
    arguments.add_argument("--posenc", default=str(timing.HERE.parents[1] / "target/debug/posenc"))
    arguments.add_argument("--device", default="cuda:0")
    arguments.add_argument("--model", default="cf-6m")
    arguments.add_argument("--game", choices=["chess", "shogi"], default="chess")
    arguments.add_argument("--encodings", default=",".join(timing.ENCODINGS))
    chosen = arguments.parse_args()
    chosen.batch, chosen.dtype = GRADIENT_BATCH, "f32"
    chosen.rows = timing.encodings(chosen)
    fits = True
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        data.make(chosen.posenc, work)
        file = work / "devices.yaml"
        file.write_text(yaml.safe_dump(timing.experiment(chosen)))
        folders = {
            (side, dtype): write(chosen, file, work / f"{side}-{dtype}", device, dtype)
            for side, device in ((THEIRS, "cpu"), (OURS, chosen.device))
            for dtype in LIMITS
        }
        print("| encoding | forward f32 | forward bf16 | gradient f32 | in limits | bf16 and f32 on the CPU |")
        print("|---|---:|---:|---:|---|---:|")
        for i, name in enumerate(chosen.rows):
            forward = {key: load_file(rows[i] / "forward.safetensors") for key, rows in folders.items()}
            errors = {dtype: forward_error(forward[OURS, dtype], forward[THEIRS, dtype]) for dtype in LIMITS}
            rounding = forward_error(forward[THEIRS, "bf16"], forward[THEIRS, "f32"])
            gradients = [load_file(folders[key, "f32"][i] / "gradient.safetensors") for key in (OURS, THEIRS)]
            gradient = gradient_error(*gradients)
            # Each side's bf16 may be one rounding away from the truth.
            limits = LIMITS | {"bf16": max(LIMITS["bf16"], 2 * rounding)}
            kept = all(errors[dtype] <= limits[dtype] for dtype in LIMITS) and gradient <= GRADIENT_LIMIT
            fits = fits and kept
            numbers = " | ".join(f"{number:.1e}" for number in (errors["f32"], errors["bf16"], gradient))
            print(f"| {name} | {numbers} | {'yes' if kept else 'NO'} | {rounding:.1e} |")
    print(f"{chosen.model}, {chosen.game}, {chosen.device} against the CPU; limits: forward f32 {LIMITS['f32']:g}, "
          f"bf16 {LIMITS['bf16']:g} or twice the last column, gradient {GRADIENT_LIMIT:g}, as shares of the largest number")
    raise SystemExit(0 if fits else 1)


if __name__ == "__main__":
    main()
