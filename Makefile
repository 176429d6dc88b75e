# make help lists the targets. A target's tools are installed on first use.
VENV := .venv
BIN := $(VENV)/bin
PYTHON := $(VENV)/.installed
SERVE_TOOLS := $(VENV)/.tools-serve
TEST_TOOLS := $(VENV)/.tools-test
RELEASE_TOOLS := $(VENV)/release
DATA ?= data
ARGS ?=

unexport PYTHONDONTWRITEBYTECODE # otherwise each of the tests' hundreds of processes would compile all modules again
QUICK := tests/games tests/sandbox/backends/test_contract.py \
	$(addprefix tests/grader/,assignment author_code comparing definition entering marks grading/test_grade.py) \
	$(addprefix tests/web/,api/test_api.py assignment home site/test_access.py)
.DEFAULT_GOAL := help
.PHONY: help serve test full quick fuzz lint fix bench structure golden loadtest lock dist codemirror

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' Makefile

serve: $(PYTHON) $(SERVE_TOOLS) ## Serve a demonstration class at http://127.0.0.1:8000 (ARGS="--port 9000")
	@$(BIN)/quadrille serve --demo --data $(DATA) $(ARGS)

test: $(TEST_TOOLS) ## Test what a change can break, make lint included (ARGS="-k replay")
	@echo "Leaving out the tests that are marked full, such as those in containers: make full runs them too."
	@$(BIN)/pytest -n 4 -m "not full" $(ARGS)

full: $(TEST_TOOLS) ## Test everything: also containers, killed processes, other hosts, full disks, the rehearsal
	@$(BIN)/pytest -n 4 $(ARGS)

quick: $(PYTHON) $(SERVE_TOOLS) ## Test rules, sandbox contract, what grading says and every page by role, in about a minute and a half
	@echo "Leaving out what takes longer or needs PostgreSQL, Redis, Docker or Chromium: make test runs it."
	@$(BIN)/pytest -n 2 -rs --quick $(QUICK) $(ARGS)

fuzz: $(TEST_TOOLS) ## Try 3,000 requests against the API's own document, ten times as many as make test
	@FUZZ_CASES=3000 $(BIN)/pytest tests/web/api/test_fuzz.py $(ARGS)

lint: $(PYTHON) ## Check format, style, types and the direction of imports
	@$(BIN)/ruff format --check
	@$(BIN)/ruff check
	@$(BIN)/djlint --check --quiet web tournament examples
	@$(BIN)/mypy
	@$(BIN)/lint-imports

fix: $(PYTHON) ## Format, and fix what can be fixed automatically
	@$(BIN)/ruff check --fix --exit-zero --quiet
	@$(BIN)/ruff format
	@$(BIN)/djlint --reformat --quiet --warn web tournament examples

bench: $(PYTHON) $(SERVE_TOOLS) ## Measure, each figure beside its reference (ARGS="bo sandbox")
	@$(BIN)/python -m tests.bench $(ARGS)

loadtest: $(PYTHON) ## Load-test a running server with a simulated deadline night (ARGS="--data data --quick")
	@$(BIN)/python -m tests.load $(ARGS)

structure: $(PYTHON) $(SERVE_TOOLS) ## Count files, imports and rooms, and the files that a request or a grading passes
	@$(BIN)/python -m tests.bench.structure

golden: $(PYTHON) ## Write the golden games again, after an intended change of rules (ARGS=bo)
	@for each in $(or $(ARGS),$(notdir $(patsubst %/golden,%,$(wildcard tournament/games/*/golden)))); do \
		$(BIN)/quadrille game golden tournament/games/$$each || exit 1; done

translate: $(PYTHON) ## Write a language's catalogue, or bring it up to date (ARGS=fr)
	@$(BIN)/python -m tests.translate $(ARGS)

codemirror: ## Build web/editor/codemirror.js, the editor of code, with npm
	@folder=$$(mktemp -d) && cp web/editor/codemirror/* $$folder && npm ci --prefix $$folder --ignore-scripts \
		&& npm run build --prefix $$folder && cp $$folder/codemirror.js web/editor/ && rm -r $$folder

dist: $(PYTHON) $(RELEASE_TOOLS) ## Build a release from the last commit: wheel, images, bill of materials, checksums
	@deploy/release/dist.sh $(VENV) $(RELEASE_TOOLS)

lock: ## Write deploy/requirements.lock again from pyproject.toml
	@deploy/bootstrap.sh lock

$(PYTHON): deploy/requirements.lock pyproject.toml deploy/bootstrap.sh
	@deploy/bootstrap.sh python $(VENV)
	@touch $@

$(SERVE_TOOLS): deploy/bootstrap.sh | $(PYTHON)
	@deploy/bootstrap.sh tools bwrap
	@touch $@

$(TEST_TOOLS): deploy/bootstrap.sh tests/web/sign_on/provider/package-lock.json \
		tests/web/lti/platforms/requirements.txt tests/deploy/kubernetes/requirements.txt | $(PYTHON) $(RELEASE_TOOLS)
	@deploy/bootstrap.sh tools bwrap g++ pypy3 redis-server postgresql chromium fonts dockerd debootstrap ip \
		docker-compose caddy dovecot age prometheus exporters
	@deploy/bootstrap.sh provider $(VENV)
	@deploy/bootstrap.sh platforms $(VENV)/platforms
	@deploy/bootstrap.sh kubernetes $(VENV)/kubernetes
	@touch $@

$(RELEASE_TOOLS): deploy/release/requirements.txt | $(PYTHON)
	@deploy/bootstrap.sh release $@
	@touch $@
