# Run `make help` for a list of the targets.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help env demo check test test-servers lint types layers chromium baseline docs chaos contract bench lock clean

help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

env: $(STAMP) ## Make the environment (.venv) from the pinned requirements

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" || { echo "Winnow needs Python 3.11 or newer: make PYTHON=/path/to/python3"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: env ## Start everything with a small shop on this machine, and take a tour
	$(BIN)/winnow demo

check: lint types layers ## Before every commit: style, types, layers and the tests without PostgreSQL (two minutes on two cores)
	$(BIN)/python -m tests.suite fast

test: lint types layers chromium ## Before anything lands: the same with all tests that need no foreign server (a quarter of an hour)
	$(BIN)/python -m tests.suite all

test-servers: env ## The tests that need a foreign server: S3 (moto, pinned), OpenSearch (fetched from Maven Central, needs Java)
	@.ci/install-opensearch
	$(BIN)/python -m tests.suite servers

lint: env ## Style (ruff)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: env ## Types (mypy, strict)
	$(BIN)/mypy

layers: env ## Imports point upstream only (import-linter)
	$(BIN)/lint-imports

chromium: ## If there is no Chromium for the browser tests: as root on Debian install it with apt-get, else explain how
	@.ci/install-chromium

chaos: env ## Kill workers and the database in the middle of the work (minutes)
	$(BIN)/python -m tests.chaos.kill_workers
	$(BIN)/python -m tests.chaos.crawl_kills
	$(BIN)/python -m tests.chaos.event_kills
	$(BIN)/python -m tests.chaos.restart_database
	$(BIN)/python -m tests.chaos.politeness
	$(BIN)/python -m tests.chaos.feed_races
	$(BIN)/python -m tests.chaos.feed_kills
	$(BIN)/python -m tests.chaos.service_kills
	$(BIN)/python -m tests.chaos.service_parts

contract: env ## Send every operation of the API 500 requests, valid and not (minutes)
	WINNOW_CONTRACT_EXAMPLES=500 $(BIN)/python -m pytest -q -p no:cacheprovider --timeout=0 tests/api/test_contract.py

bench: env ## Every benchmark, beside its peers (many minutes)
	@for bench in queue crawl catalogue fetch extract browser feed console service events export; do $(BIN)/python -m bench.$$bench || exit 1; done

baseline: env ## Write the tables of db/migrations/baseline anew from the models
	$(BIN)/python -m winnow.db.tables.write_baseline

docs: env ## Make the generated pages of docs/ anew
	$(BIN)/python -m docs.generate

lock: ## Pin the requirements anew (needs uv)
	uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --no-emit-find-links --no-annotate \
	    --python-version 3.11 --extra dev --output-file requirements.lock pyproject.toml

clean: ## Remove what the commands above made
	rm -rf $(VENV) .peers .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
