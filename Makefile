# Every command of the project. All of them work on a fresh clone that has Node, npm and, to compile sqlite3 where no
# prebuilt binary can be fetched, a C++ compiler and python3.

CONFIG ?=
ARGS ?=
TESTS ?= $(shell find test -name '*.test.ts' | sort)
TIMES ?= 200
TASKS ?= 10000
EXAMPLES ?= 20

SOURCES := $(shell find src migrations proto -type f)
INSTALLED := node_modules/.package-lock.json
BUILT := dist/.built

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install run dev check test build migrate bench interop schemathesis h2spec kill9 kill9-upstream kill9-webhooks fuzz clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

install: $(INSTALLED) ## install the dependencies, when package-lock.json changed

run: $(BUILT) ## start the gateway: CONFIG=file.yaml, without one an echo agent on port 8080
	@node dist/src/main.js serve $(CONFIG) $(ARGS)

dev: $(INSTALLED) ## start it from source, again at every change: CONFIG, ARGS
	npm exec -- tsx watch src/main.ts serve $(CONFIG) $(ARGS)

check: $(INSTALLED) ## types, lint, format, dead code, import table
	npm run --silent types
	npm run --silent lint
	npm run --silent format
	npm run --silent unused
	node --import tsx --test --test-timeout=60000 test/architecture.test.ts

test: check ## check, then the whole test suite: TESTS="test/core/…" for a part of it
	node --import tsx --test --test-timeout=180000 --test-concurrency=2 $(TESTS)

build: $(BUILT) ## compile to dist/

migrate: $(BUILT) ## bring the database of CONFIG up to date without starting
	node dist/src/main.js migrate $(CONFIG) $(ARGS)

bench: $(BUILT) ## measure against the public SDK's own server: ARGS="--help"
	node --import tsx bench/bench.ts $(ARGS)

interop: $(BUILT) ## run the clients of the public SDKs against the gateway
	interop/run $(ARGS)

schemathesis: $(BUILT) ## hold HTTP+JSON to its OpenAPI document: EXAMPLES for each operation
	interop/schemathesis/run $(EXAMPLES)

h2spec: $(BUILT) ## compare its HTTP/2 with that of a plain gRPC server, case by case
	interop/h2spec/run

kill9: $(BUILT) ## kill it TIMES times under load and look for lost tasks
	node --import tsx bench/kill9.ts --times $(TIMES) $(ARGS)

kill9-upstream: TIMES := 9
kill9-upstream: $(BUILT) ## kill it and a remote agent behind it TIMES times while tasks run
	node --import tsx bench/kill9-upstream.ts --times $(TIMES) $(ARGS)

kill9-webhooks: TIMES := 20
kill9-webhooks: $(BUILT) ## kill it and the receiver of its webhooks TIMES times and look for what was not told: TASKS
	node --import tsx bench/kill9-webhooks.ts --tasks $(TASKS) --times $(TIMES) $(ARGS)

fuzz: TIMES := 2000
fuzz: $(BUILT) ## send TIMES mutated requests to each door and look whether it bears them: ARGS="--seed 1"
	node --import tsx bench/fuzz.ts --times $(TIMES) $(ARGS)

clean: ## remove what was built and installed
	rm -rf dist node_modules coverage bench/results interop/.work

# npm writes this file at the end of an installation; touched, because an unchanged tree may leave it older.
$(INSTALLED): package-lock.json
	npm ci --no-audit --no-fund
	@touch $@

# dist/ mirrors the repository, so that a path relative to a source file holds for the compiled one.
$(BUILT): $(INSTALLED) $(SOURCES) package.json tsconfig.json tsconfig.build.json
	rm -rf dist
	npm exec -- tsc -p tsconfig.build.json
	cp -R proto package.json dist/
	find src -type f ! -name '*.ts' -exec sh -c 'mkdir -p "dist/$$(dirname "$$1")" && cp "$$1" "dist/$$1"' _ {} \;
	chmod +x dist/src/main.js
	@touch $@
