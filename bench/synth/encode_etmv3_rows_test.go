package synth_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tracelake/tracelake/bench/synth"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
)

// etmRows are rows by table, a row being its cells in words: those of the schema
// but source, which is one, and ordinal, which counts the rows.
type etmRows map[string][][]string

func (r etmRows) add(table string, cells ...string) { r[table] = append(r[table], cells) }

func nullCell[T any](v schema.Null[T]) string {
	if !v.OK {
		return "NULL"
	}
	return fmt.Sprint(v.V)
}

func textCell(s string) string {
	if s == "" {
		return "NULL"
	}
	return s
}

func keyCells(k synth.Key) []string {
	return []string{fmt.Sprint(k.Seq), nullCell(k.Segment), fmt.Sprint(k.Offset)}
}

func stateCells(s synth.State) []string {
	return []string{fmt.Sprint(s.Epoch), nullCell(s.Cycle), nullCell(s.Timestamp), nullCell(s.ContextID), nullCell(s.VMID), s.Security.String()}
}

func (r etmRows) Instruction(i *synth.Instruction) {
	cells := append(keyCells(i.Key), fmt.Sprint(i.Address), fmt.Sprint(i.Size), i.ISA.String(), fmt.Sprint(i.Opcode), i.Kind.String(),
		nullCell(i.Executed), nullCell(i.Cycles))
	r.add("instructions", append(cells, stateCells(i.State)...)...)
}

func (r etmRows) Exception(x *synth.Exception) {
	cells := append(keyCells(x.Key), schema.ExceptionEventNames[x.Event], nullCell(x.Number), nullCell(x.Type), nullCell(x.ReturnAddress), nullCell(x.Target), nullCell(x.Resume))
	r.add("exceptions", append(cells, stateCells(x.State)...)...)
}

func (r etmRows) CycleCount(c *synth.CycleCount) {
	r.add("cycle_counts", append(keyCells(c.Key), nullCell(c.Epoch), nullCell(c.Cycles), nullCell(c.Cycle), schema.CountKindNames[c.Kind], fmt.Sprint(c.Late))...)
}

func (r etmRows) Timestamp(x *synth.Timestamp) {
	r.add("timestamps", append(keyCells(x.Key), nullCell(x.Timestamp), fmt.Sprint(x.KnownBits), fmt.Sprint(x.Epoch), nullCell(x.Cycle))...)
}

func (r etmRows) Context(x *synth.Context) {
	r.add("contexts", append(keyCells(x.Key), nullCell(x.ContextID), nullCell(x.VMID), x.Security.String(), nullCell(x.ISA))...)
}

func (r etmRows) DataAccess(x *synth.DataAccess) {
	cells := append(keyCells(x.Key), fmt.Sprint(x.Position), nullCell(x.Address), nullCell(x.Value), nullCell(x.Size), nullCell(x.Access), nullCell(x.Tag), x.State.String())
	if x.NoInstruction {
		cells[0] = "NULL"
	}
	r.add("data_accesses", cells...)
}

func (r etmRows) Event(x *synth.Event) {
	r.add("events", append(keyCells(x.Key), x.Event.String(), nullCell(x.Address), textCell(x.Detail))...)
}

func (r etmRows) Loss(x *synth.Loss) {
	r.add("losses", append(keyCells(x.Key), fmt.Sprint(x.Bytes), x.Reason.String(), textCell(x.Detail))...)
}

func (r etmRows) Segment(x *synth.Segment) {
	r.add("segments", append(keyCells(x.Key), fmt.Sprint(x.Bytes), fmt.Sprint(x.BytesDecoded), fmt.Sprint(x.BytesLost), fmt.Sprint(x.BytesUnplaced),
		fmt.Sprint(x.Instructions), fmt.Sprint(x.Exceptions), nullCell(x.Address), x.Reason.String())...)
}

// rowTables are the tables of [synth.Rows], data_accesses last.
var rowTables = []*schema.Table{
	&schema.Instructions, &schema.Exceptions, &schema.CycleCounts, &schema.Timestamps, &schema.Contexts, &schema.Events,
	&schema.Losses, &schema.Segments, &schema.DataAccesses,
}

// exportETMv3 decodes a stream as a user would: from a snapshot, into a dataset,
// whose tables are read back.
func exportETMv3(t testing.TB, o *synth.ETMv3Options, stream []byte, code []codeRegion) (etmRows, error) {
	t.Helper()
	dir := t.TempDir()
	capture, dataset := filepath.Join(dir, "capture"), filepath.Join(dir, "dataset")
	core := synth.SnapshotCore{Name: "cpu_0", Type: o.Core()}
	files := map[string][]byte{"trace.bin": stream}
	for i, c := range code {
		name := fmt.Sprintf("code%d.bin", i)
		files[name] = c.bytes
		core.Dumps = append(core.Dumps, synth.SnapshotDump{File: name, Address: c.address, Length: uint32(len(c.bytes))})
	}
	snapshot := synth.Snapshot{
		Cores:   []synth.SnapshotCore{core},
		Sources: []synth.SnapshotSource{{Name: "ETM_0", Type: o.Type(), Core: "cpu_0", Buffer: "ETB_0", Registers: o.Registers()}},
		Buffers: []synth.SnapshotBuffer{{Name: "ETB_0", File: "trace.bin", Format: "source_data"}},
	}
	maps.Copy(files, snapshot.Files())
	if err := synth.WriteFiles(capture, files); err != nil {
		t.Fatal(err)
	}
	_, err := pipeline.Export(context.Background(), capture, dataset, pipeline.Options{Workers: 1, Level: schema.LevelInstructions, Codec: "none", Tables: rowTables})
	if err != nil {
		return nil, err
	}
	rows := make(etmRows)
	for _, table := range rowTables {
		readETMTable(t, rows, dataset, table)
	}
	return rows, nil
}

// readETMTable reads the parts of a table into rows.
func readETMTable(t testing.TB, rows etmRows, dataset string, table *schema.Table) {
	t.Helper()
	parts, err := filepath.Glob(filepath.Join(dataset, table.Name, "*.parquet"))
	if err != nil || len(parts) == 0 {
		t.Fatalf("table %s: %d parts, %v", table.Name, len(parts), err)
	}
	for _, part := range parts {
		in, err := os.Open(part)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		size, err := in.Stat()
		if err != nil {
			t.Fatal(err)
		}
		f, err := parquet.OpenFile(in, size.Size())
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range f.RowGroups() {
			var columns [][]string
			for i, c := range table.Columns {
				if c.Name != "source" && c.Name != "ordinal" {
					columns = append(columns, readETMCells(t, group.ColumnChunks()[i], c.Type))
				}
			}
			for row := range columns[0] {
				cells := make([]string, len(columns))
				for i := range columns {
					cells[i] = columns[i][row]
				}
				rows.add(table.Name, cells...)
			}
		}
	}
}

func readETMCells(t testing.TB, c parquet.ColumnChunk, typ schema.Type) []string {
	t.Helper()
	var cells []string
	pages := c.Pages()
	defer pages.Close()
	for {
		p, err := pages.ReadPage()
		if err == io.EOF {
			return cells
		}
		if err != nil {
			t.Fatal(err)
		}
		values := make([]parquet.Value, p.NumValues())
		if n, err := p.Values().ReadValues(values); int64(n) != p.NumValues() || err != nil && err != io.EOF {
			t.Fatalf("a page of %d values gave %d: %v", p.NumValues(), n, err)
		}
		for _, v := range values {
			cells = append(cells, etmCell(v, typ))
		}
	}
}

func etmCell(v parquet.Value, typ schema.Type) string {
	if v.IsNull() {
		return "NULL"
	}
	switch typ {
	case schema.Bool:
		return strconv.FormatBool(v.Boolean())
	case schema.Uint8, schema.Uint16, schema.Uint32:
		return strconv.FormatUint(uint64(v.Uint32()), 10)
	case schema.Int32:
		return strconv.FormatInt(int64(v.Int32()), 10)
	case schema.Uint64:
		return strconv.FormatUint(v.Uint64(), 10)
	case schema.Int64:
		return strconv.FormatInt(v.Int64(), 10)
	default:
		return string(v.ByteArray())
	}
}
