# Konak's commands. `make` alone lists them.
#
# All commands use one set of build flags, those of a release: a second set would
# compile every dependency twice. To share the cache with commands typed by hand, run
# `go env -w CGO_ENABLED=0 GOFLAGS='-trimpath -buildvcs=false'` once. Only the
# race detector needs cgo.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-builtin-rules --no-print-directory
.DEFAULT_GOAL := help
# Commands run one after another, except the checks, which ask for it.
ifndef SIDE_BY_SIDE
.NOTPARALLEL:
endif
export CGO_ENABLED := 0
export GOFLAGS := -trimpath -buildvcs=false

# To run fewer tests: make test-go PACKAGES=./internal/mail TESTFLAGS='-run DLP -v'
PACKAGES ?= ./...
TESTFLAGS ?=
# More arguments for the program: make run ARGS='--listen 127.0.0.1:9090'
ARGS ?=

# The version is in the file VERSION, because a clone may have no tags.
COMMIT ?= $(shell git describe --always --abbrev=12 --exclude='*' --dirty 2>/dev/null || echo unknown)

TOOL := go tool -modfile=tools/go.mod
NPM := npm --prefix web --silent
GO_FILES := find . -name node_modules -prune -o -name '*.go' -print

# Folders are listed too: deleting a file changes its folder only.
PANEL_SOURCES := $(shell find web \( -name node_modules -o -name dist -o -name e2e -o -name test-results \) -prune -o -mindepth 1 -print)

.PHONY: help
help: ## List the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | awk -F'\t' '{ printf "  make %-16s %s\n", $$1, $$2 }'

# --- run and build ---

.PHONY: run
run: build ## Build everything and serve the demo on http://localhost:8080, with SMTP on port 2525
	@exec ./bin/konak serve --demo --sign-up open --mail-listen 127.0.0.1:2525 $(ARGS)

.PHONY: build
build: panel ## Build the panel and the binary ./bin/konak
	@echo "building bin/konak"
	@go build -ldflags '-X konak/internal/app.Commit=$(COMMIT)' -o bin/konak ./cmd/konak

.PHONY: release
release: panel ## Build packages for amd64 and arm64 into dist/, with checksums and SBOM
	@COMMIT=$(COMMIT) scripts/release

.PHONY: panel
panel: web/dist/index.html ## Build the panel if its sources changed

web/dist/index.html: $(PANEL_SOURCES)
	@scripts/ensure-node-modules
	@echo "building the panel"
	@$(NPM) run build
	@touch $@

.PHONY: generate
generate: ## Regenerate web/openapi.json and the panel's types from the code
	@scripts/ensure-node-modules
	@go run ./cmd/konak openapi >web/openapi.json.new && mv web/openapi.json.new web/openapi.json
	@$(NPM) run gen

.PHONY: freeze
freeze: ## Write the list of migrations of this version, before it is tagged
	@scripts/freeze-migrations

.PHONY: clean
clean: ## Remove build output; ./data stays
	@rm -rf bin dist web/node_modules web/test-results
	@find web/dist -mindepth 1 ! -name .gitkeep -delete

# --- test ---

.PHONY: test
test: test-go test-web test-browser ## Run every test
	@echo "all tests passed"

# Randomized tests use the same seed in each run, so that a failure points to the change
# before it; `make test-chance` uses other seeds.
export RAPID_SEED ?= 1

# Most tests wait for a disk or a process, so more run at once than there are cores.
# Linking a test program without debug information takes a third less time.
.PHONY: test-go
test-go: ## Run the Go tests on SQLite and PostgreSQL
	@scripts/ensure-postgres || true
	@scripts/ensure-snippets || true
	@scripts/ensure-node-modules || true
	@scripts/ensure-mail-servers || true
	@scripts/ensure-speech || true
	@scripts/ensure-phones || true
	@scripts/ensure-promtool || true
	@scripts/ensure-proxies || true
	@GOGC=$${GOGC:-300} PATH="$$PATH:/usr/sbin" scripts/with-postgres go test -timeout 12m -p $$(($$(getconf _NPROCESSORS_ONLN) + 1)) -parallel 6 -ldflags='-s -w' $(TESTFLAGS) $(PACKAGES)

.PHONY: test-chance
test-chance: ## Run the randomized tests with new seeds, ten times as many checks
	@scripts/ensure-postgres || true
	@RAPID_SEED=0 RAPID_CHECKS=1000 scripts/with-postgres go test -timeout 60m -count=1 $(TESTFLAGS) $$(grep -rl --include='*_test.go' pgregory.net/rapid internal | xargs -n 1 dirname | sort -u | sed 's|^|./|')

# The storms: the tests that kill the server, with many kills instead of a few,
# and peers that misbehave in every way.
.PHONY: test-storm
test-storm: ## Kill the server repeatedly under load, and test it with hostile peers, on both databases
	@scripts/ensure-postgres || true
	@KONAK_TEST_STORM=1 scripts/with-postgres go test -timeout 25m -parallel 6 -count=1 -run 'Kill|HostilePeers' $(TESTFLAGS) ./internal/app

# Follows an administrator from installing the package to changing the master key.
.PHONY: test-administrator
test-administrator: panel ## Install the Debian package, back up, restore, upgrade, move and change the master key
	@scripts/ensure-postgres || true
	@COMMIT=$(COMMIT) ARCHITECTURES=$$(dpkg --print-architecture) scripts/release
	@rm -rf dist/released
	@KONAK_TEST_RELEASED=$$PWD/dist/released go test -count=1 -run '^TestWriteReleasedInstallations$$' ./internal/app
	@PATH="$$PATH:$$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)" scripts/with-postgres scripts/try-as-administrator dist/konak_$$(<VERSION)_$$(dpkg --print-architecture).deb dist/released

# On demand: it needs root and Debian's packages, which not every machine has.
.PHONY: test-container
test-container: panel ## Build the container image and test it; needs root
	@ARCHITECTURES=$$(dpkg --print-architecture) COMMIT=$(COMMIT) scripts/release
	@scripts/try-container dist/konak_$$(<VERSION)_linux_$$(dpkg --print-architecture).tar.gz

# The packages with many goroutines and shared state; PACKAGES=./... tests all.
RACE_PACKAGES := ./internal/kit/... ./internal/webhook/... ./internal/crm/conversation

# Tests that fill large tables, which takes a minute under the race detector, and start
# no goroutines.
RACE_SKIPS := ^(TestListPlans|TestWakeAmongMany)$$

# SQLite is C translated to Go, with its own locks. Checking each of its accesses took most of
# the time.
RACE_FLAGS := -race -gcflags='modernc.org/sqlite/lib=-race=false' -gcflags='modernc.org/libc=-race=false'

.PHONY: test-race
test-race: ## Run the tests of the concurrent packages under the race detector
	@scripts/ensure-postgres || true
	@scripts/ensure-c-compiler
	@CGO_ENABLED=1 scripts/with-postgres go test $(RACE_FLAGS) -timeout 30m -skip '$(RACE_SKIPS)' $(TESTFLAGS) $(if $(filter file,$(origin PACKAGES)),$(RACE_PACKAGES),$(PACKAGES))

.PHONY: test-web
test-web: ## Run the panel's unit tests
	@scripts/ensure-node-modules
	@$(NPM) test

.PHONY: test-browser
test-browser: build ## Run the browser tests against the real binary
	@scripts/ensure-speech || true
	@if browser=$$(scripts/ensure-chromium); then \
		KONAK_TEST_CHROMIUM=$$browser KONAK_TEST_BIN=$(CURDIR)/bin/konak $(NPM) run e2e; \
	elif [ -n "$${CI:-}" ]; then \
		echo "browser tests need Chromium" >&2; exit 1; \
	else \
		echo "browser tests are skipped: no Chromium, and none could be installed"; \
	fi

.PHONY: screenshots
screenshots: build ## Retake the README's screenshots of the inbox
	@browser=$$(scripts/ensure-chromium) && \
		KONAK_README=1 KONAK_TEST_CHROMIUM=$$browser KONAK_TEST_BIN=$(CURDIR)/bin/konak $(NPM) run e2e -- readme

# --- check ---

# The panel's checks keep one core busy and those of Go another. The size comes
# last: it builds the panel, which Go packages embed.
.PHONY: check
check: ## Check format, code, rules, known vulnerabilities and the API contract
	@scripts/ensure-node-modules
	@$(MAKE) --no-print-directory -j2 --output-sync SIDE_BY_SIDE=1 check-web check-code
	@$(MAKE) --no-print-directory check-size
	@echo "all checks passed"

# One after another, because two Go commands at once compile the same packages twice.
.PHONY: check-code
check-code:
	@$(MAKE) --no-print-directory SIDE_BY_SIDE= check-format check-go check-rules check-vulnerabilities check-contract

.PHONY: check-format
check-format: ## Check the format of all sources
	@echo "format"
	@found=$$($(GO_FILES) | xargs $(TOOL) gofumpt -l); \
	if [ -n "$$found" ]; then printf 'run make format:\n%s\n' "$$found"; exit 1; fi

.PHONY: format
format: ## Format the Go code
	@$(GO_FILES) | xargs $(TOOL) gofumpt -w

.PHONY: check-go
check-go: ## Check Go: vet, staticcheck, errcheck, errorlint
	@echo "go mod tidy, go vet, staticcheck, errcheck, errorlint"
	@go mod tidy -diff
	@go vet ./...
	@$(TOOL) staticcheck ./...
	@$(TOOL) errcheck -ignoretests -exclude tools/errcheck.txt ./...
	@$(TOOL) go-errorlint ./...

.PHONY: check-rules
check-rules: ## Check the rules of the architecture
	@echo "architecture rules"
	@go test ./internal/kit/archtest

.PHONY: check-vulnerabilities
check-vulnerabilities: ## Look for known vulnerabilities in Go and the dependencies
	@echo "known vulnerabilities"
	@scripts/check-vulnerabilities

# The panel must be generated from the document that the binary serves.
.PHONY: check-contract
check-contract: ## Check that the API document and the panel's types are current
	@echo "OpenAPI document and generated types"
	@scripts/ensure-node-modules
	@go run ./cmd/konak openapi | diff -u web/openapi.json - || { echo "web/openapi.json is out of date: run make generate"; exit 1; }
	@$(NPM) run gen:check

.PHONY: check-web
check-web: ## Check the panel: types and lint
	@echo "panel: types and lint"
	@scripts/ensure-node-modules
	@$(NPM) run typecheck
	@$(NPM) run lint

# The first load of every screen must stay within its budget.
.PHONY: check-size
check-size: panel ## Check how much script each screen loads
	@echo "panel: size"
	@$(NPM) run size

# Not part of check: it compiles everything for a second architecture.
.PHONY: check-release
check-release: panel ## Check that two builds of the release are the same, for amd64 and arm64
	@echo "release"
	@COMMIT=$(COMMIT) scripts/check-release

# --- measure ---

.PHONY: bench
bench: ## Measure the API core and writes on both databases against their raw limits
	@scripts/ensure-postgres || true
	@scripts/with-postfix scripts/with-postgres -durable go run ./internal/tools/bench

.PHONY: eval-ai
eval-ai: ## Measure the assistant on the demo's help center: answers, sources, false answers, hand-over
	@go test ./internal/crm/assistant/engine -run TestEvaluation -count=1 -v | grep -E 'bound|missed|false|FAIL|ok'

.PHONY: eval-search
eval-search: ## Measure the advisor's search: make eval-search CORPUS=… QRELS=… [ARGS=-ablation]
	@scripts/ensure-postgres || true
	@scripts/with-postgres go run ./internal/tools/evalsearch -corpus '$(CORPUS)' -qrels '$(QRELS)' $(ARGS)
