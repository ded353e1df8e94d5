# Everything a change has to pass: make check. The rest are its parts.
# Vet, staticcheck, gofumpt and more, and which package may import which.
GOLANGCI_LINT = github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
FUZZTIME ?= 20s

.PHONY: check test lint race fuzz bench generate

check: lint test race

test: .venv/installed
	go test ./...

# Python for the tests that read datasets back. Where it cannot be made, they
# say that they skip.
.venv/installed: .ci/requirements.txt
	@{ python3 -m venv .venv && .venv/bin/pip install -q -r .ci/requirements.txt && touch $@; } || \
	{ rm -rf .venv; echo "make: no .venv: the tests that need Python will skip" >&2; }

race:
	go test -race -short ./...

lint:
	go fix -diff ./...
	go run $(GOLANGCI_LINT) run ./...

# One target at a time: go test -fuzz takes no more.
fuzz:
	@go list -f '{{$$p := .}}{{range .TestGoFiles}}{{$$p.Dir}}/{{.}} {{$$p.ImportPath}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$$p.Dir}}/{{.}} {{$$p.ImportPath}}{{"\n"}}{{end}}' ./... | \
	while read file pkg; do \
	  for f in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' $$file); do \
	    go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x $$pkg || exit 1; \
	  done; \
	done

bench:
	go test -run '^$$' -bench . -count 10 ./... | tee bench.txt

generate:
	go generate ./...
	git diff --exit-code
