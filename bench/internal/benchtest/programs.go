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
	{Seed: 6, Bytes: 64 << 10, Base: 0xFFFF8000_00010000, Arch: program.V8A, Level: 1, Security: schema.NonSecure, SMC: true, HVC: true},
	{Seed: 7, Bytes: 64 << 10, Base: 0x40000000, Arch: program.V8A, Security: schema.Realm, SMC: true, HVC: true, Transactions: true},
	{Seed: 8, Bytes: 64 << 10, Base: 0x40000000, Arch: program.V8A, Security: schema.NonSecure, AArch32: codegen.Functions},
	{Seed: 9, Bytes: 64 << 10, Base: 0x8000, Arch: program.V8A, Level: 1, AArch32: codegen.All, SMC: true, HVC: true},
	{Seed: 10, Bytes: 64 << 10, Base: 0x10000000, Arch: program.V8M},
}
