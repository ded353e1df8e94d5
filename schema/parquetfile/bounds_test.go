package parquetfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/sample"
)

// boundsOf returns the least and the greatest value of the first column in each row group,
// as the footer has them.
func boundsOf(t *testing.T, data []byte) []string {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	number := func(b []byte) int64 {
		if len(b) == 4 {
			return int64(int32(binary.LittleEndian.Uint32(b)))
		}
		return int64(binary.LittleEndian.Uint64(b))
	}
	var bounds []string
	for _, g := range f.Metadata().RowGroups {
		s := g.Columns[0].MetaData.Statistics
		bounds = append(bounds, fmt.Sprintf("%d to %d", number(s.MinValue), number(s.MaxValue)))
	}
	return bounds
}

// oneRising returns a table of one column whose values rise.
func oneRising(typ schema.Type) *schema.Table {
	return &schema.Table{Name: "rising", Columns: []schema.Column{{Name: "rising", Type: typ, Rising: true}}}
}

// Bounds of steps are those of all values, however little they fall.
func TestStepBounds(t *testing.T) {
	table := oneRising(schema.Int64)
	for _, tt := range []struct{ values, want string }{
		{"7", "7 to 7"},
		{"10 \n 10 \n 20", "10 to 20"},
		{"10 \n 9 \n 20", "9 to 20"},
		{"10 \n 1 \n 20", "1 to 20"},
		{"10 \n 1000 \n 20", "10 to 1000"},
		{"10 \n 1000 \n 9", "9 to 1000"},
		{"-3 \n 5 \n 1000", "-3 to 1000"},
	} {
		encoded, plain := schema.NewBatch(table), sample.Rows(table, tt.values)
		s := schema.Stepper{Vector: &encoded.Columns[0]}
		for _, x := range plain.Columns[0].U64 {
			s.Append(x)
		}
		data := write(t, table, None, [][]*schema.Batch{{encoded}})
		if got := boundsOf(t, data); !slices.Equal(got, []string{tt.want}) {
			t.Errorf("bounds of %q are %q, want %s", tt.values, got, tt.want)
		}
		compare(t, table, data, [][]*schema.Batch{{plain}})
	}
}

// Bounds of rising numbers of 32 bits are those of their row group, in pages of differences
// and plain ones.
func TestRisingBounds(t *testing.T) {
	table := oneRising(schema.Int32)
	for _, tt := range []struct {
		name   string
		groups [2][]string // of pages
		want   []string
	}{
		{"differences", [2][]string{{"3 \n 5"}, {"4"}}, []string{"3 to 5", "4 to 4"}},
		{"plain, then differences", [2][]string{{"-5 \n 9"}, {"3 \n 4"}}, []string{"-5 to 9", "3 to 4"}},
		{"differences, then plain", [2][]string{{"3 \n 100"}, {"-1 \n 4"}}, []string{"3 to 100", "-1 to 4"}},
		{"both in one", [2][]string{{"-5 \n 9", "3 \n 100"}, {"3 \n 4", "-7"}}, []string{"-5 to 100", "-7 to 4"}},
	} {
		groups := make([][]*schema.Batch, len(tt.groups))
		for i, pages := range tt.groups {
			for _, values := range pages {
				groups[i] = append(groups[i], sample.Rows(table, values))
			}
		}
		data := write(t, table, None, groups)
		if got := boundsOf(t, data); !slices.Equal(got, tt.want) {
			t.Errorf("%s: bounds %q, want %q", tt.name, got, tt.want)
		}
		compare(t, table, data, groups)
	}
}

// Bounds are those of their row group, also after one whose values did not all go into a
// dictionary.
func TestBoundsAfterPlainPages(t *testing.T) {
	numbers := &schema.Table{Name: "numbers", Columns: []schema.Column{{Name: "number", Type: schema.Uint32}}}
	for _, tt := range []struct {
		table *schema.Table
		rest  string // of the columns after the first
	}{{numbers, ""}, {codeTable(), " 7 4 other A32 true"}} {
		var many strings.Builder
		for i := range maxEntries + 1 {
			fmt.Fprintf(&many, "%d%s\n", i, tt.rest)
		}
		var groups [][]*schema.Batch
		for _, rows := range []string{many.String(), "5" + tt.rest + "\n6" + tt.rest} {
			groups = append(groups, []*schema.Batch{sample.Rows(tt.table, rows)})
		}
		data := write(t, tt.table, None, groups)
		if got, want := boundsOf(t, data), []string{fmt.Sprintf("0 to %d", maxEntries), "5 to 6"}; !slices.Equal(got, want) {
			t.Errorf("%s: bounds %q, want %q", tt.table.Name, got, want)
		}
		compare(t, tt.table, data, groups)
	}
}

// codeTable returns a table of instructions, whose addresses and opcodes have one index.
func codeTable() *schema.Table {
	return &schema.Table{Name: "code", Columns: []schema.Column{
		{Name: "address", Type: schema.Uint64},
		{Name: "opcode", Type: schema.Uint32},
		{Name: "size", Type: schema.Uint8},
		{Name: "kind", Type: schema.Enum, Names: []string{"other"}},
		{Name: "isa", Type: schema.Enum, Names: []string{"A32"}},
		{Name: "executed", Type: schema.Bool},
	}}
}

// The first instruction of a page gets its index, whatever its address and opcode are.
func TestFirstPair(t *testing.T) {
	table := codeTable()
	for _, pages := range [][]string{ // of addresses and opcodes
		{"0 0"},
		{"0 0, 0 0, 4 7"},
		{"0 0, 4 0, 0 0"},
		{"4 7", "0 0, 4 7"},
		{"0 7, 0 0", "0 0"},
		{"0xffffff8000001000 7, 0x7f00001000 7, 0xffffff8000001000 0", "0 0, 0x7f00001000 7"},
		{"0x100008000 0, 0x8000 1, 0x100008000 0", "0x8000 1"}, // of one key
	} {
		var group []*schema.Batch
		for _, page := range pages {
			rest := " 4 other A32 true\n"
			group = append(group, sample.Rows(table, strings.ReplaceAll(page, ",", rest)+rest))
		}
		compare(t, table, write(t, table, None, [][]*schema.Batch{group}), [][]*schema.Batch{group})
	}
}
