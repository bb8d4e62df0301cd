# `make` lists the targets. A newcomer needs two: quickstart and test.
.DEFAULT_GOAL := help
.PHONY: help quickstart test smoke setup build lint check data bench parity report dist long-check

.NOTPARALLEL:

CARGO ?= cargo
POSENC := $(or $(CARGO_TARGET_DIR),target)/debug/posenc
# If set outside, these would replace the flags of .cargo/config.toml with which binaries find LibTorch.
unexport RUSTFLAGS CARGO_ENCODED_RUSTFLAGS
# The first build is shorter without the files for incremental builds. Where cargo itself has made some, they are used and kept.
export CARGO_INCREMENTAL ?= $(if $(wildcard $(or $(CARGO_TARGET_DIR),target)/debug/incremental/*),1,0)

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r name what; do \
		printf '  make %-12s %s\n' "$$name" "$$what"; done

# Labs are left out: the quickstart needs none of them.
quickstart: LABS := --no-default-features
quickstart: build ## set up, build, train 2 games x 7 encodings x 3 seeds, print the table
	scripts/data probe
	$(POSENC) run experiments/quickstart.yaml

test: lint ## run all tests and lints
	scripts/deny
	scripts/long-check other-processors
	$(CARGO) test --locked --workspace --doc
	scripts/long-check libtorch
	scripts/run-tests --workspace

smoke: build ## try every cell of the quickstart for a few steps, with evaluation and report (one minute)
	scripts/data probe
	@out=$$(mktemp -d) && trap 'rm -rf "$$out"' EXIT && set -x && \
		$(POSENC) run experiments/quickstart.yaml --smoke --out "$$out"

setup: ## check the tools, and fetch LibTorch if it is missing (`scripts/setup --help`)
	@scripts/setup

build: setup ## build the binary with all labs, target/debug/posenc
	$(CARGO) build --locked $(LABS)

lint: setup ## check format, links, and lints of every target and of the core without labs; warnings are errors
	@for tool in fmt clippy; do $(CARGO) $$tool --version >/dev/null 2>&1 || { \
		echo "make: cargo $$tool is missing. With rustup: rustup component add rustfmt clippy" >&2; exit 1; }; done
	$(CARGO) fmt --all --check
	$(CARGO) fmt --manifest-path fuzz/Cargo.toml --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	$(CARGO) clippy --locked -p experiments --no-default-features --all-targets -- -D warnings
	$(CARGO) clippy --locked -p games --features skirmish --all-targets -- -D warnings
	scripts/links

check: build ## generate the datasets of all experiment files and validate the files: cells, parameters, FLOPs
	scripts/data
	@for file in experiments/*.yaml experiments/studies/*.yaml experiments/papers/*/*.yaml; do case $$file in \
		*/data-attacked-*|*/data-policies-*|*/data-width-*|*/data-plateau-*|*/data-drift-*|*/data-tuned-*|*/data-carried-*|*/data-knowledge-attacked.yaml) echo "make: skipped $$file, whose dataset takes long to make: see its top" ;; \
		*/size-transfer.yaml|*/board-transfer.yaml|*/board-budgets.yaml|*/board-zero-shot.yaml|*/data-knowledge-chess.yaml) \
			echo "make: skipped $$file, which starts with networks of another file: see its top" ;; \
		*) (set -x; $(POSENC) check "$$file") || exit 1 ;; esac; done

data: build ## generate datasets that are missing: SET="probe task unseen minishogi boards rated", or SET=starter (again, 13 minutes)
	scripts/data $(SET)

bench: build ## time training steps: WHAT=peers against PyTorch, WHAT=steps of published networks (14 GB), WHAT=gpu
	scripts/bench "$(WHAT)" $(OPTIONS)

parity: build ## compare with an independent network in PyTorch, number by number (docs/performance.md)
	benches/peers/python benches/peers/parity.py --posenc $(POSENC) --page target/parity.md

REPORT := target/report

report: build ## write every page that has a template from runs/published, and target/report/report.pdf (skips without TeX)
	$(POSENC) render README.md.jinja README.ja.md.jinja $$(find docs -name '*.jinja')
	@if command -v latexmk >/dev/null 2>&1; then set -ex; \
		mkdir -p $(REPORT); cp docs/report/report.tex docs/report/report.bib $(REPORT); \
		$(POSENC) report runs/published/study-encodings.tar.zst --figures $(REPORT)/figures; \
		$(POSENC) report runs/published/study-data-attacked-chess.tar.zst --figures $(REPORT)/figures/data; \
		cp docs/inspect-shogi.png $(REPORT)/figures/shogi-heads.png; \
		cd $(REPORT); latexmk -pdf -quiet -interaction=nonstopmode -halt-on-error report.tex; \
	else echo "make: skipped, latexmk is missing. Debian: apt install texlive-latex-recommended texlive-fonts-recommended lmodern latexmk"; fi

dist: build ## pack the binary for other machines in target/dist: WHAT=wheel, archive or container; without WHAT the first two
	scripts/dist $(WHAT)

long-check: ## run a check that takes long or needs other programs: NAME=soak; without NAME, list them
	@scripts/long-check $(NAME)
