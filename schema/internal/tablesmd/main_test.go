package main

import (
	"os"
	"testing"

	"github.com/tracelake/tracelake/schema"
)

func TestPageIsUpToDate(t *testing.T) {
	page, err := os.ReadFile("../../../docs/tables.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != render(schema.Tables()) {
		t.Error("docs/tables.md is not what schema/tables.go says: run go generate ./schema")
	}
}
