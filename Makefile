# Everything a developer or a newcomer runs. Only Python 3.11 or later (with venv) and make are needed.
PYTHON ?= python3
VENV ?= .venv
PORT ?= 8765
BIN := $(VENV)/bin
# What a reader's own files are: make run PAPERS=path
PAPERS ?=

.PHONY: run test check docs endurance fuzz clean

run: $(VENV)/run.stamp
	$(BIN)/broadsheet start --port $(PORT) $(if $(PAPERS),"$(PAPERS)")

test: $(VENV)/dev.stamp
	$(BIN)/python -m pytest

check: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy

docs: $(VENV)/dev.stamp
	$(BIN)/python docs/write_reference.py

endurance: $(VENV)/dev.stamp
	$(BIN)/python -m tests.endurance --seeds 50 --kills 100

fuzz: $(VENV)/dev.stamp
	$(BIN)/python -m tests.endurance.fuzz --seconds 600

clean:
	rm -rf $(VENV) .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/run.stamp: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[convert]"
	touch $@

$(VENV)/dev.stamp: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[convert,postgres,plots,dev]"
	touch $@ $(VENV)/run.stamp
