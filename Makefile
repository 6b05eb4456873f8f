# For a fresh machine with Python 3.11+, git and make. `make audit` does the main job; `make test` passes the tests.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# The tests start hundreds of processes: without bytecode on disk each compiles all sources again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: audit quick test test-ci test-libraries nightly test-all test-nojit check kernels docs site bench calibrate calibrate-standard power refresh records attack soak ledger ledger-pages utility release rehearse clean format

audit: $(STAMP)
	@$(BIN)/dpverify run core --profile quick --out reports/local

# Benchmarks are not for shared cores: `make bench` runs them, alone.
SPREAD := -n auto -p tests.by_file --benchmark-disable -p tests.measure

# `make test ALSO='-m "not slow and not types"'` adds the tests of `make test-ci` in one session, which collects once: for CI.
test: $(STAMP)
	@$(BIN)/dpverify warmup --all
	@$(BIN)/python -m pytest $(SPREAD) $(ALSO)

# What CI runs beside `make test`, since it takes minutes and few changes reach it: CONTRIBUTING.md says what that is.
test-ci: $(STAMP)
	@$(BIN)/python -m pytest $(SPREAD) -m "ci and not slow"

# The tests of libraries that cannot stand beside the others, in environments of their own (made once, and kept).
test-libraries: $(STAMP)
	@$(BIN)/python -m tests.libraries.environments

# All tests, the slow ones too, with a thousand other examples of each property.
nightly: $(STAMP)
	@$(BIN)/python -m pytest $(SPREAD) -m "" --hypothesis-profile nightly

test-all: $(STAMP)
	@$(BIN)/python -m pytest $(SPREAD) -m ""

# The twin tests with kernels as plain Python; `make test` runs them too, from a test of its own.
test-nojit: $(STAMP)
	@NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -W "ignore:overflow encountered:RuntimeWarning" $$(find tests/reference_impls -name 'test_*_twin.py')

check: $(STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python -m pytest -q -m "types" tests/interface tests/contributing

# After a change of a leaf or two, in twenty seconds: ruff, mypy, and the tests that reach what changed.
quick: $(STAMP)
	@$(BIN)/python -m tests.quick

# For which argument types kernels are compiled, so that `dpverify warmup` compiles them; after `make test` with a new kernel.
kernels: $(STAMP)
	@$(BIN)/python -m tests.kernel_index

# The site; a warning is an error. `make docs` runs every example of its pages first, `make site` builds it alone.
docs: $(STAMP)
	@$(BIN)/python -m pytest -q $(SPREAD) -m "not slow" tests/docs
	@$(MAKE) --no-print-directory site

# Pages that are made are written into a copy of docs/, so that no build changes the sources; what it made before is kept.
COPY := reports/local/site-sources
site: $(STAMP)
	@mkdir -p $(COPY)/docs $(COPY)/reports
	@find $(COPY)/docs -mindepth 1 -maxdepth 1 ! -name generated -exec rm -rf {} +
	@cp -Rp docs $(COPY)
	@ln -sfn ../../../tests $(COPY)/tests
	@ln -sfn ../../../rendered ../../../records $(COPY)/reports
	@$(BIN)/sphinx-build -q -W --keep-going -b html $(COPY)/docs reports/local/site
	@echo "reports/local/site/index.html"

bench: $(STAMP)
	@$(BIN)/python -m pytest tests/benchmarks --benchmark-only -s

# How often every statistical auditor refutes what is true; finished cells are kept, so it may be stopped at any time.
calibrate: $(STAMP)
	@$(BIN)/python -m tests.calibration.matrix

# The benchmark table over 200 seeds, at a thousandth of its budget: how many bounds lie above the truth.
calibrate-standard: $(STAMP)
	@$(BIN)/python -m tests.calibration.standard_exceedances

# What each auditor finds: too little noise, by how much, and every known-broken mechanism; finished cells are kept.
power: $(STAMP)
	@$(BIN)/python -m tests.power.matrix

# Every claim of the papers, examined afresh in full (an hour on two cores; may be stopped, and goes on where it was), and
# the pages of what the records say.
ledger: $(STAMP)
	@mkdir -p reports/local/ledger
	@$(BIN)/dpverify ledger --rerun --profile full --out reports/records --store reports/local/ledger \
		$$([ -e reports/local/ledger/dpverify.sqlite ] && echo --resume) > /dev/null
	@rm -rf reports/local/ledger
	@$(MAKE) --no-print-directory ledger-pages

# What the papers measured, measured again in full (about three hours on two cores; may be stopped, and goes on where it was).
utility: $(STAMP)
	@$(BIN)/dpverify reproduce --profile full --out reports/local/utility \
		$$([ -e reports/local/utility/dpverify.sqlite ] && echo --resume)
	@mkdir -p reports/records/utility && cp reports/local/utility/records/*.json reports/records/
	@cp reports/local/utility/records/utility/*.json reports/records/utility/
	@rm -rf reports/local/utility

ledger-pages: $(STAMP)
	@rm -rf reports/rendered/ledger reports/rendered/utility
	@$(BIN)/dpverify ledger --render reports/rendered

# After a change: what is stale is replayed in a small part, and made again where that differs.
refresh: $(STAMP)
	@$(BIN)/dpverify ledger --refresh > /dev/null
	@$(BIN)/python -m tests.calibration.matrix --kept
	@$(BIN)/python -m tests.power.matrix

# Before a release: every record from nothing, none of them replayed (most of a day on two cores; may be stopped, and goes
# on where it was).
records: ledger
	@$(BIN)/python -m tests.calibration.matrix --folder reports/local/calibration
	@$(BIN)/python -m tests.power.matrix --folder reports/local/power
	@cp reports/local/calibration/*.json reports/calibration/ && cp reports/local/power/*.json reports/power/
	@$(BIN)/python -m tests.calibration.matrix --render-only
	@$(BIN)/python -m tests.power.matrix --render-only
	@rm -rf reports/local/calibration reports/local/power

# Attacks on the tool itself, and the page that says how each went (under fifteen minutes).
attack: $(STAMP)
	@$(BIN)/python -m tests.attack.matrix

# Thirty kills at random moments, each resumed: the numbers must be those of a run that nobody disturbed. Then 10^9 draws
# a side in one run, whose memory must stay flat.
soak: $(STAMP)
	@$(BIN)/python -m tests.soak.kills
	@$(BIN)/python -m tests.soak.memory

# A release in dist/: a clean clone, all that CI runs, wheel and sdist built twice to the same bytes, what they hold, digests
# and the changelog's section. `make rehearse` leaves the tests and the changelog's day out (two minutes).
release: $(STAMP)
	@$(BIN)/python -m tests.release

rehearse: $(STAMP)
	@$(BIN)/python -m tests.release --rehearse

format: $(STAMP)
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .benchmarks reports/local
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# pip would compile to bytecode on one core, a quarter of the whole time; some packages hold files that do not compile, and
# a third of all files are packages' own tests, which nobody imports.
# opacus and autodp, for tests/cross_check: what it calls of them needs numpy and scipy, not torch or matplotlib.
$(STAMP): pyproject.toml constraints.txt
	@begun=$$(date +%s); \
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dpverify needs Python 3.11 or newer, this is " + sys.version.split()[0] + "; try: make PYTHON=python3.11 ...")' && \
	$(PYTHON) -m venv .venv && \
	$(BIN)/python -m pip install --quiet --no-compile --constraint constraints.txt --editable '.[dev]' && \
	$(BIN)/python -m pip install --quiet --no-compile --no-deps --use-pep517 --constraint constraints.txt opacus autodp && \
	{ $(BIN)/python -W ignore -m compileall -qq -j 0 -x '/tests?/' .venv/lib; true; } && \
	touch $(STAMP) && echo "installed in $$(( $$(date +%s) - begun )) s"
