# Every target sets up .venv by itself and re-uses it. `make demo` and `make test` are all a newcomer needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 3
KERNELS := $(shell grep -rl '^@kernel' src/covey --include='*.py')
KERNEL_TESTS = $(shell grep -rl 'mark\.kernel' tests --include='test_*.py')
# Tests start hundreds of processes; without bytecode on disk each of them would compile covey's sources anew.
unexport PYTHONDONTWRITEBYTECODE
# Releases are synced to disk; the tests write thousands, so they go into memory where there are 2 GB of it.
SCRATCH := $(shell df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 && $$4 > 2000000 { print "TMPDIR=/dev/shm" }')
BOUNDS := NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/.numba-cache-bounds

.PHONY: demo test test-slow test-versions lint bench docs format clean
.DEFAULT_GOAL := help

help:
	@echo "make demo       the whole path on a grocer's year of real baskets"
	@echo "make test       all tests, and those of kernels again as plain Python"
	@echo "make test-slow  the tests that take minutes, kernels with bounds checks, make test-versions"
	@echo "make test-versions  all tests with the lowest dependencies and on every Python that is here"
	@echo "make lint       ruff, mypy, import-linter, docs built strictly"
	@echo "make bench      ratios against rivals, measured in the same run; PART=\"cahd growth\" for some, AGAIN=1 to start"
	@echo "                over, LARGE=1 for ten million rows, KEEP=1 to keep the figures and write docs/performance.md"
	@echo "make docs       build the documentation into site/"

$(BIN)/python:
	@PYTHON=$(PYTHON) tools/system_packages venv || { echo "Install python3-venv, then try again."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[demo]'
	@touch $@

$(VENV)/.dev: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@ $(VENV)/.demo

# On every core, once: two processes of tests would each compile what both need. numba does not notice a changed or moved
# kernel that others call, so nothing that was compiled before is kept.
$(VENV)/.kernels: $(VENV)/.dev $(KERNELS)
	@find src -name '*.nb[ic]' -delete
	$(BIN)/covey compile
	@touch $@

demo: $(VENV)/.demo
	$(BIN)/covey demo --output demo-release

test: $(VENV)/.kernels
	@tools/system_packages java chromium
	$(SCRATCH) $(BIN)/python -m pytest -n $(WORKERS) --no-loadscope-reorder -m "not slow"
	@echo "Kernels again, as plain Python"
	@$(SCRATCH) NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 -q -m "kernel and not slow" \
		--hypothesis-profile plain $(KERNEL_TESTS)

test-slow: $(VENV)/.kernels
	@tools/system_packages java chromium
	$(SCRATCH) $(BIN)/python -m pytest -n 2 --no-loadscope-reorder -m slow --timeout 3000
	@echo "Everything that calls kernels again, with bounds checks"
	$(SCRATCH) $(BOUNDS) $(BIN)/python -m pytest -n $(WORKERS) -q -m kernel tests
	@echo "Properties again, on more examples, others every time"
	$(SCRATCH) $(BIN)/python -m pytest -n $(WORKERS) -q -m "hypothesis and not slow" --hypothesis-profile search \
		--ignore tests/spark --ignore tests/web --timeout 3000
	$(MAKE) test-versions

test-versions: $(VENV)/.dev
	@tools/system_packages java chromium
	$(SCRATCH) $(BIN)/python tools/supported_versions.py -n $(WORKERS) --no-loadscope-reorder

lint: $(VENV)/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/budget.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

# The rivals from PyPI are compiled on installation; where that fails, their lines are skipped with a reason.
bench: $(VENV)/.dev
	@tools/system_packages java chromium
	-$(BIN)/python -m pip install --quiet --editable '.[bench]'
	$(if $(LARGE),COVEY_BENCH_LARGE=1) $(BIN)/python benchmarks/run.py $(if $(AGAIN),--again) $(if $(KEEP),--keep) $(PART)

docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

format: $(VENV)/.dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:
	rm -rf $(VENV) .versions site demo-release .numba-cache* .mypy_cache .ruff_cache .pytest_cache
