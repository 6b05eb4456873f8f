# For a fresh machine with Python 3.11+, git and make. `make audit` does the main job; `make test` passes the tests.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
export PYTHONHASHSEED := 0
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: audit test test-all check bench clean format

audit: $(STAMP)
	@$(BIN)/dpverify run core --profile quick --out reports/local

test: $(STAMP)
	@$(BIN)/python -m pytest

test-all: $(STAMP)
	@$(BIN)/python -m pytest -m ""

check: $(STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: $(STAMP)
	@$(BIN)/python -m pytest tests/benchmarks --benchmark-only -s

format: $(STAMP)
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .benchmarks reports/local
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMP): pyproject.toml constraints.txt
	@begun=$$(date +%s); \
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dpverify needs Python 3.11 or newer, this is " + sys.version.split()[0] + "; try: make PYTHON=python3.11 ...")' && \
	$(PYTHON) -m venv .venv && \
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]' && \
	$(BIN)/python -m pip install --quiet --no-deps --constraint constraints.txt opacus && \
	touch $(STAMP) && echo "installed in $$(( $$(date +%s) - begun )) s"
