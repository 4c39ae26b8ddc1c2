SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build
SWIFT ?= swift

.PHONY: build check test test-clients test-long test-system demo fmt bench bench-tables bench-offline bench-authority bench-reliability bench-programs release install deb clean help dependencies-build dependencies-package dependencies-test

help: ## Says what there is to make
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

# What is installed before: for building and running, for a package, for the tests.
dependencies-build dependencies-package dependencies-test: dependencies-%:
	@scripts/dependencies $*

build: dependencies-build ## Builds the programs
	$(SWIFT) build
	scripts/link-programs "$$($(SWIFT) build --show-bin-path)"

check: dependencies-build ## Looks at everything that needs no build: format, imports, manual pages, leftovers
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

test-clients: dependencies-test ## Lets clients of other people sign in at what is built: MSAL, Authlib, apache2, Chromium, ...; checks the types of the Python client
	scripts/check-clients --prepare
	scripts/check-clients --types
	scripts/check-clients "$$($(SWIFT) build --show-bin-path)"

test-long: $(if $(PART),dependencies-test) ## Runs one part of the long tests (PART=offline, for example); without PART it prints the parts
	@SWIFT=$(SWIFT) scripts/test-long $(PART)

test-system: ## Installs the package in a machine of its own and uses it there; needs root
	@scripts/test-system

release: dependencies-package ## Builds what is installed, with the Swift runtime linked in
	TOKENBROKER_STANDALONE=1 $(SWIFT) build -c release --static-swift-stdlib --disable-local-rpath --scratch-path .build-release
	scripts/link-programs .build-release/release
	.build-release/release/tokenbroker --version

install: ## Installs what `make release` built (DESTDIR, PREFIX)
	@PROGRAMS=$${PROGRAMS:-.build-release/release} scripts/install

deb: release ## Makes a Debian package
	@PROGRAMS=$${PROGRAMS:-.build-release/release} scripts/deb

demo: ## Shows the whole job with real processes on throwaway state
	@scripts/demo

fmt: ## Formats every Swift file
	$(SWIFT) format format --in-place --recursive Package.swift Sources Tests Examples

bench: dependencies-build ## Measures, and says what with
	@Benchmarks/measure $(MEASURE)

bench-tables: dependencies-build ## Measures the tables of tasksd likewise
	@Benchmarks/measure-tables $(MEASURE)

bench-offline: dependencies-build ## Measures the offline tables of tasks likewise
	@Benchmarks/measure-offline $(MEASURE)

bench-authority: dependencies-build ## Measures the authority over HTTP likewise
	@Benchmarks/measure-authority $(MEASURE)

bench-reliability: dependencies-build ## Measures what a slow or silent authority costs others
	@Benchmarks/measure-reliability $(MEASURE)

bench-programs: dependencies-build ## Measures a release build beside an earlier one (BEFORE=FOLDER)
	@Benchmarks/measure-programs --before "$(BEFORE)" $(MEASURE)

clean: ## Removes what was built
	$(SWIFT) package clean
