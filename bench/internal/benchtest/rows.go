package benchtest

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/snapshot"
	"github.com/tracelake/tracelake/bench/truth"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A Record is [truth.Rows] in memory: a line of text for each row, by table, with the
// columns of the table but source, and NULL.
type Record map[string][]string

func (r Record) add(table *schema.Table, cells ...any) {
	words := make([]string, len(cells))
	for i, c := range cells {
		words[i] = fmt.Sprint(c)
	}
	r[table.Name] = append(r[table.Name], strings.Join(words, " "))
}

func (r Record) key(k truth.Key) string {
	return fmt.Sprintf("%d %s %d", k.Seq, null(k.Segment), k.Offset)
}

func (r Record) state(s *truth.State) string {
	return strings.Join([]string{
		fmt.Sprint(s.Epoch), null(s.Cycle), null(s.Timestamp), null(s.ContextID), null(s.VMID), s.Security.String(),
		null(s.ExceptionLevel),
	}, " ")
}

func null[T any](v schema.Null[T]) string {
	if !v.OK {
		return "NULL"
	}
	return fmt.Sprint(v.V)
}

// Hex is an address or opcode as a Record has it.
func Hex[N ~uint32 | ~uint64](v N) string { return fmt.Sprintf("%x", v) }

func inHexNull[N ~uint32 | ~uint64](v schema.Null[N]) string {
	if !v.OK {
		return "NULL"
	}
	return Hex(v.V)
}

func detail(s string) string {
	if s == "" {
		return "NULL"
	}
	return s
}

// Instruction implements [truth.Rows].
func (r Record) Instruction(x *truth.Instruction) {
	r.add(&schema.Instructions, r.key(x.Key), Hex(x.Address), x.Size, x.ISA, Hex(x.Opcode), x.Kind, null(x.Executed),
		null(x.Cycles), r.state(&x.State), null(x.Transaction))
}

// Exception implements [truth.Rows].
func (r Record) Exception(x *truth.Exception) {
	r.add(&schema.Exceptions, r.key(x.Key), len(r[schema.Exceptions.Name]), schema.ExceptionEventNames[x.Event],
		null(x.Number), null(x.Type),
		inHexNull(x.ReturnAddress), inHexNull(x.Target), null(x.Resume), null(x.Cycles), r.state(&x.State))
}

// CycleCount implements [truth.Rows].
func (r Record) CycleCount(x *truth.CycleCount) {
	r.add(&schema.CycleCounts, r.key(x.Key), null(x.Epoch), null(x.Cycles), null(x.Cycle), schema.CountKindNames[x.Kind],
		x.Late)
}

// Timestamp implements [truth.Rows].
func (r Record) Timestamp(x *truth.Timestamp) {
	r.add(&schema.Timestamps, r.key(x.Key), null(x.Timestamp), x.KnownBits, x.Epoch, null(x.Cycle))
}

// Context implements [truth.Rows].
func (r Record) Context(x *truth.Context) {
	r.add(&schema.Contexts, r.key(x.Key), null(x.ContextID), null(x.VMID), x.Security, null(x.ISA),
		null(x.ExceptionLevel))
}

// DataAccess implements [truth.Rows].
func (r Record) DataAccess(x *truth.DataAccess) {
	seq := fmt.Sprint(x.Seq)
	if x.NoInstruction {
		seq = "NULL"
	}
	r.add(&schema.DataAccesses, seq, null(x.Segment), x.Offset, x.Position, inHexNull(x.Address), null(x.Value),
		null(x.Size),
		null(x.Access), null(x.Tag), schema.DataStateNames[x.State])
}

// Event implements [truth.Rows].
func (r Record) Event(x *truth.Event) {
	r.add(&schema.Events, r.key(x.Key), x.Event, inHexNull(x.Address), detail(x.Detail))
}

// Loss implements [truth.Rows].
func (r Record) Loss(x *truth.Loss) {
	r.add(&schema.Losses, r.key(x.Key), x.Bytes, x.Reason, detail(x.Detail))
}

// Segment implements [truth.Rows].
func (r Record) Segment(x *truth.Segment) {
	r.add(&schema.Segments, r.key(x.Key), x.Bytes, x.BytesDecoded, x.BytesLost, x.BytesUnplaced, x.Instructions,
		x.Exceptions, inHexNull(x.Address),
		schema.ISyncReasonNames[x.Reason])
}

// isStart says whether a column of `segments` says what decoding needs to begin there: no
// truth has it.
func isStart(table *schema.Table, column int) bool {
	return table == &schema.Segments && column >= int(schema.SegmentsStreamOffset)
}

// comparedTables are the tables a Rows has.
var comparedTables = []*schema.Table{
	&schema.Segments, &schema.Losses, &schema.Events, &schema.Contexts, &schema.Timestamps,
	&schema.CycleCounts, &schema.Exceptions, &schema.Instructions, &schema.DataAccesses,
}

// Differences are the first rows of each table in which a decode differs from the
// truth; "" if there are none.
func Differences(decoded, truth Record) string {
	const shown = 3 // of a table
	var d strings.Builder
	for _, table := range comparedTables {
		want, got := truth[table.Name], decoded[table.Name]
		n := 0
		for i := range max(len(want), len(got)) {
			w, g := "no row", "no row"
			if i < len(want) {
				w = want[i]
			}
			if i < len(got) {
				g = got[i]
			}
			if w != g && n < shown {
				n++
				fmt.Fprintf(&d, "%s, row %d of %d, truth %d:\ntruth   %s\ndecoded %s\n", table.Name, i, len(got), len(want), w, g)
			}
		}
	}
	return d.String()
}

// Decode writes a snapshot of one source with its stream as it is, exports it
// as a user would, and reads the dataset.
func Decode(t testing.TB, core string, source snapshot.Source, stream []byte, memory map[schema.Address][]byte) (Record,
	error,
) {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	const raw = "stream.bin"
	source.Core, source.Buffer = "cpu_0", "buffer"
	c := snapshot.Core{Name: "cpu_0", Type: core}
	files := map[string][]byte{raw: stream}
	for _, address := range slices.Sorted(maps.Keys(memory)) {
		name, code := fmt.Sprintf("%08x.bin", address), memory[address]
		files[name] = code
		c.Dumps = append(c.Dumps, snapshot.Dump{File: name, Address: address, Length: uint32(len(code))})
	}
	s := snapshot.Snapshot{
		Cores: []snapshot.Core{c}, Sources: []snapshot.Source{source},
		Buffers: []snapshot.Buffer{{Name: "buffer", File: raw, Format: "source_data"}},
	}
	maps.Copy(files, s.Files())
	if err := snapshot.WriteFiles(in, files); err != nil {
		t.Fatal(err)
	}
	opt := pipeline.Options{Level: schema.LevelInstructions, Codec: "none", Tables: comparedTables, Workers: 2}
	if _, err := pipeline.Export(t.Context(), in, out, opt); err != nil {
		return nil, err
	}
	return Read(t, out), nil
}

// Read reads the tables that a truth has of a dataset of one source.
func Read(t testing.TB, dir string) Record {
	t.Helper()
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	decoded := Record{}
	for _, table := range comparedTables {
		for b, err := range d.Batches(table) {
			if err != nil {
				t.Fatal(err)
			}
			for row := range b.Rows() {
				decoded.add(table, cells(b, row)...)
			}
		}
	}
	return decoded
}

// cells are those of a row as a Record has them: addresses and opcodes in hex.
func cells(b *schema.Batch, row int) (cells []any) {
	for i := range b.Columns {
		v := &b.Columns[i]
		switch {
		case v.Column.Name == "source" || isStart(b.Table, i):
		case v.Column.Type == schema.Uint64 && !v.Null(row):
			cells = append(cells, Hex(v.U64[row]))
		case v.Column.Hex && !v.Null(row):
			cells = append(cells, Hex(v.U32[row]))
		default:
			cells = append(cells, v.Text(row))
		}
	}
	return cells
}
