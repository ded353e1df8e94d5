package schema

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var wellFormed = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// Words that SQL cannot have as a bare column name, or that change what a query
// means (users ran into at, end, offset).
var reserved = []string{"all", "as", "at", "case", "check", "default", "desc", "end", "from", "group", "in", "limit", "not", "offset", "on", "order", "select", "table", "to", "user", "when", "where", "window", "with"}

func TestTables(t *testing.T) {
	names := map[string]bool{}
	for _, table := range Tables() {
		if !wellFormed.MatchString(table.Name) || names[table.Name] {
			t.Errorf("table %q: name not well formed, or not the only one", table.Name)
		}
		names[table.Name] = true
		if table.Row == "" || strings.HasSuffix(table.Row, ".") {
			t.Errorf("%s: row %q: want what one row is, without a stop", table.Name, table.Row)
		}
		if FindTable(table.Name) != table {
			t.Errorf("%s is not found by its name", table.Name)
		}
		testColumns(t, table)
	}
	if FindTable("none") != nil {
		t.Error("found a table that does not exist")
	}
}

func testColumns(t *testing.T, table *Table) {
	names := map[string]bool{}
	for i := range table.Columns {
		c := &table.Columns[i]
		name := table.Name + "." + c.Name
		// How a call ended is its `end`, which queries have to quote.
		taken := slices.Contains(reserved, c.Name) && !slices.Equal(c.Names, CallEndNames)
		if !wellFormed.MatchString(c.Name) || names[c.Name] || taken {
			t.Errorf("%s: name not well formed, not the only one, or reserved", name)
		}
		names[c.Name] = true
		if len(c.Doc) < 4 || !strings.HasSuffix(c.Doc, ".") || c.Doc[:1] != strings.ToUpper(c.Doc[:1]) {
			t.Errorf("%s: description %q is no sentence", name, c.Doc)
		}
		if c.Since > Version || c.Since > 0 && (c.Since <= OldestVersion || !c.Nullable) {
			t.Errorf("%s is of version %d, and not all NULL before", name, c.Since)
		}
		if c.Nullable && !strings.Contains(c.Doc, "NULL") {
			t.Errorf("%s can be NULL, and its description does not say when", name)
		}
		if (c.Type == Enum) != (len(c.Names) > 0) || len(c.Names) > 127 {
			t.Errorf("%s: %s with %d names", name, c.Type.SQL(), len(c.Names))
		}
		seen := map[string]bool{}
		for _, n := range c.Names {
			if !wellFormed.MatchString(n) || seen[n] {
				t.Errorf("%s: value %q not well formed, or not the only one", name, n)
			}
			seen[n] = true
		}
		if c.Rising && !slices.Contains([]Type{Uint32, Uint63, Uint64, Int32, Int64}, c.Type) {
			t.Errorf("%s rises, but is no number that can", name)
		}
		if table.Column(c.Name) != c {
			t.Errorf("%s is not found by its name", name)
		}
	}
}

// The keys and types users rely on, as the design lists them.
func TestKeys(t *testing.T) {
	const keys = "source INTEGER, seq BIGINT, segment INTEGER?, byte_offset BIGINT"
	for table, want := range map[*Table]string{
		&Instructions: keys + ", address BIGINT, size INTEGER, isa VARCHAR, opcode BIGINT, kind VARCHAR, executed BOOLEAN?, cycles BIGINT?, epoch INTEGER, cycle BIGINT?, timestamp BIGINT?, context_id BIGINT?, vmid BIGINT?, security VARCHAR?, exception_level INTEGER?, transaction BOOLEAN?",
		&Blocks:       keys + ", code_block INTEGER, instructions INTEGER, first INTEGER, failed BIGINT?, outcome VARCHAR, cycles BIGINT?, epoch INTEGER, cycle BIGINT?, timestamp BIGINT?, context_id BIGINT?, vmid BIGINT?, security VARCHAR?, run INTEGER?, exception_level INTEGER?, transaction BOOLEAN?",
		&BlockRuns:    "source INTEGER, run INTEGER, code_block INTEGER, first INTEGER, instructions INTEGER, outcome VARCHAR",
		&CodeBlocks:   "source INTEGER, code_block INTEGER, position INTEGER, address BIGINT, size INTEGER, isa VARCHAR, opcode BIGINT, kind VARCHAR",
		&Exceptions:   keys + ", ordinal BIGINT, event VARCHAR, number INTEGER?, type VARCHAR?, return_address BIGINT?, target BIGINT?, resume INTEGER?, cycles BIGINT?, epoch INTEGER, cycle BIGINT?, timestamp BIGINT?, context_id BIGINT?, vmid BIGINT?, security VARCHAR?, exception_level INTEGER?",
		&CycleCounts:  keys + ", epoch INTEGER?, cycles BIGINT?, cycle BIGINT?, kind VARCHAR, late BOOLEAN",
		&Timestamps:   keys + ", timestamp BIGINT?, known_bits INTEGER, epoch INTEGER, cycle BIGINT?",
		&Contexts:     keys + ", context_id BIGINT?, vmid BIGINT?, security VARCHAR?, isa VARCHAR?, exception_level INTEGER?",
		&DataAccesses: "source INTEGER, seq BIGINT?, segment INTEGER?, byte_offset BIGINT, position INTEGER, address BIGINT?, value BIGINT?, size INTEGER?, access VARCHAR?, tag INTEGER?, state VARCHAR",
		&Events:       keys + ", event VARCHAR, address BIGINT?, detail VARCHAR?",
		&Losses:       keys + ", bytes BIGINT, reason VARCHAR, detail VARCHAR?",
		&Segments:     keys + ", bytes BIGINT, bytes_decoded BIGINT, bytes_lost BIGINT, bytes_unplaced BIGINT, instructions BIGINT, exceptions BIGINT, address BIGINT?, reason VARCHAR, stream_offset BIGINT?, epoch INTEGER?, cycle BIGINT?, ordinal BIGINT?, timestamp BIGINT?, context_id BIGINT?, vmid BIGINT?, security VARCHAR?, carried VARCHAR?, decode_from INTEGER?, stack INTEGER?, exception_level INTEGER?",
		&Packets:      keys + ", type VARCHAR, bytes BLOB, fields VARCHAR",
	} {
		var got []string
		for _, c := range table.Columns {
			s := c.Name + " " + c.Type.SQL()
			if c.Nullable {
				s += "?"
			}
			got = append(got, s)
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s:\n got %s\nwant %s", table.Name, s, want)
		}
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		got, want string
	}{
		{Instructions.Part(0x13, 0, Parquet), "instructions/13-00000.parquet"},
		{Exceptions.Part(0x6f, 12, Arrow), "exceptions/6f-00012.arrow"},
		{Losses.Part(0, 0, Parquet), "losses/00-00000.parquet"},
		{Sources.Part(0x13, 0, Parquet), "sources/all-00000.parquet"},
		{Images.Part(0, 1, Parquet), "images/all-00001.parquet"},
		{Blocks.Glob(Parquet), "blocks/*.parquet"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}

func TestMeta(t *testing.T) {
	meta := Losses.Meta()
	if meta[0] != (Meta{"tracelake.schema_version", "4"}) || meta[1] != (Meta{"tracelake.table", "losses"}) {
		t.Errorf("metadata %v", meta[:2])
	}
	var columns []map[string]any
	if err := json.Unmarshal([]byte(meta[2].Value), &columns); err != nil {
		t.Fatal(err)
	}
	if len(columns) != 7 || columns[4]["name"] != "bytes" || columns[4]["unit"] != "bytes" || columns[4]["type"] != "BIGINT" || columns[6]["nullable"] != true {
		t.Errorf("columns %v", columns)
	}
	if d := columns[5]["description"]; d != "Why." {
		t.Errorf("description %q", d)
	}
	if v := columns[5]["values"].([]any); v[0] != "unsynced" || len(v) != len(LossReasonNames) {
		t.Errorf("values %v", v)
	}
}
