# `make` lists what there is. Two targets are all a newcomer needs: quickstart and test.
.DEFAULT_GOAL := help
.PHONY: help quickstart test smoke setup test-setup build lint components doctests unit-tests check data engines fuzz damage tensorboard

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

check: build ## validate every experiment file: cells, parameters, FLOPs
	@for file in experiments/*.yaml; do (set -x; $(POSENC) check "$$file") || exit 1; done

data: build ## make the starter datasets anew from their games: make data CHESS=FILE.pgn.zst SHOGI=FILE.csa.zst
	@test -f "$(CHESS)" && test -f "$(SHOGI)" || { \
		echo "make: name the two files: make data CHESS=selfplay_stockfish.pgn.zst SHOGI=selfplay_fairy.csa.zst" >&2; exit 2; }
	scripts/starter-data "$(CHESS)" "$(SHOGI)"

engines: ## install Debian's stockfish and fairy-stockfish, for `posenc data generate engines`
	@scripts/engines

# How long each fuzz target runs, and how many inputs each seeded test gets.
SECONDS ?= 20
CASES ?= 1000000

fuzz: ## run every fuzz target for SECONDS=20 each (needs a nightly toolchain and cargo-fuzz)
	scripts/fuzz $(SECONDS)

damage: setup ## the seeded tests of damaged files, with CASES=1000000 inputs for each reader
	POSENC_CASES=$(CASES) $(CARGO) test --locked -p games --test damage

tensorboard: ## look at every run in TensorBoard
	@command -v tensorboard >/dev/null || { echo "make: tensorboard is missing: pip install tensorboard" >&2; exit 1; }
	tensorboard --logdir runs
