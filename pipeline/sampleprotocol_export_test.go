package pipeline

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Export decodes a snapshot with a protocol that only this test knows: its stream
// is samples and has no A-syncs. Worked out by hand for the stream below: the first
// sample is before the first cut; the target of the branch is in the sample of the
// next cut, which has another address; an invalid status loses two samples; and
// three bytes at the end are one sample that is cut off.
func TestSampleProtocol(t *testing.T) {
	var stream []byte
	for _, s := range []struct {
		status  byte
		payload uint32
	}{
		{sampleWait, 0},
		{sampleSync, 0},
		{sampleExecute, 0x1000}, // where the sync says
		{sampleExecute, 0},
		{sampleBranch, 0},
		{sampleSync, 0x2000}, // the branch's target
		{sampleExecute, 0x1000},
		{0x7f, 0},
		{sampleExecute, 0},
		{sampleSync, 0},
		{sampleExecute, 0x2000},
		{sampleBranch, 0},
	} {
		stream = append(stream, s.status, 0, 0, 0)
		stream = binary.LittleEndian.AppendUint32(stream, s.payload)
	}
	stream = append(stream, 1, 0, 0)
	code := make([]byte, 0x1008)
	for at, opcode := range map[int]uint32{0: 0xe1a00000, 4: 0xe1a00000, 8: 0xe12fff1e, 0x1000: 0xe1a00000, 0x1004: 0xe12fff1e} {
		binary.LittleEndian.PutUint32(code[at:], opcode)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"snapshot.ini": "[snapshot]\nversion=1.0\n[device_list]\ndevice0=cpu_0.ini\ndevice1=etm_0.ini\n[trace]\nmetadata=trace.ini\n",
		"cpu_0.ini":    "[device]\nname=cpu_0\nclass=core\ntype=ARM926\n[dump0]\nfile=code.bin\naddress=0x1000\nlength=0x1008\n",
		"etm_0.ini":    "[device]\nname=ETM_0\nclass=trace_source\ntype=SAMPLES1.0\n[regs]\nETMTRACEIDR(0x80)=0x10\n",
		"trace.ini": "[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=ETB_0\nfile=etb.bin\nformat=source_data\n" +
			"[source_buffers]\nETM_0=ETB_0\n[core_trace_sources]\ncpu_0=ETM_0\n",
		"etb.bin": string(stream), "code.bin": string(code),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"instructions seq=0 segment=0 byte_offset=16 address=4096",
		"instructions seq=1 segment=0 byte_offset=24 address=4100",
		"instructions seq=2 segment=0 byte_offset=32 address=4104",
		"instructions seq=3 segment=1 byte_offset=48 address=4096",
		"instructions seq=4 segment=2 byte_offset=80 address=8192",
		"instructions seq=5 segment=2 byte_offset=88 address=8196",
		"events byte_offset=8 event=trace_on address=4096 detail=NULL",
		"events byte_offset=40 event=inconsistent address=8192 detail=periodic I-sync says 0x00001000 a32",
		"events byte_offset=72 event=trace_on address=8192 detail=NULL",
		"losses byte_offset=0 bytes=1 reason=unsynced",
		"losses byte_offset=56 bytes=2 reason=reserved_header",
		"losses byte_offset=96 bytes=0 reason=truncated",
		"segments byte_offset=8 bytes=4 bytes_lost=0 instructions=3",
		"segments byte_offset=40 bytes=4 bytes_lost=2 instructions=1",
		"segments byte_offset=72 bytes=3 bytes_lost=0 instructions=2",
		"counts source=16 address=4096 executed=2 failed=0 unknown=0 first_seq=0 timed=0 cycles=NULL cycles_spread=NULL",
		"counts source=16 address=4100 executed=1 failed=0 unknown=0 first_seq=1 timed=0 cycles=NULL cycles_spread=NULL",
		"counts source=16 address=4104 executed=1 failed=0 unknown=0 first_seq=2 timed=0 cycles=NULL cycles_spread=NULL",
		"counts source=16 address=8192 executed=1 failed=0 unknown=0 first_seq=4 timed=0 cycles=NULL cycles_spread=NULL",
		"counts source=16 address=8196 executed=1 failed=0 unknown=0 first_seq=5 timed=0 cycles=NULL cycles_spread=NULL",
		"edges source=16 from_address=4104 to_address=4096 kind=return outcome=taken n=1 cycles=NULL", // a loss cuts the other
		"sources protocol=samples status=decoded unit=samples bytes=12 bytes_decoded=9 bytes_lost=3",
	}
	for _, workers := range []int{1, 3} {
		out := filepath.Join(t.TempDir(), "run")
		opt := Options{Level: schema.LevelInstructions, Workers: workers, Families: append(Protocols(), sampleFamily())}
		if _, err := Export(t.Context(), dir, out, opt); err != nil {
			t.Fatal(err)
		}
		if got := rowsInWords(t, out, want); !slices.Equal(got, want) {
			t.Errorf("%d workers:\n%s\nwant\n%s", workers, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		ds, err := dataset.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		if b := ds.Manifest.Buffers[0]; b.Streams["0x10"] != 96 || b.Overhead["incomplete"] != 3 || b.Bytes != 99 {
			t.Errorf("%d workers: buffer %+v, want 96 bytes of stream, 3 incomplete, 99", workers, b)
		}
	}
}

// rowsInWords returns the rows of a dataset in the words of the rows wanted: of
// the tables and columns they name.
func rowsInWords(t *testing.T, dir string, want []string) []string {
	t.Helper()
	ds, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	done := map[string]bool{}
	for _, line := range want {
		name, columns, _ := strings.Cut(line, " ")
		if done[name] {
			continue
		}
		done[name] = true
		table := schema.FindTable(name)
		for _, source := range ds.Sources(table) {
			rows := ds.Open(table, source)
			for b, err := rows.Next(); err == nil; b, err = rows.Next() {
				for i := range b.Rows() {
					got = append(got, name+rowWords(b, i, columns))
				}
			}
			if err := rows.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return got
}

// rowWords is row i of b, of the columns that another row names.
func rowWords(b *schema.Batch, i int, columns string) string {
	var words strings.Builder
	for c := range b.Columns {
		v := &b.Columns[c]
		if name := v.Column.Name + "="; strings.HasPrefix(columns, name) || strings.Contains(columns, " "+name) {
			fmt.Fprintf(&words, " %s%s", name, v.Text(i))
		}
	}
	return words.String()
}

var _ decode.Protocol = sampleProtocol{}
