SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build
SWIFT ?= swift

.PHONY: build check test test-clients test-long test-system demo fmt bench bench-tables bench-offline bench-authority bench-reliability bench-programs release install deb clean help dependencies-build dependencies-package dependencies-test

help: ## Lists the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

# Installs the packages that building, packaging or the tests require.
dependencies-build dependencies-package dependencies-test: dependencies-%:
	@scripts/dependencies $*

build: dependencies-build ## Builds the programs
	$(SWIFT) build
	scripts/link-programs "$$($(SWIFT) build --show-bin-path)"

check: dependencies-build ## Runs the checks that need no build: format, imports, manual pages, leftovers
	@scripts/check

test: dependencies-test ## Builds and runs every test
	$(SWIFT) build --build-tests
	scripts/link-programs "$$($(SWIFT) build --show-bin-path)"
	scripts/check-manuals "$$($(SWIFT) build --show-bin-path)"
	scripts/check-docs "$$($(SWIFT) build --show-bin-path)"
	scripts/check-pages "$$($(SWIFT) build --show-bin-path)"
	scripts/check-python "$$($(SWIFT) build --show-bin-path)"
	scripts/check-how-to "$$($(SWIFT) build --show-bin-path)"
	@SWIFT=$(SWIFT) scripts/run-tests --named docs/conformance.md

test-clients: dependencies-test ## Runs third-party clients (MSAL, Authlib, apache2, Chromium, ...) against the build; checks the types of the Python client
	scripts/check-clients --prepare
	scripts/check-clients --types
	scripts/check-clients "$$($(SWIFT) build --show-bin-path)"

test-long: $(if $(PART),dependencies-test) ## Runs one part of the long tests (for example PART=offline); without PART, lists the parts
	@SWIFT=$(SWIFT) scripts/test-long $(PART)

test-system: ## Installs the package in a container and tests it there; needs root
	@scripts/test-system

release: dependencies-package ## Builds the programs for installation, with a static Swift runtime
	TOKENBROKER_STANDALONE=1 $(SWIFT) build -c release --static-swift-stdlib --disable-local-rpath --scratch-path .build-release
	scripts/link-programs .build-release/release
	.build-release/release/tokenbroker --version

install: ## Installs the programs that `make release` built (DESTDIR, PREFIX)
	@PROGRAMS=$${PROGRAMS:-.build-release/release} scripts/install

deb: release ## Builds a Debian package
	@PROGRAMS=$${PROGRAMS:-.build-release/release} scripts/deb

demo: ## Runs a demonstration with real processes and temporary state
	@scripts/demo

fmt: ## Formats every Swift file
	$(SWIFT) format format --in-place --recursive Package.swift Sources Tests Examples

bench: dependencies-build ## Measures the broker and prints the environment
	@Benchmarks/measure $(MEASURE)

bench-tables: dependencies-build ## Measures the tables of tasksd
	@Benchmarks/measure-tables $(MEASURE)

bench-offline: dependencies-build ## Measures the offline tables of tasks
	@Benchmarks/measure-offline $(MEASURE)

bench-authority: dependencies-build ## Measures the authority over HTTP
	@Benchmarks/measure-authority $(MEASURE)

bench-reliability: dependencies-build ## Measures how a slow or silent authority affects other requests
	@Benchmarks/measure-reliability $(MEASURE)

bench-programs: dependencies-build ## Compares a release build with an earlier one (BEFORE=FOLDER)
	@Benchmarks/measure-programs --before "$(BEFORE)" $(MEASURE)

clean: ## Deletes the build
	$(SWIFT) package clean
