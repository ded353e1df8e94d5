package arrowfile

import (
	"math/rand/v2"
	"testing"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/sample"
)

// Templates of more instructions than are kept are made again, and are right.
func TestTemplatesForgotten(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	blocks := sample.Blocks(r, 60, 60_000)
	var code schema.CodeRuns
	var want []int64 // addresses
	all := 0
	for _, b := range blocks {
		all += len(b.Address)
	}
	if all < templateLimit {
		t.Fatalf("%d instructions do not fill the templates", all)
	}
	for range 300 {
		n := r.IntN(len(blocks))
		b := blocks[n]
		first := r.IntN(len(b.Address))
		count := min(1+r.IntN(20), len(b.Address)-first)
		code.Runs = append(code.Runs, schema.CodeRun{Block: uint32(n), First: uint16(first), Count: uint16(count)})
		code.Rows += count
		for _, a := range b.Address[first : first+count] {
			want = append(want, int64(a))
		}
	}
	var numbers []uint32
	for i := range blocks {
		numbers = append(numbers, uint32(i))
	}
	code.End(blocks, numbers)
	w, l := codeArrays{stamp: 1}, loan{of: new(pools)}
	w.expand(&l, &code)
	if w.stamp == 1 || len(w.kinds) > templateLimit+overCopy {
		t.Errorf("templates of %d instructions are kept, with stamp %d", len(w.kinds), w.stamp)
	}
	got := w.buffers[schema.FieldAddress].Bytes()
	for i, a := range want {
		if x := int64(uint64(got[8*i]) | uint64(got[8*i+1])<<8 | uint64(got[8*i+2])<<16 | uint64(got[8*i+3])<<24); x != a {
			t.Fatalf("row %d: address %#x, want %#x", i, x, a)
		}
	}
}
