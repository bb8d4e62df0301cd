"""Times a training step of posenc and of this folder's network, eager and compiled, in turns on the same machine.

    python timing.py --posenc ../../target/debug/posenc --encodings none,shaw --batch 32 --threads 2
    python timing.py --model small.yaml --batch 64

A turn is a few steps of posenc (`posenc bench encodings`), then as many of the peer, each in every encoding; a ratio is the
median over the turns of the ratio within a turn, so that whatever slows the machine for a while slows both. A step is
forward, all losses, backward, clipping by the global norm and Nadam. Peers' batches are a dataset's, posenc's are random
positions; both have the same size, network, heads, threads, device and element type.

The floor is the time of a step's multiplications (`posenc check --json`: of a forward pass; a step has three times as many)
at the fastest rate of PyTorch's matrix products here, measured in the same turns.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import torch
import yaml
from safetensors.torch import load_file

import data
import losses
from posenc_torch import network

HERE = Path(__file__).resolve().parent

# Rows that are not the example of `posenc list encodings`.
ENCODINGS = {
    "absolute": {"absolute": {"at": "every_layer"}},
    "relative_bias_pair": {"relative_bias": {"share": "pair"}},
    "shaw": "shaw",
    "smolgen": "smolgen",
    "cls_map": "cls_map",
    "dynamic_relative": "dynamic_relative",
    "rope": {"rope": {"layout": "axial_2d", "theta": 100}},
}


# Shapes of the products whose fastest rate the floor is computed with: [n,d]·[d,e].
PRODUCTS = [(2048, 256, 256), (2048, 256, 768), (4096, 64, 192), (1024, 1024, 1024)]


def model(named):
    """A preset by its name, or what stands in a YAML file."""
    path = Path(named)
    if path.suffix not in (".yaml", ".yml"):
        return {"preset": named}
    return yaml.safe_load((path if path.exists() else HERE / path).read_text())


def encodings(chosen):
    """The encodings of the rows by their names; of `all`, every one that posenc has, `none` first."""
    told = subprocess.run([chosen.posenc, "list", "encodings", "--json"], check=True, capture_output=True)
    known = {entry["name"]: yaml.safe_load(entry["example"]) for entry in json.loads(told.stdout)}
    names = sorted(known, key=lambda name: name != "none") if chosen.encodings == "all" else chosen.encodings.split(",")
    unknown = [name for name in names if name not in known | ENCODINGS]
    if unknown:
        raise SystemExit(f"--encodings: {', '.join(unknown)} unknown; take all, or some of {', '.join(known | ENCODINGS)}")
    return {name: (known | ENCODINGS)[name] for name in names}


def experiment(chosen):
    """The file that both sides are made from."""
    rows = list(chosen.rows.values())
    train = {"steps": 1, "batch": chosen.batch, "optimizer": "nadam", "learning_rate": 1.0e-5, "clip": 10.0}
    return {
        "name": "peers",
        "base": {
            "game": chosen.game,
            "data": f"searches-{chosen.game}",
            "input": "piece_tokens",
            "model": model(chosen.model),
            "train": train | {"mask": "train"} | ({"dtype": "bf16"} if chosen.dtype == "bf16" else {}),
            "eval": {"validation_positions": 1, "test_positions": 1, "every": 1},
        },
        "axes": {"encoding": rows},
        "seeds": [0],
        "reference": {"encoding": rows[0]},
        "primary": {"metric": "policy_loss", "at": "last", "weights": "raw"},
        "twin": False,
    }


class Peer:
    """A network, its optimiser and a batch."""

    def __init__(self, folder, chosen, compiled):
        config = yaml.safe_load((folder / "config.yaml").read_text())
        self.config, self.device, self.bf16 = config, torch.device(chosen.device), chosen.dtype == "bf16"
        told = load_file(folder / "gradient.safetensors", device=chosen.device)
        self.batch = {name.removeprefix("batch."): part for name, part in told.items() if name.startswith("batch.")}
        self.network = network.Network(config).to(self.device)
        self.network.load(load_file(folder / "weights.safetensors"))
        self.optimizer = torch.optim.NAdam(self.network.parameters(), lr=1e-5, betas=(0.9, 0.98), eps=1e-7, foreach=True)
        self.loss = torch.compile(self.forward) if compiled else self.forward

    def forward(self):
        channels = self.network.net.input.expand(self.batch["packed"])
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16):
            outputs = self.network(channels)
        return losses.losses({name: part.float() for name, part in outputs.items()}, self.batch, self.config)["total"]

    def step(self):
        began = time.perf_counter()
        self.optimizer.zero_grad(set_to_none=True)
        self.loss().backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 10.0, foreach=True)
        self.optimizer.step()
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        return time.perf_counter() - began


def posenc_turn(chosen, file):
    """posenc's median step of every row, in seconds."""
    options = ["--threads", str(chosen.threads), "--rounds", str(chosen.rounds), "--device", chosen.device, "--json"]
    told = subprocess.run([chosen.posenc, "bench", "encodings", file, *options], check=True, capture_output=True)
    return [row["median_s"] for row in json.loads(told.stdout)]


def peer_turn(chosen, peers):
    times = [[] for _ in peers]
    for number in range(chosen.rounds + 1):
        for own, peer in zip(times, peers):
            took = peer.step()
            if number > 0:  # the first fills caches
                own.append(took)
    return [statistics.median(own) for own in times]


def product_rate(chosen):
    """The fastest rate of PyTorch's matrix products in this element type, in operations per second."""
    dtype = torch.bfloat16 if chosen.dtype == "bf16" else torch.float32
    rates = []
    for n, d, e in PRODUCTS:
        left, right = (torch.rand(shape, device=chosen.device).to(dtype) for shape in ((n, d), (d, e)))
        times = []
        for _ in range(20):
            began = time.perf_counter()
            left @ right
            if chosen.device != "cpu":
                torch.cuda.synchronize(chosen.device)
            times.append(time.perf_counter() - began)
        rates.append(2 * n * d * e / min(times))
    return max(rates)


def multiplications(chosen, file):
    """Those of a forward pass of one position, for every row."""
    told = subprocess.run([chosen.posenc, "check", file, "--json"], check=True, capture_output=True)
    return [row["macs"] for row in json.loads(told.stdout)["rows"]]


def processor():
    """The processor's name, family and model, and whether it shows AVX-512."""
    told = dict(line.split(":", 1) for line in Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines() if ":" in line)
    told = {name.strip(): value.strip() for name, value in told.items()}
    widest = "AVX-512" if "avx512f" in told.get("flags", "") else "no AVX-512"
    return f"{told.get('model name', 'unknown')}, family {told.get('cpu family', '?')}, model {told.get('model', '?')}, {widest}"


def main():
    arguments = argparse.ArgumentParser(description="Time posenc and PyTorch in turns.")
    arguments.add_argument("--posenc", default=str(HERE.parents[1] / "target/debug/posenc"))
    arguments.add_argument("--model", default="cf-6m", help="a preset, or a YAML file that holds what `model:` does")
    arguments.add_argument("--game", choices=["chess", "shogi"], default="chess")
    arguments.add_argument("--encodings", default="none,absolute,relative_bias,shaw,smolgen,rope", help="names, or all")
    arguments.add_argument("--batch", type=int, default=32)
    arguments.add_argument("--threads", type=int, default=1)
    arguments.add_argument("--device", default="cpu")
    arguments.add_argument("--dtype", choices=["f32", "bf16"], default="f32")
    arguments.add_argument("--rounds", type=int, default=5, help="steps of a turn")
    arguments.add_argument("--turns", type=int, default=3)
    arguments.add_argument("--eager-only", action="store_true", help="leave torch.compile out")
    arguments.add_argument("--json", action="store_true")
    chosen = arguments.parse_args()
    chosen.rows = encodings(chosen)
    torch.set_num_threads(chosen.threads)
    # Each row compiles the same function again; beyond this many PyTorch would silently stay eager.
    torch._dynamo.config.recompile_limit = 1000
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        data.make(chosen.posenc, work)
        file = work / "peers.yaml"
        file.write_text(yaml.safe_dump(experiment(chosen)))
        subprocess.run([chosen.posenc, "parity", file, "--out", work / "out", "--device", chosen.device], check=True)
        folders = [work / "out" / entry["folder"] for entry in json.loads((work / "out/rows.json").read_text())]
        kinds = {"eager": [Peer(folder, chosen, False) for folder in folders]}
        if not chosen.eager_only:
            kinds["compiled"] = [Peer(folder, chosen, True) for folder in folders]
        for peers in kinds.values():
            for peer in peers:
                peer.step()  # compiles where it is to be compiled
        turns, rates = [], []
        for _ in range(chosen.turns):
            turn = {"posenc": posenc_turn(chosen, file)}
            turns.append(turn | {kind: peer_turn(chosen, peers) for kind, peers in kinds.items()})
            rates.append(product_rate(chosen))
        needed = multiplications(chosen, file)
    rows = [summary(name, turns, i) for i, name in enumerate(chosen.rows)]
    chosen.rate = statistics.median(rates)
    for row, macs in zip(rows, needed):
        row["floor_ms"] = 1e3 * 6 * macs * chosen.batch / chosen.rate
        row["posenc_over_floor"] = row["posenc_ms"] / row["floor_ms"]
    print(json.dumps(rows, indent=1) if chosen.json else text(chosen, rows))


def summary(name, turns, i):
    """Medians in milliseconds, and how many times as fast as the peer posenc is."""
    row = {"encoding": name}
    for kind in turns[0]:
        row[f"{kind}_ms"] = 1e3 * statistics.median(turn[kind][i] for turn in turns)
        if kind != "posenc":
            row[f"{kind}_over_posenc"] = statistics.median(turn[kind][i] / turn["posenc"][i] for turn in turns)
    return row


def text(chosen, rows):
    kinds = [name.removesuffix("_ms") for name in rows[0] if name.endswith("_ms") and name != "floor_ms"]
    header = ["encoding"] + [f"{kind} ms" for kind in kinds] + [f"{kind} / posenc" for kind in kinds[1:]]
    header += ["floor ms", "posenc / floor"]
    lines = ["| " + " | ".join(header) + " |", "|---|" + "---:|" * (len(header) - 1)]
    for row in rows:
        cells = [row["encoding"]] + [f"{row[f'{kind}_ms']:.1f}" for kind in kinds]
        cells += [f"{row[f'{kind}_over_posenc']:.2f}×" for kind in kinds[1:]]
        cells += [f"{row['floor_ms']:.1f}", f"{row['posenc_over_floor']:.2f}"]
        lines.append("| " + " | ".join(cells) + " |")
    what = f"{chosen.model}, {chosen.game}, batch {chosen.batch}, {chosen.dtype}, {chosen.device}"
    how = f"threads: {chosen.threads}; medians of {chosen.turns} turns of {chosen.rounds} steps, PyTorch {torch.__version__}"
    where = f"{processor()}; the floor is at {chosen.rate / 1e9:.0f} G operations/s"
    return "\n".join(lines) + f"\n{what}; {how}; above 1× posenc is faster\n{where}"


if __name__ == "__main__":
    main()
