# `make` lists the targets. A newcomer needs two: quickstart and test.
.DEFAULT_GOAL := help
.PHONY: help quickstart test smoke setup test-setup build lint other-processors components doctests unit-tests check probe-data task-data unseen-data rated-data data engines soak test-slurm test-lc0 fuzz damage precision memory simulate test-html parity bench-peers bench-step-all bench-gpu tensorboard clients torch-test example site report pages deny libtorch-tests test-fake-gpu

.NOTPARALLEL:

CARGO ?= cargo
POSENC := $(or $(CARGO_TARGET_DIR),target)/debug/posenc
# If set outside, these would replace the flags of .cargo/config.toml with which binaries find LibTorch.
unexport RUSTFLAGS CARGO_ENCODED_RUSTFLAGS

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r name what; do \
		printf '  make %-12s %s\n' "$$name" "$$what"; done

# Labs are left out: the quickstart needs none of them.
quickstart: LABS := --no-default-features
quickstart: probe-data ## set up, build, train 2 games x 7 encodings x 3 seeds, print the table
	$(POSENC) run experiments/quickstart.yaml

test: components setup test-setup lint deny other-processors doctests libtorch-tests unit-tests ## run all tests and lints

smoke: probe-data ## try every cell of the quickstart for a few steps, with evaluation and report (one minute)
	@out=$$(mktemp -d) && trap 'rm -rf "$$out"' EXIT && set -x && \
		$(POSENC) run experiments/quickstart.yaml --smoke --out "$$out"

setup: ## check the tools, and fetch LibTorch if it is missing (`scripts/setup --help`)
	@scripts/setup

test-setup: ## test the set-up
	scripts/setup-test

build: setup ## build the binary with all labs, target/debug/posenc
	$(CARGO) build --locked $(LABS)

lint: components setup ## check format and lints of every target, and of the core without labs; warnings are errors
	$(CARGO) fmt --all --check
	$(CARGO) fmt --manifest-path fuzz/Cargo.toml --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	$(CARGO) clippy --locked -p experiments --no-default-features -- -D warnings
	@if command -v python3 >/dev/null 2>&1; then scripts/links; else echo "make: skipped scripts/links, python3 is missing"; fi

# The standard library of another processor comes through rustup; without it there is nothing to check against.
other-processors: ## check that crate kernels compiles for Arm's NEON (skips without the target aarch64-unknown-linux-gnu)
	@if rustup target add aarch64-unknown-linux-gnu >/dev/null 2>&1; then \
		set -x; $(CARGO) check --locked -p kernels --target aarch64-unknown-linux-gnu; \
	else echo "make: skipped, rustup cannot install the target aarch64-unknown-linux-gnu"; fi

deny: ## check licences, sources and duplicate versions of dependencies (installs cargo-deny)
	@scripts/deny

components:
	@for tool in fmt clippy; do $(CARGO) $$tool --version >/dev/null 2>&1 || { \
		echo "make: cargo $$tool is missing. With rustup: rustup component add rustfmt clippy" >&2; exit 1; }; done

doctests: setup
	$(CARGO) test --locked --workspace --doc

# With nextest if it is installed, otherwise with cargo's own runner.
RUN_TESTS = if $(CARGO) nextest --version >/dev/null 2>&1; then set -x; $(CARGO) nextest run --locked $(1); \
	else set -x; $(CARGO) test --locked $(1) --lib --bins --tests; fi

unit-tests: setup
	@$(call RUN_TESTS,--workspace)

# What a GPU computes with: LibTorch's operations.
libtorch-tests: setup ## test layers, encodings and networks without posenc's own CPU operations, as a GPU runs them
	@export POSENC_KERNELS=off; $(call RUN_TESTS,-p nn -p encodings -p models)

check: probe-data task-data unseen-data rated-data ## validate every experiment file: cells, parameters, FLOPs
	@for file in experiments/*.yaml experiments/*/*.yaml; do case $$file in \
		experiments/studies/data-*) echo "make: skipped $$file, whose dataset takes long to make: see its top" ;; \
		*) (set -x; $(POSENC) check "$$file") || exit 1 ;; esac; done

probe-data: build ## generate the datasets of experiments/studies/probes.yaml, by the commands at its top (seconds)
	@for game in chess shogi; do test -d experiments/data/attacked-$$game || \
		$(POSENC) data generate probe attacked-squares --game $$game --positions 30000 --seed 1 \
			--out experiments/data/attacked-$$game || exit 1; done

task-data: build ## generate the datasets of experiments/studies/zoo-*.yaml, by the commands at their tops (two minutes)
	@for task in mobility attackers pins legal-moves; do for game in chess shogi; do \
		test -d experiments/data/$$task-$$game || \
		$(POSENC) data generate probe $$task --game $$game --positions 30000 --seed 1 \
			--out experiments/data/$$task-$$game || exit 1; done; done

unseen-data: build ## generate the datasets of experiments/studies/unseen-*.yaml, by the commands at their tops (a minute)
	@for game in chess shogi; do for kind in edges:edge-sliders translated:translated-boards; do for control in "" "-control"; do \
		out=experiments/data/unseen-$${kind%%:*}$$control-$$game; test -d $$out || \
		$(POSENC) data generate probe attacked-squares --unseen $${kind##*:} $${control:+-}$$control --game $$game \
			--positions 30000 --seed 1 --out $$out || exit 1; done; done; done

rated-data: build ## import the dataset of experiments/papers/implicit-search/curriculum.yaml: 438 games of Lichess by rating (seconds)
	@test -d experiments/data/rated-chess || $(POSENC) data import --game chess \
		--from games/dataset/tests/data/chess_lichess_438.pgn.zst \
		--rating-buckets 500,1000,1500,2000,2500 --out experiments/data/rated-chess

data: build engines ## generate the starter datasets again: engine games with MultiPV policies (10 minutes on 2 cores)
	scripts/starter-data

engines: ## install Debian's stockfish and fairy-stockfish, for `posenc data generate engines`
	@scripts/engines

# The number of cells and kills, and the seed of the moments.
CELLS ?= 60
KILLS ?= 40
SEED ?= 1

soak: setup ## kill two runners of a grid of CELLS=60 at KILLS=40 random moments; check that every cell ends once, bit-identically
	POSENC_SOAK_CELLS=$(CELLS) POSENC_SOAK_KILLS=$(KILLS) POSENC_SOAK_SEED=$(SEED) \
		$(CARGO) test --locked -p experiments --test all soak::

test-slurm: build ## run a tiny grid through Slurm's daemons on this machine; install them if missing (Debian, root)
	scripts/test-slurm $(POSENC)

test-fake-gpu: build ## run PyTorch's real CUDA path over a stand-in for the GPU; count a step's launches (skips without CUDA's libraries)
	scripts/test-fake-gpu $(POSENC)

# Seconds per fuzz target; inputs per seeded test of bytes and of meaning.
SECONDS ?= 20
CASES ?= 1000000
CHANGES ?= 100000
# Crates with a reader of what strangers send, beside `games`.
DAMAGED := -p dataset -p config -p train -p bundle -p lc0

test-lc0: build ## compare exported networks with Lc0 itself, which it builds; skips where that is impossible (docs/export.md)
	scripts/test-lc0 $(POSENC)

fuzz: ## run every fuzz target for SECONDS=20 each (needs a nightly toolchain and cargo-fuzz)
	scripts/fuzz $(SECONDS)

damage: setup ## test CASES=1000000 damaged inputs per reader of bytes, and CHANGES=100000 per format whose meaning is changed; print what was accepted
	POSENC_CASES=$(CASES) $(CARGO) test --locked -p games --test all damage:: -- --nocapture
	POSENC_CASES=$(CASES) $(CARGO) test --locked $(DAMAGED) --test all damage::bytes:: -- --nocapture
	POSENC_CASES=$(CHANGES) $(CARGO) test --locked $(DAMAGED) --test all damage::meaning:: -- --nocapture

precision: setup ## train a tiny network for 2,000 steps in bf16 and check for NaN
	POSENC_BF16_STEPS=2000 $(CARGO) test --locked -p models --test all bf16::many_steps

# Megabytes of input; TMPDIR needs about 2.5 times as much.
MEGABYTES ?= 2000

memory: setup ## import MEGABYTES=2000 of games and check that it takes less than 1 GB of memory
	POSENC_MEMORY_MB=$(MEGABYTES) $(CARGO) test --locked -p dataset --test memory -- --nocapture

# Simulated grids, each of 10 comparisons with 3 and with 5 seeds.
GRIDS ?= 10000

simulate: setup ## check coverage and false verdicts on GRIDS=10000 simulated grids with known effects
	POSENC_GRIDS=$(GRIDS) $(CARGO) test --locked -p report --test all simulation:: -- --nocapture

test-html: setup ## open a report in headless Chromium and check every plot (skips without a browser)
	$(CARGO) test --locked -p report --test all browser -- --nocapture

parity: build ## compare with an independent network in PyTorch, number by number (docs/parity.md)
	benches/peers/python benches/peers/parity.py --posenc $(POSENC) --page target/parity.md

# Options of benches/peers/timing.py, e.g. PEERS="--encodings shaw --batch 32 --threads 2".
PEERS ?=

torch-test: ## test posenc-torch, the networks as a Python package; POSENC=PROGRAM tests every encoding (docs/export.md)
	labs/torch/python -m pytest -q --nbmake labs/torch/tests labs/torch/examples

example: setup ## apply docs/add-encoding.patch to a copy of the repository and test the encoding there (CONTRIBUTING.md)
	rm -rf target/example && git clone -q . target/example && cd target/example && git apply docs/add-encoding.patch && \
		ln -s "$$(readlink -f ../../.libtorch)" .libtorch && $(CARGO) test --locked -p encodings --target-dir ../example-build

pages: build ## write every page of a template (page.md.jinja) from runs/published (docs/metrics.md)
	$(POSENC) render README.md.jinja $$(find docs -name '*.jinja')

REPORT := target/report

report: build ## build the technical report in target/report/report.pdf, its numbers and figures from runs/published (skips without TeX)
	@if command -v latexmk >/dev/null 2>&1; then set -ex; \
		$(POSENC) render docs/report/report.tex.jinja; mkdir -p $(REPORT); cp docs/report/report.tex docs/report/report.bib $(REPORT); \
		$(POSENC) report runs/published/study-encodings.tar.zst --figures $(REPORT)/figures; \
		cd $(REPORT); latexmk -pdf -quiet -interaction=nonstopmode -halt-on-error report.tex; \
	else echo "make: skipped, latexmk is missing. Debian: apt install texlive-latex-recommended texlive-fonts-recommended lmodern latexmk"; fi

site: ## build the documentation as a site in target/site, and check its links (skips without mdbook)
	@scripts/site

bench-peers: build ## time a training step against PyTorch's, eager and compiled, interleaved: make bench-peers PEERS="--rounds 9"
	benches/peers/python benches/peers/timing.py --posenc $(POSENC) $(PEERS)

# Stages of scripts/bench-gpu, all by default, e.g. STAGES="parity timing".
STAGES ?=

bench-step-all: build ## time a real training step of every published network at full size, interleaved (14 GB)
	$(POSENC) bench encodings experiments/papers/systems/presets.yaml --rounds 1

bench-gpu: probe-data ## time training steps on a GPU in bf16, batch 2048; without a GPU, pack target/bench-gpu for another machine
	scripts/bench-gpu-pack $(POSENC)
	target/bench-gpu/scripts/bench-gpu $(STAGES)

tensorboard: ## open every run in TensorBoard
	@command -v tensorboard >/dev/null || { echo "make: tensorboard is missing: pip install tensorboard" >&2; exit 1; }
	tensorboard --logdir runs

# A cell of a game, and what benches/clients/games.py takes, e.g. CELL=runs/x/y/seed-0 CLIENTS="--game shogi --games 200".
CLIENTS ?=

clients: build ## play 200 games of the cell CELL through the clients of python-chess or cshogi
	@test -n "$(CELL)" || { echo "make: name a cell: make clients CELL=runs/<experiment>/<row>/seed-0" >&2; exit 1; }
	benches/clients/python benches/clients/games.py --posenc $(POSENC) --cell $(CELL) $(CLIENTS)
