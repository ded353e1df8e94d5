package arrowfile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/sample"
)

// Forms make the same record batches as plain values do, byte for byte, whatever was
// in the memory before.
func TestForms(t *testing.T) {
	for variety := range 14 {
		t.Run(fmt.Sprintf("variety=%d", variety), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(variety), 0))
			program := sample.Blocks(r, 30, 9)
			g := NewRowGroup(&schema.Instructions)
			for n := range 3 {
				formed, plain := sample.Forms(r, program, 1+r.IntN(4000), variety)
				want := write(t, &schema.Instructions, None, [][]*schema.Batch{{plain}})
				var out bytes.Buffer
				f, err := Create(&out, &schema.Instructions, []schema.Meta{{Key: "tracelake.test", Value: "yes"}}, None)
				if err != nil {
					t.Fatal(err)
				}
				sample.WriteGroup(t, f, g, []*schema.Batch{formed})
				if err := f.Close(); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(out.Bytes(), want) {
					t.Errorf("group %d: %d bytes from forms are not the %d from plain values", n, out.Len(), len(want))
				}
			}
		})
	}
}
