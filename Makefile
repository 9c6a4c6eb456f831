# Everything starts here. `make help` lists what there is.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help env demo test lint types layers unit chromium baseline docs chaos contract bench lock clean

help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

env: $(STAMP) ## Make the environment (.venv) from the pinned requirements

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" || { echo "Winnow needs Python 3.11 or newer: make PYTHON=/path/to/python3"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: env ## Start everything with a small shop on this machine, and take a tour
	$(BIN)/winnow demo

test: lint types layers unit ## Everything that has to be green: lint, types, layers, tests

lint: env ## Style (ruff)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: env ## Types (mypy, strict)
	$(BIN)/mypy

layers: env ## Imports point upstream only (import-linter)
	$(BIN)/lint-imports

unit: env chromium ## All tests, on a real PostgreSQL that they start themselves
	$(BIN)/python -m tests.suite

chromium: ## Put a Chromium on this machine if there is none (for the browser tests)
	@.ci/install-chromium

chaos: env ## Kill workers and the database in the middle of the work (minutes)
	$(BIN)/python -m tests.chaos.kill_workers
	$(BIN)/python -m tests.chaos.restart_database
	$(BIN)/python -m tests.chaos.politeness
	$(BIN)/python -m tests.chaos.feed_races
	$(BIN)/python -m tests.chaos.feed_kills
	$(BIN)/python -m tests.chaos.service_kills
	$(BIN)/python -m tests.chaos.service_parts

contract: env ## Send every operation of the API 500 requests, valid and not (minutes)
	WINNOW_CONTRACT_EXAMPLES=500 $(BIN)/python -m pytest -q -p no:cacheprovider --timeout=0 tests/api/test_contract.py

bench: env ## Every benchmark, beside its peers (many minutes)
	@for bench in queue crawl fetch extract browser feed console service; do $(BIN)/python -m bench.$$bench || exit 1; done

baseline: env ## Write the tables of db/migrations/baseline anew from the models
	$(BIN)/python -m winnow.db.tables.write_baseline

docs: env ## Make the generated pages of docs/ anew
	$(BIN)/python -m docs.generate

lock: ## Pin the requirements anew (needs uv)
	uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --no-emit-find-links --no-annotate \
	    --python-version 3.11 --extra dev --output-file requirements.lock pyproject.toml

clean: ## Remove what the commands above made
	rm -rf $(VENV) .peers .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
