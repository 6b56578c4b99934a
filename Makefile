# Satchel: what can be done with this tree. `make` alone lists it.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.ONESHELL:

# One target directory outside the tree, so that a second clone builds nothing twice.
export CARGO_TARGET_DIR ?= $(HOME)/.cache/satchel/target
# Set outside, they would take the place of what .cargo/config.toml says, and the binary would be linked otherwise: silently.
unexport RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_TARGET
TARGET := $(CARGO_TARGET_DIR)
# .cargo/config.toml names the machine's own target, so what is built lies below its name.
BUILT = $(TARGET)/$(shell rustc -vV | sed -n 's/^host: //p')
CARGO := cargo
LOCKED := --locked
# What `make bench` measures; `make bench PROFILE=quick` saves the long build.
PROFILE ?= measured
BENCHES ?=
# What `make test` runs; all of it where nothing is said. WALKS are parts of names of walks, with commas between them.
STAGES ?=
export WALKS ?=

WEB_SOURCES := $(shell find web -type f -not -path '*/node_modules/*' -not -path 'web/dist/*' 2>/dev/null)
NODE_STAMP := web/node_modules/.package-lock.json

.PHONY: help run build web model test check tidy fmt fuzz conformance bench dist

help: ## list the targets
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 16

run: web model ## build and start Satchel; it prints the link to open (ARGS="--listen 127.0.0.1:9000")
	@$(CARGO) build $(LOCKED) --profile quick --bin satchel
	exec $(BUILT)/quick/satchel serve $(ARGS)

build: web model ## build the release binary; the last line is its path
	@$(CARGO) build $(LOCKED) --release --bin satchel
	echo "$(BUILT)/release/satchel"

web: web/dist/index.html ## build the console

model: ## fetch the embedding model, once for all clones
	@scripts/dev/model/build

$(NODE_STAMP): web/package.json web/package-lock.json
	@scripts/dev/needs rust node python cc
	cd web && npm ci --no-audit --no-fund --loglevel=error
	touch node_modules/.package-lock.json

web/dist/index.html: $(NODE_STAMP) $(WEB_SOURCES)
	@cd web && npm run --silent build
	touch dist/index.html

# The binary is compiled once: the integration tests and the browser tests start the same file.
test: web model ## run every test: web units, Rust, browsers (STAGES="web rust walks", or WALKS="palette, a run stops")
	@scripts/dev/needs rust node python cc nextest age postgres chromium firefox
	scripts/dev/test $(STAGES)

check: web model tidy ## formatting, lints, types, layers, licences, unused crates; fails on the first warning
	@scripts/dev/needs rust node python cc machete
	$(CARGO) fmt --all --check
	python3 scripts/dev/graph.py deny.toml
	$(CARGO) machete
	(cd web && npm run --silent check)
	$(CARGO) clippy $(LOCKED) --all-targets --quiet -- -D warnings

# Compiled alone, without the crate: a second instead of minutes.
tidy: ## the rules of the tree itself: layers, sizes, where SQL may stand
	@scripts/dev/needs rust
	mkdir -p $(TARGET)
	CARGO_MANIFEST_DIR="$(CURDIR)" rustc --edition 2024 --test -o $(TARGET)/tidy tests/it/tidy/mod.rs
	RUST_BACKTRACE=0 $(TARGET)/tidy --quiet

fmt: $(NODE_STAMP) ## format the Rust sources, the console's and those of the browser tests
	@$(CARGO) fmt --all
	cd web && npm run --silent fmt

fuzz: web model ## hold the server against its own OpenAPI document (ARGS="--phases fuzzing --max-examples 100")
	@scripts/dev/needs rust node python venv cc
	$(CARGO) build $(LOCKED) --bin satchel
	python3 scripts/dev/fuzz/run.py $(BUILT)/debug/satchel $(ARGS)

conformance: web model ## hold the MCP server against the protocol's official suite
	@scripts/dev/needs rust node cc
	cd tests/conformance && npm ci --no-audit --no-fund
	CONFORMANCE=$(CURDIR)/tests/conformance $(CARGO) nextest run $(LOCKED) --test it --run-ignored ignored-only -E 'test(mcp::conformance)'

bench: web model ## measure what docs/benchmarks.md promises (BENCHES="calls gets", PROFILE=quick)
	@scripts/dev/needs rust node python cc
	$(CARGO) bench $(LOCKED) --profile $(PROFILE) --bench figures -- $(BENCHES)

dist: web model ## build one static executable and prove that it runs alone; the last line is its path
	@scripts/dev/needs rust node python cc
	python3 scripts/dev/dist.py
