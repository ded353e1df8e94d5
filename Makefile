# Everything a change has to pass: make check. The rest are its parts.
# Vet, staticcheck, gofumpt and more, and which package may import which.
GOLANGCI_LINT = github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
FUZZTIME ?= 20s

# A recipe fails with the first of its commands that does, in a pipe too.
SHELL = bash
.SHELLFLAGS = -euo pipefail -c

# Packages, failures, why tests were skipped, and last the counts. The time is for
# a busy machine: no package needs go's ten minutes on a quiet one.
GO_TEST = go test -json -timeout 60m
COUNT = go run ./bench/testcount

.PHONY: check test long lint race fuzz bench generate release

check: lint test race

test: .venv/installed
	$(GO_TEST) ./... | $(COUNT)

# The tests with all their seeds, rounds and recipes: about an hour on two cores.
long: .venv/installed
	TRACELAKE_LONG=1 go test -json -timeout 24h ./... | $(COUNT)

# Python for the tests that read datasets back. Where it cannot be made, they
# say that they skip.
.venv/installed: .ci/requirements.txt
	@{ python3 -m venv .venv && .venv/bin/pip install -q -r .ci/requirements.txt && touch $@; } || \
	{ rm -rf .venv; echo "make: no .venv: the tests that need Python will skip" >&2; }

race:
	$(GO_TEST) -race -short ./... | $(COUNT)

lint:
	go fix -diff ./...
	go run $(GOLANGCI_LINT) run ./...

# One target at a time: go test -fuzz takes no more.
fuzz:
	@go list -f '{{$$p := .}}{{range .TestGoFiles}}{{$$p.Dir}}/{{.}} {{$$p.ImportPath}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$$p.Dir}}/{{.}} {{$$p.ImportPath}}{{"\n"}}{{end}}' ./... | \
	while read -r file pkg; do \
	  for f in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' "$$file"); do \
	    go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x "$$pkg"; \
	  done; \
	done

bench:
	go test -run '^$$' -bench . -count 10 ./... | tee bench.txt

# What is generated is what the repository has: no file differs, none is new.
generate:
	go generate ./...
	git diff --exit-code
	@new=$$(git ls-files --others --exclude-standard); \
	if [ -n "$$new" ]; then echo "make: go generate ./... wrote what git does not have:" >&2; echo "$$new" >&2; exit 1; fi

# What is published of a version, in dist: static binaries for Linux, macOS and
# Windows, the licences of all that is linked into them, and SHA-256 sums.
release:
	rm -rf dist
	go run ./cmd/internal/release -o dist
