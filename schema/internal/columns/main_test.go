package main

import (
	"go/format"
	"os"
	"testing"

	"github.com/tracelake/tracelake/schema"
)

func TestFileIsUpToDate(t *testing.T) {
	got, err := os.ReadFile("../../columns_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	want, err := format.Source(render(schema.Tables()))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("schema/columns_gen.go is not what schema/tables.go says: run go generate ./schema")
	}
}
