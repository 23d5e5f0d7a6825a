# Two commands matter: `make run` and `make test`. Both set up .venv by themselves, once.

PYTHON ?= python3
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
SOURCES := src tests scripts
PYTEST := $(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal

.DEFAULT_GOAL := help
.PHONY: help run test check format lint types warm tests nojit boundscheck hostile test-slow test-train test-browser bench clean ui ui-types

help:  ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

# The stamps depend on pyproject.toml alone: a second run installs nothing.
$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "kibitz needs Python 3.11 or later, $(PYTHON) is " + sys.version.split()[0] + ": make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/kibitz: pyproject.toml | $(VENV)/made
	@echo "installing kibitz into $(VENV) (once) ..."
	$(INSTALL) --editable .
	@touch $@

$(VENV)/dev: pyproject.toml | $(VENV)/made
	@echo "installing kibitz and what its tests need into $(VENV) (once) ..."
	$(INSTALL) --editable '.[dev,web]'
	@touch $@ $(VENV)/kibitz $(VENV)/web

$(VENV)/web: pyproject.toml | $(VENV)/made
	@echo "installing kibitz and its web table into $(VENV) (once) ..."
	$(INSTALL) --editable '.[web]'
	@touch $@ $(VENV)/kibitz

$(VENV)/train: pyproject.toml | $(VENV)/made
	@echo "installing kibitz and what training needs into $(VENV) (once) ..."
	$(INSTALL) --editable '.[dev,web,train]'
	@touch $@ $(VENV)/kibitz $(VENV)/dev

$(VENV)/bench: pyproject.toml | $(VENV)/made
	@echo "installing kibitz and the systems it is measured against into $(VENV) (once) ..."
	$(INSTALL) --editable '.[bench]'
	@touch $@ $(VENV)/kibitz

run: $(VENV)/web  ## the web table, on this computer: prints its address
	@if command -v npm > /dev/null; then $(MAKE) --no-print-directory ui; fi
	@$(BIN)/kibitz serve --port $(PORT)

test: lint  ## everything that must pass
	$(MAKE) --no-print-directory --jobs 2 types warm
	$(MAKE) --no-print-directory tests
	$(MAKE) --no-print-directory nojit
	$(MAKE) --no-print-directory test-browser

check: lint types  ## the fast part: format, lint, types, tests of the core
	$(PYTEST) -q tests/core

format: $(VENV)/dev  ## put the code into shape
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)

lint: $(VENV)/dev
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)

types: $(VENV)/dev ui-types
	$(BIN)/mypy

ui/node_modules: ui/package-lock.json
	cd ui && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

ui: ui/node_modules  ## build the page of the web table anew (installing kibitz builds it, too)
	cd ui && npm run --silent build

ui-types:
	@if command -v npm > /dev/null; then $(MAKE) --no-print-directory ui/node_modules && cd ui && npm run --silent types && npm run --silent test; \
	else echo "no Node found: the page's types are not checked"; fi

warm: $(VENV)/dev  # what many tests need, compiled once: see tests/warm.py
	$(BIN)/python -m tests.warm

tests: $(VENV)/dev
	$(PYTEST)

nojit: $(VENV)/dev  ## the rules again, as plain Python
	NUMBA_DISABLE_JIT=1 $(PYTEST) -q -m 'not slow and not train and not compiled' tests/core tests/games tests/conformance

boundscheck: $(VENV)/dev  ## the rules again, with every array access checked
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -q tests/games tests/conformance

hostile: $(VENV)/dev  ## all public doors with arguments they should not get, every array access checked
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -q -m slow tests/hostile

test-slow: $(VENV)/dev hostile  ## statistics over many games
	$(PYTEST) -m slow

test-train: $(VENV)/train  ## what needs torch: networks and learning
	$(PYTEST) -m train

test-browser: $(VENV)/dev ui  ## people at the web table, in a real browser (Debian: apt-get install chromium)
	$(BIN)/python -m pytest -m browser tests/browser

bench: $(VENV)/bench  ## speed, beside the limit programs and the peers
	$(BIN)/kibitz bench --peers

clean:  ## remove what was installed and built
	rm -rf $(VENV) build dist ui/node_modules ui/build src/kibitz/web/static .mypy_cache .pytest_cache .ruff_cache
