package repeat

import (
	"context"
	"testing"

	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
)

// A trace repeated has as many times the instructions, and loses no more than
// the first A-sync of each source and what the end cuts off.
func TestRepeat(t *testing.T) {
	for name, least := range map[string]int64{
		"opencsd-tc2-ptm-rstk-t32": 100_000, "am243x-r5f-etmv3-freertos-002b37c": 100_000, "opencsd-TC2": 10_000,
		"ete-trace_file_cid_vmid": 29_127, "etm4-juno-uname-002": 10_000,
	} {
		t.Run(name, func(t *testing.T) {
			dir := shared.File(t, "captures/"+name)
			once := countRepeated(t, dir, 1)
			const times = 3
			got := countRepeated(t, dir, times*int(once.Bytes))
			if once.Instructions < least || got.Instructions != times*once.Instructions || got.Bytes != times*once.Bytes {
				t.Errorf("%d times: %d instructions in %d bytes, once %d in %d", times, got.Instructions, got.Bytes, once.Instructions, once.Bytes)
			}
			if got.BytesLost != once.BytesLost {
				t.Errorf("%d bytes lost, once %d", got.BytesLost, once.BytesLost)
			}
		})
	}
}

func countRepeated(t *testing.T, from string, size int) schema.Totals {
	t.Helper()
	to := t.TempDir()
	if err := Snapshot(from, to, size); err != nil {
		t.Fatal(err)
	}
	totals, err := pipeline.Count(context.Background(), to, pipeline.CountOptions{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return totals
}
