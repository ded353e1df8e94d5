package parquetfile

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/sample"
)

// Numbers that are a byte each make the same file as plain ones, byte for byte, and that
// has the rows.
func TestNarrow(t *testing.T) {
	need.FullRun(t, oneGoroutine)
	for _, c := range []struct {
		name          string
		rows, variety int
	}{
		{"one row", 1, 1},
		{"constant", 9000, 0},
		{"short blocks", 1000, 2},
		{"long blocks", 20_000, 3},
		{"many are more than a byte", 20_000, 12},
		{"dictionary full", 50_000, 900},
	} {
		t.Run(c.name, func(t *testing.T) { holdNarrow(t, 1, c.rows, c.variety, 2) })
	}
}

func FuzzNarrow(f *testing.F) {
	f.Add(uint64(1), uint16(700), uint8(3))
	f.Add(uint64(2), uint16(5000), uint8(30))
	f.Fuzz(func(t *testing.T, seed uint64, rows uint16, variety uint8) {
		holdNarrow(t, seed, 1+int(rows)%9000, int(variety)%50, 2)
	})
}

func holdNarrow(t *testing.T, seed uint64, rows, variety, batches int) {
	r := rand.New(rand.NewPCG(seed, 0))
	var encoded, plain []*schema.Batch
	for range batches {
		f, p := sample.Narrow(r, rows, variety)
		encoded, plain = append(encoded, f), append(plain, p)
	}
	want := write(t, &schema.CycleCounts, None, [][]*schema.Batch{plain, plain[:1]})
	again, _ := sample.Narrow(rand.New(rand.NewPCG(seed, 0)), rows, variety) // the encoder may expand what it is given
	if got := write(t, &schema.CycleCounts, None, [][]*schema.Batch{encoded, {again}}); !bytes.Equal(got, want) {
		t.Errorf("%d bytes from narrow numbers are not the %d from plain values", len(got), len(want))
	}
	compare(t, &schema.CycleCounts, want, [][]*schema.Batch{plain, plain[:1]})
}
