package pipeline

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode/decodetest"
	"github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// In A64 all instructions of a run were executed, but a last one that failed: of runs that are longer
// than a row of `blocks`, too.
func TestLongBlocksOfA64(t *testing.T) {
	for _, n := range []int{1, 2, 62, 63, 64, 65, 126, 127, 128, 129, 200} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			var code []byte
			for range n - 1 {
				code = binary.LittleEndian.AppendUint32(code, 0xd503201f) // nop
			}
			code = binary.LittleEndian.AppendUint32(code, 0xb4000000|uint32(1-n)&0x7ffff<<5) // cbz x0, 1000
			mem := image.New(image.Region{Address: 0x1000, Bytes: code})
			cfg, _, err := etmv4.NewConfig(etmv4.Registers{CONFIGR: 1, IDR0: 0x28000ea1, IDR1: 0x4100f403, IDR2: 0x488, Profile: "A"})
			check(t, err)
			stream, err := hex.DecodeString("000000000000000000000080" + "010100" + "820008000031" + "d9") // EN
			check(t, err)
			decoded := func(blocks bool) map[string][]map[string]string {
				whole := &pieces{packets: []decodetest.Packet{{Bytes: stream}}, size: len(stream)}
				return decodeRows(t, whole, &cfg, mem, blocks, 1).rows
			}
			rows := decoded(false)
			if len(rows[schema.Instructions.Name]) != 2*n || len(rows[schema.Counts.Name]) != n {
				t.Fatalf("%d instructions, %d in counts", len(rows[schema.Instructions.Name]), len(rows[schema.Counts.Name]))
			}
			for i, row := range rows[schema.Instructions.Name] {
				if want := fmt.Sprint(i < 2*n-1); row["executed"] != want {
					t.Errorf("instruction %d: executed %s, want %s", i, row["executed"], want)
				}
			}
			for i, row := range rows[schema.Counts.Name] {
				want := []string{"2", "0", "0"}
				if i == n-1 {
					want = []string{"1", "1", "0"}
				}
				if got := []string{row["executed"], row["failed"], row["unknown"]}; !slices.Equal(got, want) {
					t.Errorf("instruction %d: executed, failed, unknown %s, want %s", i, got, want)
				}
			}
			checkExecuted(t, n, decoded(true)[schema.Blocks.Name])
		})
	}
}

// checkExecuted checks that rows of `blocks` say what the view of them takes from them: all of 2n instructions but
// the last were executed.
func checkExecuted(t *testing.T, n int, rows []map[string]string) {
	t.Helper()
	seq := 0
	for _, row := range rows {
		instructions := number(row["instructions"])
		failed := number(row["failed"])
		for i := range instructions {
			executed := failed>>i&1 == 0
			if i == instructions-1 && row["outcome"] != "unknown" {
				if executed != (row["outcome"] != "not_taken") {
					t.Errorf("failed %s of %d instructions, outcome %s", row["failed"], instructions, row["outcome"])
				}
			} else if i == instructions-1 {
				t.Errorf("the outcome of instruction %d is unknown", seq)
			}
			if want := seq < 2*n-1; executed != want {
				t.Errorf("instruction %d: executed %t, want %t", seq, executed, want)
			}
			seq++
		}
	}
	if seq != 2*n {
		t.Errorf("%d instructions, want %d", seq, 2*n)
	}
}
