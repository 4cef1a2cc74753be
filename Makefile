# Every target does its own set-up: a machine with Python 3.11 or newer and make is enough.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup demo test browser check bench clean

setup: .venv/ready

.venv/ready: pyproject.toml requirements/constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Ludus needs Python 3.11 or newer")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c requirements/constraints.txt -e '.[dev]'
	touch $@

demo: setup
	$(BIN)/ludus playtest organism --quick --out build/demo

test: setup browser
	$(BIN)/python -m pytest -n 2 --dist loadfile

# The tests of the page click in Debian's Chromium; where it cannot be installed they are skipped, and say so.
browser:
	@mkdir -p build
	@command -v chromium >/dev/null || test -n "$(NO_BROWSER)" || { apt-get update -qq && \
		apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core; } >build/browser.log 2>&1 || \
		echo "no Chromium could be installed (build/browser.log): browser tests will be skipped"

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports --no-cache

bench: setup
	$(BIN)/python bench/performance.py
	$(BIN)/python bench/growth.py

clean:
	rm -rf .venv build .pytest_cache .ruff_cache .hypothesis
