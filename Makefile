# `make` lists what there is. Two targets are all a newcomer needs: quickstart and test.
.DEFAULT_GOAL := help
.PHONY: help quickstart test smoke setup test-setup build lint components doctests unit-tests check probe-data rated-data data engines soak test-slurm fuzz damage precision memory simulate test-html parity bench-peers bench-step-all bench-gpu tensorboard

.NOTPARALLEL:

CARGO ?= cargo
POSENC := $(or $(CARGO_TARGET_DIR),target)/debug/posenc
# From outside these would replace the flags of .cargo/config.toml, with which binaries find LibTorch.
unexport RUSTFLAGS CARGO_ENCODED_RUSTFLAGS

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r name what; do \
		printf '  make %-12s %s\n' "$$name" "$$what"; done

quickstart: build ## set up, build, train 2 games x 4 encodings x 3 seeds, print the table
	$(POSENC) run experiments/quickstart.yaml

test: components setup test-setup lint doctests unit-tests ## everything that must pass

smoke: build ## a one-minute grid: a few steps, an evaluation and the report of every cell of the quickstart
	@out=$$(mktemp -d) && trap 'rm -rf "$$out"' EXIT && set -x && \
		$(POSENC) run experiments/quickstart.yaml --smoke --out "$$out"

setup: ## check the tools, and fetch LibTorch where it is missing (`scripts/setup --help`)
	@scripts/setup

test-setup: ## the tests of the set-up
	scripts/setup-test

build: setup ## the binary, target/debug/posenc
	$(CARGO) build --locked

lint: components setup ## format and lints of every target, warnings are errors
	$(CARGO) fmt --all --check
	$(CARGO) fmt --manifest-path fuzz/Cargo.toml --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings

components:
	@for tool in fmt clippy; do $(CARGO) $$tool --version >/dev/null 2>&1 || { \
		echo "make: cargo $$tool is missing. With rustup: rustup component add rustfmt clippy" >&2; exit 1; }; done

doctests: setup
	$(CARGO) test --locked --workspace --doc

# The runner's own summary closes the run; nextest where it is installed, cargo's runner elsewhere.
unit-tests: setup
	@if $(CARGO) nextest --version >/dev/null 2>&1; then set -x; $(CARGO) nextest run --locked --workspace; \
	else set -x; $(CARGO) test --locked --workspace --lib --bins --tests; fi

check: probe-data rated-data ## validate every experiment file: cells, parameters, FLOPs
	@for file in experiments/*.yaml experiments/implicit-search/*.yaml; do (set -x; $(POSENC) check "$$file") || exit 1; done

probe-data: build ## the datasets of experiments/probes.yaml, by the commands at its top (seconds)
	@for game in chess shogi; do test -d experiments/data/attacked-$$game || \
		$(POSENC) data generate probe attacked-squares --game $$game --positions 30000 --seed 1 \
			--out experiments/data/attacked-$$game || exit 1; done

rated-data: build ## the dataset of experiments/implicit-search/curriculum.yaml: 438 games of Lichess by rating (seconds)
	@test -d experiments/data/rated-chess || $(POSENC) data import --game chess \
		--from games/dataset/tests/data/chess_lichess_438.pgn.zst \
		--rating-buckets 500,1000,1500,2000,2500 --out experiments/data/rated-chess

data: build engines ## make the starter datasets anew: engine games with MultiPV policies (10 minutes on 2 cores)
	scripts/starter-data

engines: ## install Debian's stockfish and fairy-stockfish, for `posenc data generate engines`
	@scripts/engines

# Cells, kills and the seed of their moments.
CELLS ?= 60
KILLS ?= 40
SEED ?= 1

soak: setup ## kill two runners of a grid of CELLS=60 at KILLS=40 random moments: every cell once, the same bits
	POSENC_SOAK_CELLS=$(CELLS) POSENC_SOAK_KILLS=$(KILLS) POSENC_SOAK_SEED=$(SEED) \
		$(CARGO) test --locked -p experiments --test all soak::

test-slurm: build ## a tiny grid through Slurm's own daemons on this machine, installed where they are missing (Debian, root)
	scripts/test-slurm $(POSENC)

# How long each fuzz target runs, and how many inputs each seeded test gets.
SECONDS ?= 20
CASES ?= 1000000

fuzz: ## run every fuzz target for SECONDS=20 each (needs a nightly toolchain and cargo-fuzz)
	scripts/fuzz $(SECONDS)

damage: setup ## the seeded tests of damaged files, with CASES=1000000 inputs for each reader
	POSENC_CASES=$(CASES) $(CARGO) test --locked -p games --test damage

precision: setup ## train a tiny network for 2,000 steps in bf16 and check that no number is a NaN
	POSENC_BF16_STEPS=2000 $(CARGO) test --locked -p models --test all bf16::many_steps

# Of the input in MB; the disk needs about two and a half times as much, in TMPDIR.
MEGABYTES ?= 2000

memory: setup ## import MEGABYTES=2000 of games and check that less than 1 GB of memory is needed
	POSENC_MEMORY_MB=$(MEGABYTES) $(CARGO) test --locked -p dataset --test memory -- --nocapture

# Simulated grids, each of 10 comparisons with 3 and with 5 seeds.
GRIDS ?= 10000

simulate: setup ## the statistics on GRIDS=10000 simulated grids with known effects: coverage, false verdicts
	POSENC_GRIDS=$(GRIDS) $(CARGO) test --locked -p report --test all simulation:: -- --nocapture

test-html: setup ## open a report in headless Chromium: no console errors, every plot visible (skips without a browser)
	$(CARGO) test --locked -p report --test all browser -- --nocapture

parity: build ## compare with an independent network in PyTorch, number by number (docs/parity.md)
	benches/peers/python benches/peers/parity.py --posenc $(POSENC) --page docs/parity.md

# Options of benches/peers/timing.py, e.g. PEERS="--encodings shaw --batch 32 --threads 2".
PEERS ?=

bench-peers: build ## time a training step beside PyTorch's, eager and compiled, in turns: make bench-peers PEERS="--rounds 9"
	benches/peers/python benches/peers/timing.py --posenc $(POSENC) $(PEERS)

# Stages of scripts/bench-gpu, all by default, e.g. STAGES="parity timing".
STAGES ?=

bench-step-all: build ## a real training step of every published network at its full size, in turns (14 GB)
	$(POSENC) bench encodings experiments/presets.yaml --rounds 1

bench-gpu: build ## the same on a GPU in bf16, batch 2048; without one, packs target/bench-gpu to take to a machine with one
	scripts/bench-gpu-pack $(POSENC)
	target/bench-gpu/scripts/bench-gpu $(STAGES)

tensorboard: ## look at every run in TensorBoard
	@command -v tensorboard >/dev/null || { echo "make: tensorboard is missing: pip install tensorboard" >&2; exit 1; }
	tensorboard --logdir runs
