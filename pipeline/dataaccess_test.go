package pipeline

import (
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/schema"
)

// Two segments of 10 and 5 instructions. A row names the instruction that made
// it, which may stand in the segment before, or none.
func TestDataAccesses(t *testing.T) {
	u := &decode.Unit{}
	segment := func(offset int64, instructions int64, accesses ...schema.DataAccess) {
		u.Accesses = append(u.Accesses, accesses...)
		u.Runs = append(u.Runs, schema.Run{Offset: offset, Count: uint16(instructions), Outcome: schema.Untold})
		u.Spans = append(u.Spans, schema.Span{Run: len(u.Runs) - 1, Timestamp: schema.TimestampCarried})
		u.Segments = append(u.Segments, decode.Segment{
			Row:  schema.Segment{Key: schema.Key{Offset: offset}, Instructions: instructions},
			Lead: decode.Lead{Offset: offset}, Ends: u.Ends(),
		})
	}
	u.Blocks = []*schema.Block{{Address: make([]uint32, 10), Opcode: make([]uint32, 10), Size: make([]uint8, 10), Kind: make([]uint8, 10)}}
	word, load := schema.Of[uint8](4), schema.Of(schema.AccessRead)
	segment(
		100, 10,
		schema.DataAccess{
			Key: schema.Key{Seq: 3, Offset: 105}, Address: schema.Of[uint32](0x20000000),
			Value: schema.Of[uint64](0), Size: word, Access: load, State: schema.DataInOrder,
		},
		schema.DataAccess{
			Key: schema.Key{Seq: 3, Offset: 109}, Position: 1, Address: schema.Of[uint32](0x20000004),
			Size: word, Access: load, State: schema.DataNotTraced,
		},
	)
	segment(
		200, 5,
		schema.DataAccess{
			Key: schema.Key{Seq: -1, Offset: 201}, Address: schema.Of[uint32](0x20000008),
			Value: schema.Of[uint64](7), Size: word, Access: load, Tag: schema.Of[uint8](2), State: schema.DataOutOfOrder,
		},
		schema.DataAccess{Key: schema.Key{Seq: 2, Offset: 202}, NoInstruction: true, Value: schema.Of[uint64](8), State: schema.DataCancelled},
		schema.DataAccess{
			Key: schema.Key{Seq: 4, Offset: 203}, Position: 300, Value: schema.Of[uint64](9), Size: word,
			Access: schema.Of(schema.AccessPush), State: schema.DataSuppressed,
		},
	)

	set := &rowSet{rows: map[string][]map[string]string{}}
	st := newStitcher(0x10, decode.TimestampCode{Bits: 64}, set.tables(false))
	if err := st.stitch(decoded{&unit{}, u}); err != nil {
		t.Fatal(err)
	}
	if err := st.finish(); err != nil {
		t.Fatal(err)
	}
	got := set.lines("data_accesses", "source", "seq", "segment", "byte_offset", "position", "address", "value", "size", "access", "tag", "state")
	want := []string{
		"16 3 0 105 0 20000000 0 4 read NULL in_order",
		"16 3 0 109 1 20000004 NULL 4 read NULL not_traced",
		"16 9 1 201 0 20000008 7 4 read 2 out_of_order",
		"16 NULL 1 202 0 NULL 8 NULL NULL NULL cancelled",
		"16 14 1 203 300 NULL 9 4 push NULL suppressed",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	if st.totals.DataAccesses != 5 || st.totals.Instructions != 15 {
		t.Errorf("%d data accesses, %d instructions, want 5 and 15", st.totals.DataAccesses, st.totals.Instructions)
	}
}

// A dataProtocol is one that only says whether it traces data.
type dataProtocol struct {
	decode.Protocol
	data bool
}

func (p dataProtocol) TracesData() bool { return p.data }

// The table is there by default if a source that is decoded traces data; else
// only where it is named.
func TestDataAccessesWhenTraced(t *testing.T) {
	source := func(status schema.SourceStatus, protocol decode.Protocol) *sourcePlan {
		return &sourcePlan{Source: &capture.Source{}, status: status, protocol: protocol}
	}
	without := source(schema.StatusDecoded, dataProtocol{data: false})
	with := source(schema.StatusDecoded, dataProtocol{data: true})
	empty := source(schema.StatusEmpty, nil)
	named := []*schema.Table{&schema.DataAccesses}
	others := []*schema.Table{&schema.Events}
	for _, c := range []struct {
		name    string
		sources []*sourcePlan
		tables  []*schema.Table
		want    bool
	}{
		{"no source", nil, nil, false},
		{"instructions only", []*sourcePlan{empty, without}, nil, false},
		{"one of two", []*sourcePlan{without, with}, nil, true},
		{"none, but named", []*sourcePlan{without}, named, true},
		{"one, but others named", []*sourcePlan{with}, others, false},
	} {
		p := &plan{sources: c.sources}
		o := &Options{Level: schema.LevelInstructions, Tables: c.tables}
		if got := slices.Contains(o.tables(p.tracesData()), &schema.DataAccesses); got != c.want {
			t.Errorf("%s: written %v, want %v", c.name, got, c.want)
		}
	}
}

// A source of data only has decoded something.
func TestDataAccessesAreSomething(t *testing.T) {
	p := &plan{sources: []*sourcePlan{{Source: &capture.Source{}, buffer: &bufferPlan{}}}}
	if err := p.nothing([]schema.Totals{{Segments: 1, DataAccesses: 1}}, nil); err != nil {
		t.Error(err)
	}
	if err := p.nothing([]schema.Totals{{Segments: 1}}, nil); err == nil {
		t.Error("no error without data accesses")
	}
}
