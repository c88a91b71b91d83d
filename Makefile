# The two commands of a fresh clone: `make demo` shows what clustermark does, `make test` runs every check.
# Both set up what they need in a local virtual environment.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
SOURCES := pyproject.toml $(shell find src native -type f -not -name '*.so' -not -path '*/__pycache__/*')

.PHONY: demo test system lint types unit generate format sanitize benchmark gallery clean

demo: $(VENV)/installed
	@PATH="$(abspath $(BIN)):$$PATH" examples/demo.sh

test: system lint types unit
	@echo "All checks passed."

# the programs that tests drive and pip cannot install
system:
	tools/system_packages.sh chromium java postgres

lint: $(VENV)/tools $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PYTHONPATH=src $(BIN)/lint-imports --no-cache
	$(BIN)/python tools/generate.py --check

types: $(VENV)/tools $(VENV)/installed
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python

unit: $(VENV)/tools $(VENV)/installed
	$(BIN)/pytest -n 2 -q
	$(BIN)/pytest -q --doctest-modules --pyargs clustermark
	$(BIN)/pytest -q --doctest-glob='*.md' README.md docs

generate: $(VENV)/tools $(VENV)/installed
	$(BIN)/python tools/generate.py
	$(BIN)/ruff format -q src

format: $(VENV)/tools
	$(BIN)/ruff check --fix -q . ; $(BIN)/ruff format -q .

# the kernel's tests under AddressSanitizer and UBSan; a kernel with two types of one name is refused
sanitize: | $(VENV)/created
	tools/sanitize.sh $(BIN)/python

benchmark: $(VENV)/tools $(VENV)/installed
	$(BIN)/python benchmarks/pairs.py
	$(BIN)/python benchmarks/catalogue.py
	$(BIN)/python benchmarks/imports.py
	$(BIN)/python benchmarks/startup.py

# a report of each example, with a page that leads to them
gallery: $(VENV)/installed
	$(BIN)/python tools/gallery.py build/gallery

clean:
	rm -rf build $(VENV)

$(VENV)/created:
	$(PYTHON) -m venv $(VENV)
	$(PIP) install -q --upgrade pip
	@touch $@

$(VENV)/tools: pyproject.toml | $(VENV)/created
	$(PIP) install -q --group test
	@touch $@

$(VENV)/installed: $(SOURCES) | $(VENV)/created
	$(PIP) uninstall -q -y clustermark 2>/dev/null
	$(PIP) install -q '.[all]'
	@touch $@
