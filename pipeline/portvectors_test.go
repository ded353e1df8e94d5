package pipeline

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/decodetest"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

// A portVector is a stream of the golden vectors, with the rows that it has to become.
type portVector struct {
	Name      string            `json:"name"`
	Protocol  string            `json:"protocol"`
	Registers map[string]string `json:"registers"`
	Program   map[string]string `json:"program"`
	Samples   string            `json:"samples"`
	Expected  struct {
		Rows, Events, Exceptions, Data, Contexts, Losses [][]any
	} `json:"expected"`
}

// statusNames are the statuses by their code.
var statusNames = map[string][]string{
	"etmv1": {"IE", "ID", "IN", "WT", "BE", "BD", "TR", "TD"},
	"etmv2": {
		"IE", "DE", "IN", "DN", "WT", "DW", "TR", "TD",
		"PT_IE", "PT_DE", "PT_IN", "PT_DN", "PN_IE", "PN_DE", "PN_IN", "PN_DN",
	},
}

// readPortVectors returns the streams of the vectors that are of a protocol.
func readPortVectors(t *testing.T, protocol string) []portVector {
	t.Helper()
	text, err := os.ReadFile("../decode/port/testdata/etmv2-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Streams []portVector `json:"streams"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all.Streams, func(v portVector) bool { return v.Protocol != protocol })
}

// bind binds the protocol to the registers of the stream.
func (v *portVector) bind(t *testing.T) decode.Protocol {
	t.Helper()
	registers := decodetest.Registers{}
	all := Protocols()
	family := &all[slices.IndexFunc(all, func(f decode.Family) bool { return f.Name == v.Protocol })]
	for name, value := range v.Registers {
		n, err := strconv.ParseUint(value, 0, 32)
		if option := family.Option(name); option != nil {
			var ok bool
			if n, ok = option.Parse(value); ok {
				err = nil
			} else {
				err = fmt.Errorf("%s is not among %s", value, option.Known())
			}
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		registers[name] = n
	}
	protocol, _, err := bindTo(v.Protocol, decode.Source{Registers: registers})
	if err != nil {
		t.Fatal(err)
	}
	return protocol
}

// memory returns the program of the stream.
func (v *portVector) memory(t *testing.T) *image.Memory {
	t.Helper()
	var regions []image.Region
	for at, opcode := range v.Program {
		address, err := strconv.ParseUint(at, 16, 32)
		code, err2 := strconv.ParseUint(opcode, 16, 32)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		b := binary.LittleEndian.AppendUint16(nil, uint16(code))
		if len(opcode) == 8 {
			b = binary.LittleEndian.AppendUint32(nil, uint32(code))
		}
		regions = append(regions, image.Region{Address: schema.Address(address), Bytes: b})
	}
	return image.New(image.Order(regions)...)
}

// records returns the samples of the stream.
func (v *portVector) records(t *testing.T) []byte {
	t.Helper()
	samples, err := port.ParseSamples(v.Samples, statusNames[v.Protocol])
	if err != nil {
		t.Fatal(err)
	}
	return port.Records(samples)
}

// sampleStream is a stream of samples in pieces. The offset of a sample is its number.
type sampleStream struct {
	records []byte
	first   int // number of the first sample
	piece   int // in samples
}

// Next implements [decode.Stream].
func (s *sampleStream) Next(p *decode.Piece) (decode.Break, error) {
	if len(s.records) == 0 {
		return decode.NoBreak, io.EOF
	}
	n := min(len(s.records), s.piece*port.SampleBytes)
	samples := n / port.SampleBytes
	p.Data = append(p.Data, s.records[:n]...)
	p.Offsets.Append(decode.CaptureOffset(s.first), samples)
	s.records, s.first = s.records[n:], s.first+samples
	return decode.NoBreak, nil
}

// vectorColumns are the columns of the vectors, by the table they are of.
var vectorColumns = map[string][]string{
	"instructions":  {"address", "isa", "executed", "byte_offset"},
	"events":        {"event", "seq", "byte_offset", "address", "detail"},
	"exceptions":    {"type", "return_address", "target", "seq"},
	"data_accesses": {"seq", "position", "address", "value", "size", "state"},
	"contexts":      {"seq", "context_id"},
}

// contradicted are the vectors that the text contradicts: before the first cut samples
// are lost (docs/etmv2.md §7.1).
var contradicted = map[string]bool{"v1-start-apo-2": true}

// Every stream of the vectors becomes the rows that stand there: whole, in parts of a
// few samples, and from each of its cuts on.
func TestPortVectors(t *testing.T) {
	for _, protocol := range []string{"etmv1", "etmv2"} {
		if !slices.ContainsFunc(Protocols(), func(f decode.Family) bool { return f.Name == protocol && f.Bind != nil }) {
			continue
		}
		for _, v := range readPortVectors(t, protocol) {
			t.Run(protocol+"/"+v.Name, func(t *testing.T) { v.check(t) })
		}
	}
}

func (v *portVector) check(t *testing.T) {
	protocol, memory, records := v.bind(t), v.memory(t), v.records(t)
	n := len(records) / port.SampleBytes
	whole := decodeRows(t, &sampleStream{records: records, piece: n}, protocol, memory, false, 1)
	v.checkRows(t, whole)
	if got := whole.totals; got.Bytes != int64(n) || got.BytesDecoded+got.BytesLost != int64(n) {
		t.Errorf("%d samples are %d decoded and %d lost of %d", n, got.BytesDecoded, got.BytesLost, got.Bytes)
	}
	for _, samples := range []int{1, 2, 3, 5, 8} {
		g := engine.Grain{Unit: 1, Part: samples * port.SampleBytes, Chunk: 16}
		set := decodeGrains(t, &sampleStream{records: records, piece: 1}, protocol, memory, false, 2, g)
		equalTables(t, fmt.Sprintf("in parts of %d samples", samples), set, whole)
	}
	for _, row := range whole.rows["segments"] {
		v.checkFrom(t, number(row["byte_offset"]), whole)
	}
}

// checkRows compares the rows with those of the vector.
func (v *portVector) checkRows(t *testing.T, got *rowSet) {
	t.Helper()
	tables := map[string][][]any{
		"instructions": v.Expected.Rows, "events": v.Expected.Events, "exceptions": v.Expected.Exceptions,
		"data_accesses": v.Expected.Data, "contexts": v.Expected.Contexts,
	}
	for table, want := range tables {
		if contradicted[v.Name] && table == "events" {
			continue
		}
		columns := vectorColumns[table]
		if table == "instructions" && len(want) > 0 && len(want[0]) > len(columns) {
			column := "cycles"
			if len(v.Expected.Contexts) > 0 {
				column = "context_id"
			}
			columns = append(slices.Clone(columns), column)
		}
		v.compare(t, table, columns, got.rows[table], want)
	}
	var losses []map[string]string
	for _, row := range got.rows["losses"] {
		from := number(row["byte_offset"])
		losses = append(losses, map[string]string{"from": row["byte_offset"], "to": fmt.Sprint(from + number(row["bytes"])), "reason": row["reason"]})
	}
	if !contradicted[v.Name] {
		v.compare(t, "losses", []string{"from", "to", "reason"}, losses, v.Expected.Losses)
	}
}

// compare compares the rows of a table with those of the vector.
func (v *portVector) compare(t *testing.T, table string, columns []string, got []map[string]string, want [][]any) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(want):
			t.Errorf("%s has one more row: %v", table, cells(got[i], columns))
		case i >= len(got):
			t.Errorf("%s has no row %v", table, want[i])
		default:
			for c, cell := range want[i] {
				if unknown(table, columns[c], want[i], cell) || cell == "reserved_reason" && got[i]["reason"] == "reserved_header" {
					continue
				}
				if !agrees(got[i][columns[c]], cell) {
					t.Errorf("%s row %d: %s is %s, want %v: %v", table, i, columns[c], got[i][columns[c]], cell, want[i])
				}
			}
		}
	}
}

// unknown reports whether a vector leaves a cell open: details, the position of a
// transfer of no instruction, and the addresses where trace starts.
func unknown(table, column string, want []any, cell any) bool {
	starts := table == "events" && slices.Contains([]any{"trace_on", "overflow", "debug_exit"}, want[0])
	return cell == nil && (column == "detail" || column == "position" || starts && column == "address")
}

// agrees compares a cell with one of a vector.
func agrees(got string, want any) bool {
	switch want := want.(type) {
	case nil:
		return got == "NULL"
	case bool:
		return got == fmt.Sprint(want)
	case float64:
		return parseCell(got) == int64(want)
	default:
		if n, err := strconv.ParseUint(fmt.Sprint(want), 16, 32); err == nil && len(fmt.Sprint(want)) == 8 {
			return uint64(parseCell(got)) == n || got == fmt.Sprint(want)
		}
		return got == fmt.Sprint(want)
	}
}

// parseCell is the number in a cell, -1 if it is none.
func parseCell(cell string) int64 {
	n, err := strconv.ParseInt(cell, 0, 64)
	if err != nil {
		return -1
	}
	return n
}

// checkFrom decodes the stream from a cut on, with the samples before it that the cut
// needs. The instructions are the last ones of the whole.
func (v *portVector) checkFrom(t *testing.T, cut int, whole *rowSet) {
	t.Helper()
	from := max(0, cut-3) // an ETMv1 cut behind the offset of its branch needs its branch
	protocol, records := v.bind(t), v.records(t)
	set := decodeRows(t, &sampleStream{records: records[from*port.SampleBytes:], first: from, piece: 1000}, protocol, v.memory(t), false, 1)
	got, all := set.rows["instructions"], whole.rows["instructions"]
	first := slices.IndexFunc(set.rows["segments"], func(row map[string]string) bool { return row["byte_offset"] == fmt.Sprint(cut) })
	if first < 0 {
		t.Errorf("from sample %d on there is no cut at %d", from, cut)
		return
	}
	last := all[max(0, len(all)-len(got)):]
	for i := range min(len(got), len(last)) {
		if g, w := cells(got[i], vectorColumns["instructions"]), cells(last[i], vectorColumns["instructions"]); !slices.Equal(g, w) {
			t.Errorf("from the cut at sample %d on: instruction %v, want %v", cut, g, w)
		}
	}
	want := 0
	for _, row := range all {
		if number(row["byte_offset"]) >= cut {
			want++
		}
	}
	if len(got) < want {
		t.Errorf("from the cut at sample %d on: %d instructions, want %d", cut, len(got), want)
	}
}

// equalTables demands that all tables of two decodes are equal.
func equalTables(t *testing.T, way string, got, want *rowSet) {
	t.Helper()
	(&trial{T: t, s: &decodetest.Scenario{Name: t.Name()}}).same(way, got, want)
}
