# `make up` runs the product, `make test` tests it; both need nothing but Python 3.11 to 3.13.

PORT ?= 8000
DATA_DIR ?= .data
PYTHON_IN_VENV = .venv/bin/python
COMPILE = uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
	--custom-compile-command "make lock" $(if $(UPGRADE),--upgrade)

.PHONY: help up down clean test lint types format schema messages bench prove lock runtime tools
.DEFAULT_GOAL := help

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile
	@echo "  Variables: PORT (8000), DATA_DIR (.data), ARGS (passed on by test, bench and prove)"

# Only for these two: the tests keep to a data directory of their own.
ifneq (,$(filter up down,$(MAKECMDGOALS)))
export PORT DATA_DIR
endif

up: runtime ## Start everything and keep it running until Ctrl-C; PORT and DATA_DIR choose where
	@exec $(PYTHON_IN_VENV) manage.py up --port "$$PORT" --data-dir "$$DATA_DIR"

down: ## Stop what `make up` started with the same DATA_DIR and wait until it has stopped
	@if [ -x $(PYTHON_IN_VENV) ]; then exec $(PYTHON_IN_VENV) manage.py down; else echo "Nothing runs here."; fi

clean: ## Remove .venv and .data, unless something runs with them
	@for data in .data .data/test; do \
		if [ -x $(PYTHON_IN_VENV) ]; then \
			DATA_DIR="$$data" $(PYTHON_IN_VENV) manage.py down --check --environment || exit 1; \
		fi; \
	done
	@rm -rf .venv .data .running tests/memory/mem0/node/node_modules
	@echo "Removed .venv and .data."

test: tools ## Run every test, three files at a time; ARGS="-k words" chooses
	@.ci/clients
# Where bytecode is not kept, every process that a test starts compiles all of the code again: half a second each.
# A third of a test's time is waiting: on two cores three at a time take 700 s, two 800.
	@unset PYTHONDONTWRITEBYTECODE; exec $(PYTHON_IN_VENV) -m pytest -n 3 --dist loadfile --no-loadscope-reorder $(ARGS)

lint: tools ## Check style, import rules and templates
	@$(PYTHON_IN_VENV) -m ruff check .
	@$(PYTHON_IN_VENV) -m ruff format --check .
	@.venv/bin/lint-imports
	@$(PYTHON_IN_VENV) -m djlint --lint --quiet templates

types: tools ## Check types
	@$(PYTHON_IN_VENV) -m mypy

format: tools ## Format the code and mend what can be mended
	@$(PYTHON_IN_VENV) -m ruff format .
	@$(PYTHON_IN_VENV) -m ruff check --fix .

schema: tools ## Write the API's OpenAPI document anew after a change of the API
	@$(PYTHON_IN_VENV) manage.py export_openapi_schema --api config.api.api --indent 2 --output tests/contracts/openapi.json

messages: tools ## Bring the translations of the interface up to date with what pages and code say, and compile them
	@exec $(PYTHON_IN_VENV) -m tests.interface.messages

bench: runtime ## Measure search quality; ARGS="speed" measures latency, ARGS="--help" lists all choices
	@exec $(PYTHON_IN_VENV) manage.py bench $(or $(ARGS),quality)

prove: runtime ## Prove what is promised, on an installation of its own; ARGS="--nightly" takes longer
	@exec $(PYTHON_IN_VENV) manage.py prove $(ARGS)

lock: ## Resolve the dependencies again (needs uv); UPGRADE=1 takes newer versions
	@$(COMPILE) pyproject.toml -o requirements.lock
	@$(COMPILE) pyproject.toml --group dev --constraint requirements.lock -o requirements-dev.lock

runtime:
	@.ci/environment requirements.lock

tools:
	@.ci/environment requirements-dev.lock
