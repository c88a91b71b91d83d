# The two commands of a fresh clone: `make demo` shows what clustermark does, `make test` runs every check.
# All set up what they need in a local virtual environment. A contributor's loop is `make check`; see CONTRIBUTING.md.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
NATIVE := pyproject.toml $(shell find native -type f -not -path 'native/tests/*')
SOURCES := $(NATIVE) $(shell find src -type f -not -name '*.so' -not -path '*/__pycache__/*')
# Building in the environment itself keeps compiled files in build/. Continuous integration builds in an isolated
# environment, which proves that pyproject.toml lists all build requirements.
BUILD_HERE := $(if $(CI),,--no-build-isolation)
# How the package is installed in the environment: `editable`, so that a changed .py is live, or `installed`, as for users.
PACKAGE_AS ?= editable
PACKAGE := $(VENV)/tools $(VENV)/$(PACKAGE_AS)
# quick tests without server, browser or peer; all tests of the program are slow, and are not collected
QUICK := not (slow or peer or engine or browser)
FAMILY ?= pairs
# for how long `make fuzz` and `make faults` try, each
SECONDS ?= 30

.PHONY: demo dev check test system lint types mypy quick unit native-tests fuzz faults coverage mutate generate format sanitize oldest test-gpu benchmark gallery clean

demo: $(VENV)/installed
	@PATH="$(abspath $(BIN)):$$PATH" examples/demo.sh

# an editable package; run it again after a change of C++ to compile the changed files
dev: $(VENV)/tools $(VENV)/editable

check: lint mypy quick
	@echo "All quick checks passed."

# every check, on the package as users install it
test: system $(VENV)/tools $(VENV)/installed
	$(MAKE) lint types native-tests unit fuzz faults PACKAGE_AS=installed
	@echo "All checks passed."

# programs that the tests use and pip cannot install
system:
	tools/system_packages.sh chromium java postgres

lint: $(PACKAGE)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PYTHONPATH=src $(BIN)/lint-imports --no-cache
	$(BIN)/python tools/generate.py --check

types: mypy
	$(BIN)/pyright --pythonpath $(BIN)/python

# the faster type checker, which `make check` runs alone
mypy: $(PACKAGE)
	$(BIN)/mypy

quick: $(PACKAGE)
	$(BIN)/pytest -n 2 -q -m "$(QUICK)" --hypothesis-profile=quick --ignore=tests/cli

unit: $(PACKAGE)
	$(BIN)/pytest -n 2 -q
	$(BIN)/pytest -n 2 -q --doctest-modules --doctest-glob='*.md' --pyargs clustermark README.md docs

# the core of the kernel without Python
native-tests: | $(VENV)/created
	@PATH="$(abspath $(BIN)):$$PATH" && cmake -S native -B build/native-tests -G Ninja -DCMAKE_BUILD_TYPE=Release \
	  -DCLUSTERMARK_MODULE=OFF -DCLUSTERMARK_TESTS=ON >/dev/null && cmake --build build/native-tests \
	  && ctest --test-dir build/native-tests --output-on-failure

# random input against brute-force oracles; `make fuzz SECONDS=3600` tries for an hour
fuzz: $(PACKAGE)
	$(BIN)/python tests/fuzz/fuzz.py $(SECONDS)

# data that change during a call, signals, full disks, other writers
faults: $(PACKAGE)
	$(BIN)/python tests/faults/faults.py $(SECONDS)

# the share of lines and branches that the tests run, for each package
coverage: $(PACKAGE)
	$(BIN)/pytest -n 2 -q --cov=clustermark --cov-branch --cov-report=
	$(BIN)/python tools/coverage_table.py

# changes of the arithmetic of one family that no test detects
mutate: $(PACKAGE)
	$(BIN)/python tools/mutate.py $(FAMILY)

generate: $(PACKAGE)
	$(BIN)/python tools/generate.py
	$(BIN)/ruff format -q src

format: $(VENV)/tools
	$(BIN)/ruff check --fix -q . ; $(BIN)/ruff format -q .

# the tests of the kernel and of its core under AddressSanitizer and UBSan; two types of the same name are an error
sanitize: $(VENV)/tools $(VENV)/installed
	tools/sanitize.sh $(BIN)/python

# tests of all that meets another library, with the oldest versions that pyproject.toml allows; two tests of what DuckDB
# promises since 2.0 are left out
oldest: | $(VENV)/created
	$(PYTHON) -m venv build/oldest
	$(BIN)/python tools/oldest.py > build/oldest/requirements.txt
	build/oldest/bin/pip install -q . -r build/oldest/requirements.txt pytest hypothesis mpmath jsonschema
	build/oldest/bin/python -m pytest -q -o filterwarnings=default -m "$(QUICK)" -k "not (other_libraries or is_not_regular or nothing_is_left_behind)" \
	  tests/labels tests/sources tests/engines/test_sources.py tests/statistics tests/tables tests/results

# labels on a CUDA device against the CPU; on a machine with a GPU, and with torch and CuPy in the environment
test-gpu:
	$(PYTHON) -m pytest -q -p no:cacheprovider tests/devices/on_gpu.py

benchmark: $(VENV)/tools $(VENV)/installed
	$(BIN)/python benchmarks/pairs.py
	$(BIN)/python benchmarks/catalogue.py
	$(BIN)/python benchmarks/imports.py
	$(BIN)/python benchmarks/startup.py

# a report of each example, with a page that links to them; `make gallery SHOTS=--shots` makes pictures of them too
gallery: $(VENV)/installed
	$(BIN)/python tools/gallery.py build/gallery $(SHOTS)

clean:
	rm -rf build $(VENV)

$(VENV)/created: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install -q --upgrade pip
	$(PIP) install -q --group build
	@touch $@

$(VENV)/tools: pyproject.toml | $(VENV)/created
	$(PIP) install -q --group test
	@touch $@

# the environment contains one installation of the package: each one deletes the stamp of the other
$(VENV)/editable: $(NATIVE) | $(VENV)/created
	@rm -f $(VENV)/installed
	$(PIP) install -q --no-build-isolation -e '.[all]'
	@touch $@

$(VENV)/installed: $(SOURCES) | $(VENV)/created
	@rm -f $(VENV)/editable
	$(PIP) install -q $(BUILD_HERE) '.[all]'
	@touch $@
