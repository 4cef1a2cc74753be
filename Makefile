# Every target does its own set-up: a machine with Python 3.11 or newer and make is enough.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup demo test check bench clean

setup: .venv/ready

.venv/ready: pyproject.toml requirements/constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Ludus needs Python 3.11 or newer")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c requirements/constraints.txt -e '.[dev]'
	touch $@

demo: setup
	$(BIN)/ludus tournament connect_four random greedy mcts:sims=100 mcts:sims=1000 alphabeta:nodes=5000 \
		--games 40 --store build/demo.sqlite --name demo

test: setup
	$(BIN)/python -m pytest -n 2

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports --no-cache

bench: setup
	$(BIN)/python bench/performance.py

clean:
	rm -rf .venv build .pytest_cache .ruff_cache .hypothesis
