package benchtest

import (
	"testing"

	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/schema"
)

// Generate makes up a program.
func Generate(t testing.TB, o codegen.Options) *codegen.Program {
	t.Helper()
	g, err := codegen.Generate(o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Programs are programs of all sorts.
var Programs = []codegen.Options{
	{Seed: 1, Bytes: 64 << 10, Base: 0x8000, Security: schema.NonSecure},
	{Seed: 2, Bytes: 64 << 10, Base: 0x40000000, Security: schema.Secure, SMC: true, HVC: true},
	{Seed: 3, Bytes: 64 << 10, Base: 0x08000000, Security: schema.Secure, Arch: program.V7M},
	{Seed: 4, Bytes: 64 << 10, Base: 0x8000, Arch: program.V5TE, LDC: true},
	{Seed: 5, Bytes: 64 << 10, Base: 0x20000000, Arch: program.V5TE, HighVectors: true},
}
