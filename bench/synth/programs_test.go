package synth

import (
	"testing"

	"github.com/tracelake/tracelake/schema"
)

// generate makes up a program.
func generate(t testing.TB, o GenerateOptions) *Generated {
	t.Helper()
	g, err := GenerateProgram(o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// someOptions are programs of all sorts.
var someOptions = []GenerateOptions{
	{Seed: 1, Bytes: 64 << 10, Base: 0x8000, Security: schema.NonSecure},
	{Seed: 2, Bytes: 64 << 10, Base: 0x40000000, Security: schema.Secure, SMC: true, HVC: true},
	{Seed: 3, Bytes: 64 << 10, Base: 0x08000000, Security: schema.Secure, V7M: true},
}
