package arrowfile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/sample"
)

// Encodings make the same record batches as plain values do, byte for byte, whatever was
// in the memory before.
func TestEncoded(t *testing.T) {
	for variety := range 14 {
		r := rand.New(rand.NewPCG(uint64(variety), 0))
		program := sample.Blocks(r, 30, 9)
		t.Run(fmt.Sprintf("instructions/variety=%d", variety), func(t *testing.T) {
			holdEncoded(t, &schema.Instructions, func() (encoded, plain *schema.Batch) {
				return sample.Encoded(r, program, 1+r.IntN(4000), variety)
			})
		})
		t.Run(fmt.Sprintf("cycle_counts/variety=%d", variety), func(t *testing.T) {
			holdEncoded(t, &schema.CycleCounts, func() (encoded, plain *schema.Batch) {
				return sample.Narrow(r, 1+r.IntN(4000), variety)
			})
		})
	}
}

// holdEncoded holds row groups of one encoder, of encoded batches, against those of plain ones.
func holdEncoded(t *testing.T, table *schema.Table, draw func() (encoded, plain *schema.Batch)) {
	g := NewRowGroup(table)
	for n := range 3 {
		encoded, plain := draw()
		want := write(t, table, None, [][]*schema.Batch{{plain}})
		var out bytes.Buffer
		f, err := Create(&out, table, []schema.Meta{{Key: "tracelake.test", Value: "yes"}}, None)
		if err != nil {
			t.Fatal(err)
		}
		sample.WriteGroup(t, f, g, []*schema.Batch{encoded})
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out.Bytes(), want) {
			t.Errorf("group %d: %d bytes from encodings are not the %d from plain values", n, out.Len(), len(want))
		}
	}
}
