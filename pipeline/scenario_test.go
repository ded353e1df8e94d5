package pipeline

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/decodetest"
	"github.com/tracelake/tracelake/decode/etmv3"
	"github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/pft"
	"github.com/tracelake/tracelake/schema"
)

// TestScenarios decodes every scenario as it is and demands the rows written
// in it, and then in all the ways that may not make a difference.
func TestScenarios(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join("..", "decode", "*", "testdata", "scenario"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no folder of scenarios: %v", err)
	}
	for _, dir := range dirs {
		scenarios, err := decodetest.ReadAll(dir, Protocols()...)
		if err != nil || len(scenarios) == 0 {
			t.Fatalf("%d scenarios in %s: %v", len(scenarios), dir, err)
		}
		for _, s := range scenarios {
			name := strings.TrimSuffix(strings.TrimPrefix(s.Name, "../decode/"), ".txtar")
			t.Run(strings.Replace(name, "/testdata/scenario", "", 1), func(t *testing.T) {
				t.Parallel()
				if r := newTrial(t, s); s.Unit > 0 {
					r.runSamples()
				} else {
					r.run()
				}
			})
		}
	}
}

// A trial is a scenario on its way through the decoder.
type trial struct {
	*testing.T
	s        *decodetest.Scenario
	protocol decode.Protocol
	memory   *image.Memory
	stream   []byte
	whole    *rowSet // the stream decoded in one piece
}

// bindTo binds a protocol by its name.
func bindTo(protocol string, s decode.Source) (decode.Protocol, []string, error) {
	for _, f := range Protocols() {
		if f.Name == protocol {
			return f.Bind(s)
		}
	}
	return nil, nil, fmt.Errorf("no decoder for %q", protocol)
}

func newTrial(t *testing.T, s *decodetest.Scenario) *trial {
	protocol, _, err := bindTo(s.Protocol, decode.Source{Registers: s.Registers, CoreType: s.CoreType, Profile: s.Profile})
	if err != nil {
		t.Fatalf("%s: %v", s.Name, err)
	}
	if protocol.Version() != s.Version {
		t.Fatalf("%s: the registers are of version %s", s.Name, protocol.Version())
	}
	r := &trial{T: t, s: s, protocol: protocol, memory: s.Memory(), stream: s.Stream()}
	r.whole = r.decode(r.bytesFrom(0, len(r.stream)), false, 1)
	return r
}

func (r *trial) decode(stream decode.Stream, blocks bool, workers int) *rowSet {
	r.Helper()
	return decodeRows(r.T, stream, r.protocol, r.memory, blocks, workers)
}

func (r *trial) run() {
	r.counted()
	r.same("one byte at a time, three workers", r.decode(r.bytesFrom(0, 1), false, 3), r.whole)
	r.grains()
	if testing.Short() { // the rest is for one worker
		return
	}
	r.wanted()
	r.unwanted()
	r.named()
	r.accounted()
	r.fromEachAsync()
	r.dataWithMore()
	r.roundTrip()
	r.framed("frames in memory", frame.NewWriter, frame.Layout{})
	if !slices.ContainsFunc(r.s.Packets, func(p decodetest.Packet) bool { return p.Break }) {
		r.framed("frames of a trace port", func(w io.Writer) *frame.Writer { return frame.NewPortWriter(w, 3) }, frame.Layout{Sync: true})
	}
	r.asBlocks()
}

// grains checks that units of one segment and parts of a few bytes have the same
// rows, except for instructions that a splice cancels: those must be in one part.
func (r *trial) grains() {
	if _, ok := r.protocol.(*etmv3.Config); !ok {
		return
	}
	parts := []int{1 << 20, 64, 23, 9}
	for _, p := range r.s.Packets { // no shorter than an I-sync
		if strings.HasPrefix(p.Name, "I-sync") {
			parts[3] = max(parts[3], len(p.Bytes))
		}
	}
	if slices.ContainsFunc(r.whole.rows["losses"], func(row map[string]string) bool { return row["reason"] == "splice" }) {
		parts = parts[:1]
	}
	for _, part := range parts {
		g := engine.Grain{Unit: 1, Part: part, Chunk: 64}
		set := decodeGrains(r.T, r.bytesFrom(0, 3), r.protocol, r.memory, false, 2, g)
		r.same(fmt.Sprintf("in parts of %d bytes", part), set, r.whole)
	}
}

// sumCycles leaves, of the cycles of instructions, their sum at the last of each
// run of blocks.
func sumCycles(instructions, blocks []map[string]string) []map[string]string {
	var rows []map[string]string
	for _, run := range blocks {
		n := number(run["instructions"])
		sum := 0
		for i := range n {
			row := maps.Clone(instructions[len(rows)])
			if row["cycles"] != "NULL" {
				sum += number(row["cycles"])
				row["cycles"] = fmt.Sprint(sum)
			}
			if i < n-1 {
				row["cycles"], row["cycle"] = "NULL", "NULL"
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// wanted compares the tables that are listed, in the columns that are.
func (r *trial) wanted() {
	for _, table := range r.s.Want {
		set := r.whole
		if table.Name == schema.Blocks.Name || table.Name == schema.BlockRuns.Name || table.Name == schema.CodeBlocks.Name {
			set = r.decode(r.bytesFrom(0, len(r.stream)), true, 1)
		}
		got := set.rows[table.Name]
		for i := range max(len(got), len(table.Rows)) {
			switch {
			case i >= len(table.Rows):
				r.Errorf("%s:%d: %s has one more row: %s, from %s", r.s.Name, table.Line, table.Name,
					cells(got[i], table.Columns), r.reporter(got[i]))
			case i >= len(got):
				r.Errorf("%s:%d: no row in %s for: %s", r.s.Name, table.Rows[i].Line, table.Name, strings.Join(table.Rows[i].Cells, "  "))
			case !slices.Equal(cells(got[i], table.Columns), table.Rows[i].Cells):
				r.Errorf("%s:%d: %s\n got %q\nwant %q\nof  %q\nfrom %s", r.s.Name, table.Rows[i].Line, table.Name,
					cells(got[i], table.Columns), table.Rows[i].Cells, table.Columns, r.reporter(got[i]))
			}
		}
	}
}

func cells(row map[string]string, columns []string) []string {
	var c []string
	for _, name := range columns {
		c = append(c, row[name])
	}
	return c
}

// reporter names the packet that reported a row.
func (r *trial) reporter(row map[string]string) string {
	return r.s.Where(number(row["byte_offset"]))
}

func number(cell string) int {
	n, err := strconv.Atoi(cell)
	if err != nil {
		return -1
	}
	return n
}

// unwanted demands that what is not listed is empty, but for what every stream
// has: a loss before the first cut and the start of trace at it.
func (r *trial) unwanted() {
	for _, table := range []string{"exceptions", "cycle_counts", "timestamps", "data_accesses", "events", "losses"} {
		if slices.ContainsFunc(r.s.Want, func(t decodetest.Table) bool { return t.Name == table }) {
			continue
		}
		for _, row := range r.whole.rows[table] {
			if table == "losses" && row["reason"] == "unsynced" && row["byte_offset"] == "0" ||
				table == "events" && row["event"] == "trace_on" && row["byte_offset"] == r.cut(0) {
				continue
			}
			r.Errorf("%s: a row in %s, which is not listed: %v, from %s", r.s.Name, table, row, r.reporter(row))
		}
	}
	if !slices.ContainsFunc(r.s.Want, func(t decodetest.Table) bool { return t.Name == "instructions" }) && len(r.whole.rows["instructions"]) > 0 {
		r.Errorf("%s: %d rows in instructions, which is not listed", r.s.Name, len(r.whole.rows["instructions"]))
	}
}

// cut returns the offset of a cut.
func (r *trial) cut(segment int) string {
	if rows := r.whole.rows["segments"]; segment < len(rows) {
		return rows[segment]["byte_offset"]
	}
	return ""
}

// named demands that each packet that was decoded is one line of the scenario,
// and is named there for what it is.
func (r *trial) named() {
	words := strings.NewReplacer("-", "_", " ", "_")
	for _, row := range r.whole.rows["packets"] {
		p := r.s.PacketAt(number(row["byte_offset"]))
		if fmt.Sprint(p.Offset) != row["byte_offset"] || fmt.Sprintf("%x", p.Bytes) != row["bytes"] {
			r.Errorf("%s:%d: the decoder reads a packet %s at offset %s", r.s.Name, p.Line, row["bytes"], row["byte_offset"])
		}
		if !strings.HasPrefix(words.Replace(strings.ToLower(p.Name)), row["type"]) {
			r.Errorf("%s:%d: the decoder reads a packet of type %s", r.s.Name, p.Line, row["type"])
		}
	}
}

// accounted demands that every byte is decoded or lost, once.
func (r *trial) accounted() {
	sum := func(table, column string, of func(row map[string]string) bool) int {
		n := 0
		for _, row := range r.whole.rows[table] {
			if of(row) {
				n += number(row[column])
			}
		}
		return n
	}
	every := func(map[string]string) bool { return true }
	unsynced := func(row map[string]string) bool { return row["segment"] == "NULL" }
	total := &r.whole.totals
	for _, c := range []struct {
		what      string
		got, want int
	}{
		{"bytes of the source", int(total.Bytes), len(r.stream)},
		{"bytes decoded and lost", int(total.BytesDecoded + total.BytesLost), len(r.stream)},
		{"sum of losses", sum("losses", "bytes", every), int(total.BytesLost)},
		{"sum of segments", sum("segments", "bytes", every), len(r.stream) - sum("losses", "bytes", unsynced)},
		{"decoded in segments", sum("segments", "bytes_decoded", every), int(total.BytesDecoded)},
		{"lost in segments", sum("segments", "bytes_lost", every), int(total.BytesLost) - sum("losses", "bytes", unsynced)},
		{"unplaced in segments", sum("segments", "bytes_unplaced", every), int(total.BytesUnplaced)},
		{"instructions", sum("segments", "instructions", every), len(r.whole.rows["instructions"])},
		{"decoded packets", len(r.decodedBytes()), int(total.BytesDecoded)},
	} {
		if c.got != c.want {
			r.Errorf("%s: %s: %d, want %d", r.s.Name, c.what, c.got, c.want)
		}
	}
}

// counted checks that counts and edges are what the rows say.
func (r *trial) counted() {
	tr := &trace{protocol: r.protocol, memory: r.memory}
	decode := func(blocks bool) *decodedTables {
		return tr.decodeStream(r.T, r.bytesFrom(0, len(r.stream)), decodeOptions{blocks: blocks, workers: 2})
	}
	decode(false).checkCounts(r.T, decode(true))
}

// decodedBytes returns the bytes of all rows of packets.
func (r *trial) decodedBytes() []byte {
	var b []byte
	for _, row := range r.whole.rows["packets"] {
		b = append(b, r.packetOf(row)...)
	}
	return b
}

func (r *trial) packetOf(row map[string]string) []byte {
	at := number(row["byte_offset"])
	return r.stream[at : at+len(row["bytes"])/2]
}

// same demands that all tables of two decodes are equal.
func (r *trial) same(way string, got, want *rowSet) {
	r.Helper()
	for _, table := range schema.Tables() {
		if len(got.rows[table.Name]) != len(want.rows[table.Name]) {
			r.Errorf("%s: %s: %s has %d rows, want %d", r.s.Name, way, table.Name, len(got.rows[table.Name]), len(want.rows[table.Name]))
			continue
		}
		for i, row := range got.rows[table.Name] {
			if !maps.Equal(row, want.rows[table.Name][i]) {
				r.Errorf("%s: %s: %s row %d\n got %v\nwant %v", r.s.Name, way, table.Name, i, row, want.rows[table.Name][i])
			}
		}
	}
}

// asBlocks checks that the rows of the level `blocks` expand to the same
// instructions, and that all other tables are the same.
func (r *trial) asBlocks() {
	set := r.decode(r.bytesFrom(0, len(r.stream)), true, 1)
	if _, costs := r.protocol.(*etmv3.Config); costs {
		r.whole = &rowSet{rows: maps.Clone(r.whole.rows), totals: r.whole.totals}
		r.whole.rows["instructions"] = sumCycles(r.whole.rows["instructions"], set.rows["blocks"])
	}
	set.rows["instructions"] = expand(set)
	r.blockRuns(set)
	delete(set.rows, "blocks")
	delete(set.rows, "block_runs")
	delete(set.rows, "code_blocks")
	whole := &rowSet{rows: maps.Clone(r.whole.rows)}
	delete(whole.rows, "code_blocks")
	r.same("as blocks", set, whole)
}

// blockRuns checks that rows of `blocks` name the row of `block_runs` that has their
// cells, and that those are numbered by first use.
func (r *trial) blockRuns(set *rowSet) {
	used := 0
	for i, row := range set.rows["blocks"] {
		n, err := strconv.Atoi(row["run"])
		if err != nil || n > used || n >= len(set.rows["block_runs"]) {
			r.Errorf("%s: row %d of blocks has run %s, the next new one is %d", r.s.Name, i, row["run"], used)
			return
		}
		used = max(used, n+1)
		for name, cell := range set.rows["block_runs"][n] {
			if row[name] != cell {
				r.Errorf("%s: row %d of blocks has %s %s, its run has %s", r.s.Name, i, name, row[name], cell)
			}
		}
	}
	if used != len(set.rows["block_runs"]) {
		r.Errorf("%s: block_runs has %d rows, %d are used", r.s.Name, len(set.rows["block_runs"]), used)
	}
}

// expand returns the rows of `instructions` that the rows of `blocks` expand to.
func expand(set *rowSet) []map[string]string {
	code := map[string]map[string]string{} // by block and position
	for _, row := range set.rows["code_blocks"] {
		code[row["code_block"]+"/"+row["position"]] = row
	}
	var rows []map[string]string
	for _, run := range set.rows["blocks"] {
		n := number(run["instructions"])
		for i := range n {
			row := map[string]string{"cycles": "NULL", "cycle": "NULL", "executed": "NULL"}
			for _, name := range []string{
				"source", "segment", "byte_offset", "epoch", "timestamp", "context_id", "vmid", "security", "exception_level", "transaction",
			} {
				row[name] = run[name]
			}
			of := code[fmt.Sprintf("%s/%d", run["code_block"], number(run["first"])+i)]
			for _, name := range []string{"address", "size", "isa", "opcode", "kind"} {
				row[name] = of[name]
			}
			row["seq"] = fmt.Sprint(number(run["seq"]) + i)
			if failed, err := strconv.ParseUint(run["failed"], 10, 64); err == nil {
				row["executed"] = fmt.Sprint(failed>>i&1 == 0)
			}
			if i == n-1 {
				row["executed"] = map[string]string{"unknown": "NULL", "not_taken": "false", "taken": "true", "passed": "true"}[run["outcome"]]
				row["cycles"], row["cycle"] = run["cycles"], run["cycle"]
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// roundTrip demands that the codec writes the packets it reads, or where the
// scenario says that reserved bits are set, what reads the same.
func (r *trial) roundTrip() {
	for _, row := range r.whole.rows["packets"] {
		b := r.packetOf(row)
		got, err := again(r.protocol, b)
		want := b
		if err == nil && strings.HasSuffix(r.s.PacketAt(number(row["byte_offset"])).Name, "reserved bits") {
			want, err = again(r.protocol, got)
			text, _ := r.protocol.ParsePacket(got)
			if text.JSON() != row["fields"] {
				r.Errorf("%s: %s: written again it reads %s", r.s.Name, r.reporter(row), text.JSON())
			}
		}
		if err != nil || !bytes.Equal(got, want) {
			r.Errorf("%s: %s: written again as % x, %v", r.s.Name, r.reporter(row), got, err)
		}
	}
}

// again reads a packet and writes it.
func again(protocol decode.Protocol, b []byte) ([]byte, error) {
	switch c := protocol.(type) {
	case *pft.Config:
		var p pft.Packet
		if err := c.Parse(&p, b); err != nil {
			return nil, err
		}
		return c.Append(nil, p), nil
	case *etmv3.Config:
		var p etmv3.Packet
		if err := c.Parse(&p, b); err != nil {
			return nil, err
		}
		return c.Append(nil, p), nil
	case *etmv4.Config:
		var p etmv4.Packet
		if err := c.Parse(&p, b); err != nil {
			return nil, err
		}
		return c.Append(nil, p), nil
	default:
		return nil, fmt.Errorf("no codec for %T", protocol)
	}
}

// framed puts the stream between those of other sources into frames, and
// demands the same rows but for their offsets.
func (r *trial) framed(way string, writer func(io.Writer) *frame.Writer, layout frame.Layout) {
	const id = 0x10
	var buffer bytes.Buffer
	var offsets []int
	w := writer(&buffer)
	w.Placed = func(of uint8, offset decode.CaptureOffset) {
		if of == id {
			offsets = append(offsets, int(offset))
		}
	}
	random := rand.New(rand.NewPCG(1, uint64(len(r.stream))))
	try := func(err error) {
		if err != nil {
			r.Fatalf("%s: %s: %v", r.s.Name, way, err)
		}
	}
	for _, p := range r.s.Packets {
		if p.Break {
			try(w.SyncFrame())
		}
		for b := p.Bytes; len(b) > 0; {
			n := min(len(b), 1+random.IntN(4))
			try(w.Write(id, b[:n]))
			b = b[n:]
			// The other source has what looks like packets, A-syncs too.
			other := "\x00\x00\x00\x00\x00\x80\x08\x00\x00\x00\x00\x21\x84"
			try(w.Write(0x22, []byte(other[:random.IntN(len(other))])))
		}
	}
	try(w.Flush())
	stream := frame.NewReader(bytes.NewReader(buffer.Bytes()), int64(buffer.Len()), layout, id)
	want := &rowSet{rows: map[string][]map[string]string{}}
	for table, rows := range r.whole.rows {
		for _, row := range rows {
			row = maps.Clone(row)
			if at, ok := row["byte_offset"]; ok {
				row["byte_offset"] = fmt.Sprint(offsets[number(at)])
			}
			if at := leadOffset.FindStringSubmatch(row["carried"]); at != nil {
				row["carried"] = leadOffset.ReplaceAllString(row["carried"], fmt.Sprintf(`"offset":%d`, offsets[number(at[1])]))
			}
			want.rows[table] = append(want.rows[table], row)
		}
	}
	r.same(way, r.decode(stream, false, 1), want)
}

// leadOffset is the capture offset in the column `carried` of segments.
var leadOffset = regexp.MustCompile(`"offset":(\d+)`)

// bytesFrom is the stream from a packet on, in pieces of at most size bytes.
func (r *trial) bytesFrom(packet, size int) decode.Stream {
	if r.s.Unit > 0 {
		return r.samplesFrom(packet, max(size/r.s.Unit, 1), true)
	}
	return &pieces{packets: r.s.Packets[packet:], base: r.s.Packets[packet].Offset, size: max(size, 1)}
}

// pieces is a stream of packets. Offsets count from its start.
type pieces struct {
	packets []decodetest.Packet
	base    int
	size    int
	done    int // bytes of packets[0] that were given
}

// Next implements [decode.Stream].
func (s *pieces) Next(p *decode.Piece) (before decode.Break, err error) {
	if len(s.packets) == 0 {
		return decode.NoBreak, io.EOF
	}
	first := s.packets[0].Offset + s.done
	if s.done == 0 && s.packets[0].Break && first != s.base {
		before = decode.Broken
	}
	from := len(p.Data)
	for len(p.Data)-from < s.size && len(s.packets) > 0 {
		packet := &s.packets[0]
		if packet.Break && s.done == 0 && packet.Offset > first {
			break
		}
		n := min(s.size+from-len(p.Data), len(packet.Bytes)-s.done)
		p.Data = append(p.Data, packet.Bytes[s.done:s.done+n]...)
		if s.done += n; s.done == len(packet.Bytes) {
			s.packets, s.done = s.packets[1:], 0
		}
	}
	p.Offsets.Append(decode.CaptureOffset(first-s.base), len(p.Data)-from)
	return before, nil
}
