# Everything a change has to pass: make check. The rest are its parts.
# Vet, staticcheck, gofumpt and more, and which package may import which.
GOLANGCI_LINT = github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
FUZZTIME ?= 20s

# A recipe fails with the first of its commands that does, in a pipe too.
SHELL = bash
.SHELLFLAGS = -euo pipefail -c

# Packages, failures, why tests were skipped, and last the counts. The time is for
# a busy machine: no package needs go's ten minutes on a quiet one. With
# ARTIFACTS=-artifacts the pictures that tests draw stay, in _artifacts. Tests make
# much garbage: its collector takes less of their time where the heap may treble
# in between. Vet is part of lint.
GO_TEST = GOGC=200 go test -vet=off -json -timeout 60m $(ARTIFACTS)
COUNT = go run ./bench/testcount

# The packages whose tests take longest begin first: no processor is idle at the end.
SLOW = $(wildcard ./pipeline ./bench/tools/same ./cmd/tracelake ./bench/generate)

.PHONY: check test long lint race fuzz bench compare mutants generate release

check: lint test race

test: .venv/installed .ci/axe/axe.min.js
	$(GO_TEST) $(SLOW) ./... | $(COUNT)

# The tests with all their seeds, rounds and recipes: about two hours on two cores.
long: .venv/installed .ci/axe/axe.min.js
	TRACELAKE_LONG=1 go test -json -timeout 24h ./... | $(COUNT)

# Python for the tests that read datasets back. Where it cannot be made, they
# say that they skip. What they import Python compiles then: it is a small part.
.venv/installed: .ci/requirements.txt
	@{ python3 -m venv .venv && .venv/bin/pip install -q --no-compile -r .ci/requirements.txt && touch $@; } || \
	{ rm -rf .venv; echo "make: no .venv: the tests that need Python will skip" >&2; }

# axe-core for the tests of the report page: its version and hash are in the lock file. Of its
# package one file is kept.
.ci/axe/axe.min.js: $(wildcard .ci/axe/package-lock.json)
	@{ npm --prefix .ci/axe ci --ignore-scripts --no-audit --no-fund --loglevel=error && cp .ci/axe/node_modules/axe-core/axe.min.js $@; } || \
	echo "make: no axe-core: the tests that need it will skip" >&2; \
	rm -rf .ci/axe/node_modules

# Nothing can race but where goroutines are, in the code or in its tests: commands
# start none of their own.
RACE = $$(grep -rlE --include='*.go' --exclude-dir=cmd '^[[:space:]]*go [a-zA-Z(]|\.Go\(' . | xargs -n 1 dirname | sort -u)

race:
	$(GO_TEST) -race -short $(firstword $(SLOW)) $(RACE) | $(COUNT)

lint:
	go fix -diff ./...
	go run $(GOLANGCI_LINT) run ./...

# go test fuzzes one target at a time: so many of them run at once as there are
# processors. Before Go 1.27 a target may fail with "context deadline exceeded" when
# its time ends (golang/go#75804): without an input that fails, it runs again, twice
# at most.
fuzz:
	@go list -f '{{$$p := .}}{{range .TestGoFiles}}{{$$p.Dir}}/{{.}} {{$$p.ImportPath}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$$p.Dir}}/{{.}} {{$$p.ImportPath}}{{"\n"}}{{end}}' ./... | \
	while read -r file pkg; do \
	  sed -n "s|^func \(Fuzz[A-Za-z0-9_]*\).*|\1 $$pkg|p" "$$file"; \
	done | xargs -r -n 2 -P "$$(getconf _NPROCESSORS_ONLN)" bash -c \
	  'for try in 1 2 3; do \
	     failed=; out=$$(go test -vet=off -run "^$$" -fuzz "^$$0$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x -parallel 1 "$$1" 2>&1) || failed=1; \
	     case "$$failed$$out" in *"Failing input"*) break;; 1*"context deadline exceeded"*) ;; *) break;; esac; \
	   done; echo "$$0: $$out"; [ -z "$$failed" ]'

BENCH = $$(grep -rl --include='*_test.go' '^func Benchmark' . | xargs -n 1 dirname | sort -u)
BENCHTIMES ?= -count 10

bench:
	go test -vet=off -run '^$$' -bench . $(BENCHTIMES) $(BENCH) | tee bench.txt

# Speed beside OpenCSD, docs/speed.md: needs libopencsd-dev, about 15 minutes and a
# quiet machine. COMPARE='-capture rstk -rounds 1' is a part of it.
COMPARE ?=

compare:
	go run ./bench/compare $(if $(wildcard ../shared/captures),-silicon ../shared/captures) $(COMPARE)

# How well tests find faults: docs/conformance.md, Mutants. Half an hour on two quiet cores.
# MUTANTS='-n 20 -seed 2' is another sample.
MUTANTS ?=

mutants:
	go run ./bench/tools/mutants $(MUTANTS)

# What is generated is what the repository has: no file differs, none is new.
generate:
	go generate ./...
	git diff --exit-code
	@new=$$(git ls-files --others --exclude-standard); \
	if [ -n "$$new" ]; then echo "make: go generate ./... wrote what git does not have:" >&2; echo "$$new" >&2; exit 1; fi

# What is published of a version, in dist: make release VERSION=v0.1.0. Static programs for
# Linux, macOS and Windows in archives, Debian packages and Python wheels, with their licences.
release:
	rm -rf dist
	go run ./cmd/internal/release -o dist -version "$(VERSION)"
