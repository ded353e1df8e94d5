package etmv4_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/decodetest"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/schema"
)

// lines are rows in words, by kind as the reference listings have them: I, X, R, P, C, T, G, L, A. Each
// begins with how many instructions are before it.
type lines map[string][]string

// add adds a line.
func (l lines) add(kind string, seq int64, format string, args ...any) {
	l[kind] = append(l[kind], fmt.Sprintf("%d ", seq)+fmt.Sprintf(format, args...))
}

// rowLines are the rows of a result, with the capture offsets that at gives.
func rowLines(r *decode.Result, at func(offset int64) int64) lines {
	l := lines{}
	var from decode.Ends
	seq, base := int64(0), int64(0)
	for i := range r.Segments {
		s := &r.Segments[i]
		if !s.Continued {
			base = seq
			if i == 0 {
				l.add("G", base, "%d trace_on", at(s.Start.Offset))
			}
		}
		for _, run := range r.Runs[from[decode.Runs]:s.Ends[decode.Runs]] {
			seq = l.addRun(r, &run, seq, at)
		}
		l.addOthers(r, from, s.Ends, base, at)
		from = s.Ends
	}
	return l
}

// addRun adds the instructions of a run.
func (l lines) addRun(r *decode.Result, run *schema.Run, seq int64, at func(offset int64) int64) int64 {
	b := r.Blocks[run.Block]
	for k := range int(run.Count) {
		i, outcome := int(run.First)+k, "?"
		if run.Flags&schema.RunHasFailed != 0 {
			outcome = "E"
		}
		if k == int(run.Count)-1 {
			outcome = map[schema.Outcome]string{schema.Unknown: "?", schema.Taken: "E", schema.Passed: "E", schema.NotTaken: "N"}[run.Outcome]
		}
		cycles := ""
		if run.Flags&schema.RunHasCycles != 0 && k == int(run.Count)-1 {
			cycles = fmt.Sprintf(" %d of %d", run.Cycles, run.Cycle)
		}
		l.add("I", seq, "%d %016x %d %s %08x "+
			"%s%s", at(run.Offset), uint64(b.Address[i]), b.Size[i], b.Key.ISA, b.Opcode[i], outcome, cycles)
		seq++
	}
	return seq
}

// addOthers adds the other rows of a part.
func (l lines) addOthers(r *decode.Result, from, to decode.Ends, base int64, at func(offset int64) int64) {
	for _, x := range r.Exceptions[from[decode.Exceptions]:to[decode.Exceptions]] {
		if x.Event == schema.ExceptionReturn {
			l.add("R", base+x.Seq, "%d", at(x.Offset))
			continue
		}
		l.add("X", base+x.Seq, "%d %d %s %s to "+
			"%s", at(x.Offset), x.Number.V, x.Type.V, addressText(x.ReturnAddress), addressText(x.Target))
	}
	for i := from[decode.Counts]; i < to[decode.Counts]; i++ {
		x := r.Counts.At(i)
		l.add("C", base+x.Seq, "%d %s %d %t", at(x.Offset), schema.CountKindNames[x.Kind], x.Cycles.V, x.Cycles.OK)
	}
	for _, x := range r.Timestamps[from[decode.Timestamps]:to[decode.Timestamps]] {
		l.add("T", base+x.Seq, "%d %d", at(x.Offset), x.Value.V)
	}
	for _, x := range r.Contexts[from[decode.Contexts]:to[decode.Contexts]] {
		l.add("P", base+x.Seq, "%d %s %s %s %s", at(x.Offset), idText(x.ContextID), idText(x.VMID), x.Security, x.ISA.V)
	}
	for _, x := range r.Events[from[decode.Events]:to[decode.Events]] {
		switch kind := x.Event; {
		case kind.Restarts():
			l.add("G", base+x.Seq, "%d %s", at(x.Offset), kind)
		case kind == schema.EventUnmapped:
			l.add("L", base+x.Seq, "%d unmapped %016x", at(x.Offset), uint64(x.Address.V))
		default:
			l.add("E", base+x.Seq, "%d %s %s %s", at(x.Offset), kind, addressText(x.Address), x.Detail)
		}
	}
	for _, x := range r.Losses[from[decode.Losses]:to[decode.Losses]] {
		l.add("E", base+x.Seq, "%d loss of %d %s %s", at(x.Offset), x.Bytes, x.Reason, x.Detail)
	}
}

func addressText(a schema.Null[schema.Address]) string {
	if !a.OK {
		return "-"
	}
	return strconv.FormatUint(uint64(a.V), 16)
}

func idText(a schema.Null[uint32]) string {
	if !a.OK {
		return "-"
	}
	return strconv.FormatUint(uint64(a.V), 16)
}

// follow decodes a stream, all in one result.
func follow(t testing.TB, b []byte, p decode.Protocol, mem *image.Memory, g engine.Grain) *decode.Result {
	t.Helper()
	all, unsynced := parts(t, b, p, g)
	decoder, r := p.NewDecoder(mem, decode.Wanted{}), &decode.Result{}
	total := unsynced
	for i := range all {
		decoder.Decode(r, all[i])
	}
	for i := range r.Segments {
		total += r.Segments[i].Row.Bytes
	}
	if total != int64(len(b)) {
		t.Errorf("%d bytes accounted for, of %d", total, len(b))
	}
	return r
}

// A reference is a reference listing of elements, and where its packets are in the stream.
type reference struct {
	lines   lines
	offsets map[int64]int64 // capture offsets by position in the stream
	told    []int64         // capture offsets of packets with addresses
	cut     int64           // capture offset of the first cut: a Trace On before it is its
	seq     int64
}

// readReference reads the listing of a source.
func readReference(t testing.TB, dir, source string) *reference {
	t.Helper()
	ref := &reference{lines: lines{}, offsets: map[int64]int64{}}
	pos := int64(0)
	for line := range strings.Lines(string(shared.Read(t, filepath.Join(dir, source+".packets.tsv.gz")))) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		at, _ := strconv.ParseInt(f[0], 10, 64)
		ref.offsets[pos] = at
		pos += int64(len(f[1]) / 2)
		if strings.HasPrefix(f[2], "addr") {
			ref.told = append(ref.told, at)
		}
	}
	until := 0 // offset; nothing before is to be compared
	for line := range strings.Lines(string(shared.Read(t, filepath.Join(dir, source+".tsv.gz")))) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		at := must(strconv.Atoi(f[1]))
		switch {
		case at < until && (f[0] == "I" || f[0] == "L"):
			continue
		case f[0] == "I" && strings.HasPrefix(f[5], "0000"):
			// The listing walks through UDF, and goes on wherever that leads to, up to the next address.
			ref.dropRange(f[1])
			n, _ := slices.BinarySearch(ref.told, int64(at))
			until = int(ref.told[n])
			continue
		case f[0] == "X":
			ref.dropRepeated(f[1])
		}
		ref.lines[f[0]] = append(ref.lines[f[0]], fmt.Sprintf("%d %s", ref.seq, strings.Join(f[1:], " ")))
		if f[0] == "I" {
			ref.seq++
		}
	}
	return ref
}

// dropRange drops the instructions of the walk that an offset has last.
func (r *reference) dropRange(offset string) {
	list := r.lines["I"]
	for n := len(list); n > 0; n-- {
		if f := strings.Fields(list[n-1]); f[1] != offset || f[6] != "?" {
			break
		}
		list, r.seq = list[:n-1], r.seq-1
	}
	r.lines["I"] = list
}

// dropRepeated drops a line that says what the one before says: after missing memory, the listing
// looks there for the return address of an exception. To us the position is unknown then.
func (r *reference) dropRepeated(offset string) {
	list := r.lines["L"]
	if n := len(list); n > 1 {
		a, b := strings.Fields(list[n-2]), strings.Fields(list[n-1])
		if b[1] == offset && slices.Equal(a[2:], b[2:]) {
			r.lines["L"] = list[:n-1]
		}
	}
}

// dumps is the memory that the first core of a snapshot has.
func dumps(t testing.TB, dir string) *image.Memory {
	t.Helper()
	var regions []image.Region
	file := ""
	for line := range strings.Lines(string(must(os.ReadFile(filepath.Join(dir, "cpu_0.ini"))))) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch key {
		case "file":
			file = value
		case "address":
			address := must(strconv.ParseUint(value, 0, 64))
			b := must(os.ReadFile(filepath.Join(dir, filepath.FromSlash(file))))
			regions = append(regions, image.Region{Address: schema.Address(address), Bytes: b})
		case "length":
			r := &regions[len(regions)-1]
			r.Bytes = r.Bytes[:min(uint64(len(r.Bytes)), must(strconv.ParseUint(value, 0, 64)))]
		case "offset", "space":
			t.Fatalf("%s has a %s", dir, key)
		}
	}
	return image.New(slices.Clip(regions)...)
}

// The captures, with how many lines the listings have of each kind that is compared, and what
// events the listings do not have. The memory of juno_r1_1 is not the code that ran: the
// listings say so by unconditional instructions that were not executed, and by walks through
// zeros, which are left out (19 of 228 instructions, and what follows them up to an address).
var followed = []struct {
	capture, source, stream string
	cfg                     func(t testing.TB) *etmv4.Config
	compared                string
	events                  string
}{
	{
		"etm4-juno-uname-002", "16", "expected/16.bin.gz", registers(false, 0, 0),
		"C 0 G 42 I 31566 L 15974 P 1 R 38 T 0 X 46", "",
	},
	{
		"etm4-juno_r1_1", "10", "expected/10.bin.gz", registers(false, 0xc1, 0),
		"C 0 G 26 I 33880 L 7941 P 1 R 49 T 0 X 48",
		"1282 × inconsistent an instruction without a condition was not executed, 38 × inconsistent " +
			"no P0 instruction, or an undefined one before it: wrong program image?, " +
			"821 × inconsistent the next address is, 342 × no_address",
	},
	{
		"etm4-juno_r1_1", "11", "expected/11.bin.gz", registers(false, 0xc1, 0),
		"C 0 G 1 I 225 L 58 P 1 R 1 T 0 X 0",
		"5 × inconsistent an instruction without a condition was not executed, 5 × inconsistent the next address " +
			"is, 4 × no_address",
	},
	{
		"etm4-juno_r1_1", "13", "expected/13.bin.gz", registers(false, 0xc1, 0),
		"C 0 G 2 I 342 L 74 P 1 R 1 T 0 X 1",
		"6 × inconsistent an instruction without a condition was not executed, 6 × inconsistent the next address " +
			"is, 5 × no_address",
	},
	{
		"etm4-juno_r1_1", "15", "expected/15.bin.gz", registers(false, 0xc1, 0),
		"C 0 G 0 I 1467 L 348 P 1 R 3 T 0 X 2",
		"71 × inconsistent an instruction without a condition was not executed, 52 × inconsistent the next address " +
			"is, 16 × no_address",
	},
	{
		"ete-trace_file_cid_vmid", "02", "session1.bin", registers(true, 0xc1, 0),
		"C 0 G 9 I 29127 L 0 P 1 R 24 T 0 X 35", "",
	},
	{
		"ete-002-ack_test_scr", "02", "session1.bin", registers(true, 1, 0),
		"C 0 G 2 I 5146 L 0 P 1 R 5 T 0 X 7", "",
	},
	{
		"ete-src_addr", "02", "session1.bin", registers(true, 0x11, 0),
		"C 500 G 3 I 12625 L 0 P 1 R 6 T 0 X 9", "",
	},
	{
		"ete-ete_spec_1", "01", "session1.bin", registers(true, 0, 0xff),
		"C 0 G 1 I 254 L 0 P 1 R 0 T 0 X 1",
		"5 × cancelled 4, 1 × discard 2 P0 elements: end of trace",
	},
	{
		"ete-ts_marker", "01", "session1.bin", registers(true, 0x8801, 0),
		"C 0 G 2 I 1050 L 0 P 1 R 0 T 223 X 2", "",
	},
}

func registers(ete bool, configr, idr8 uint32) func(t testing.TB) *etmv4.Config {
	return func(t testing.TB) *etmv4.Config { return config(t, ete, configr, idr8) }
}

// The rows of the captures are those of the reference listings.
func TestFollowCaptures(t *testing.T) {
	for _, tt := range followed {
		t.Run(tt.capture+" "+tt.source, func(t *testing.T) {
			dir := filepath.Join(shared.File(t, "captures"), tt.capture)
			ref := readReference(t, filepath.Join(dir, "expected"), tt.source)
			b, cfg := shared.Read(t, filepath.Join(dir, tt.stream)), tt.cfg(t)
			r := follow(t, b, cfg, dumps(t, dir), engine.Usual(cfg))
			ref.cut = ref.offsets[r.Segments[0].Start.Offset]
			got := rowLines(r, func(offset int64) int64 { return ref.offsets[offset] })
			var compared []string
			for kind := range strings.SplitSeq("C G I L P R T X", " ") {
				g, w := got.of(kind), ref.of(kind)
				compared = append(compared, fmt.Sprint(kind, " ", len(w)))
				diff(t, kind, g, w)
			}
			if got := strings.Join(compared, " "); got != tt.compared {
				t.Errorf("compared: %s, want %s", got, tt.compared)
			}
			if got := got.events(); got != tt.events {
				t.Errorf("events: %s, want %s", got, tt.events)
			}
		})
	}
}

// events counts the events, by what they are.
func (l lines) events() string {
	count := map[string]int{}
	for _, line := range l["E"] {
		f := strings.SplitN(line, " ", 5)
		detail := f[4]
		if i := strings.Index(detail, " 0x"); i >= 0 {
			detail = detail[:i]
		}
		if f[2] == "no_address" { // how many atoms in each does not matter
			detail = ""
		}
		count[strings.TrimSpace(f[2]+" "+detail)]++
	}
	var words []string
	for _, word := range slices.Sorted(maps.Keys(count)) {
		words = append(words, fmt.Sprintf("%d × %s", count[word], word))
	}
	return strings.Join(words, ", ")
}

// diff reports the first differences of two lists.
func diff(t *testing.T, name string, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	t.Errorf("%s: %d, want %d", name, len(got), len(want))
	for i, n := 0, 0; i < max(len(got), len(want)) && n < 5; i++ {
		g, w := at(got, i), at(want, i)
		if g != w {
			n++
			t.Errorf("%s %d: %s\nwant %s", name, i, g, w)
		}
	}
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "none"
}

// of returns the lines of a kind as they are compared: without targets of exceptions, which the
// listings do not have.
func (l lines) of(kind string) (list []string) {
	for i, line := range l[kind] {
		f := strings.Fields(line)
		switch kind {
		case "G":
			if i == 0 { // of the first cut, not of the Trace On before it
				continue
			}
		case "I":
			f = f[:7] // no cycles
		case "C":
			f = []string{f[1], f[3]}
		case "X":
			f = f[:5]
		}
		list = append(list, strings.Join(f, " "))
	}
	return changes(kind, list)
}

// of does so for a listing, in our words. Contexts are those that change something.
func (r *reference) of(kind string) (list []string) {
	for _, line := range r.lines[kind] {
		f := strings.Fields(line)
		switch kind {
		case "G":
			if must(strconv.ParseInt(f[1], 10, 64)) < r.cut {
				continue
			}
		case "L":
			if f[2] != "unmapped" {
				continue
			}
		case "I":
			if f[6] == "?" { // all are executed, but those that a source address passes
				f[6] = "E"
				if in := isa.A64(uint32(must(strconv.ParseUint(f[5], 16, 32))), 0); in.Flow == isa.Direct {
					f[6] = "N"
				}
			}
		case "C":
			f = f[1:]
		case "P":
			f = []string{f[0], f[1], f[2], f[3], map[string]string{"NS": "non_secure", "S": "secure"}[f[4]], f[6]}
		case "X":
			f[3], f[4] = r.exceptionType(f), strings.TrimLeft(f[4], "0")
		}
		list = append(list, strings.Join(f, " "))
	}
	return changes(kind, list)
}

// changes leaves of contexts those that change something.
func changes(kind string, list []string) []string {
	if kind != "P" {
		return list
	}
	return slices.CompactFunc(list, func(a, b string) bool {
		return slices.Equal(strings.Fields(a)[2:], strings.Fields(b)[2:])
	})
}

// exceptionType is our word for an exception of the listing.
func (r *reference) exceptionType(f []string) string {
	switch f[3] {
	case "call": // by the instruction before it
		seq := must(strconv.Atoi(f[0]))
		before := strings.Fields(r.lines["I"][max(seq-1, 0)])
		if at := must(strconv.ParseUint(before[2], 16, 64)); at+4 != must(strconv.ParseUint(f[4], 16, 64)) {
			return "call"
		}
		return map[byte]string{'1': "svc", '2': "hvc", '3': "smc"}[before[5][7]]
	case "inst_fault":
		return "prefetch_abort"
	case "data_fault":
		return "data_abort"
	default:
		return f[3]
	}
}

// However a stream is split, and whatever a worker knows of what came before, the rows are the same.
func TestFollowSplit(t *testing.T) {
	for _, tt := range followed {
		t.Run(tt.capture+" "+tt.source, func(t *testing.T) {
			dir := filepath.Join(shared.File(t, "captures"), tt.capture)
			checkSplits(t, shared.Read(t, filepath.Join(dir, tt.stream)), tt.cfg(t), dumps(t, dir))
		})
	}
}

// checkSplits decodes a stream in parts of several sizes, and each segment alone.
func checkSplits(t *testing.T, b []byte, cfg *etmv4.Config, mem *image.Memory) {
	t.Helper()
	whole := follow(t, b, serial{cfg}, mem, engine.Usual(cfg))
	want := rowLines(whole, asTheyAre)
	for _, g := range []engine.Grain{
		{Unit: 1 << 10, Part: 1 << 10, Chunk: 4 << 10},
		{Unit: 5000, Part: 64, Chunk: 1 << 20},
		{Unit: 1, Part: 9, Chunk: 64},
		{Unit: 1, Part: 1, Chunk: 64},
	} {
		got := rowLines(follow(t, b, cfg, mem, g), asTheyAre)
		for kind := range want {
			diff(t, fmt.Sprintf("%+v: %s", g, kind), got[kind], want[kind])
		}
	}
	all, _ := parts(t, b, cfg, engine.Usual(cfg))
	r := &decode.Result{}
	var d decode.Decoder
	for i := range all {
		if !all[i].Continued {
			d = cfg.NewDecoder(mem, decode.Wanted{})
		}
		d.Decode(r, all[i])
	}
	got := rowLines(r, asTheyAre)
	for kind := range want {
		diff(t, "alone: "+kind, got[kind], want[kind])
	}
	for i := range whole.Segments {
		if g, w := r.Segments[i].End, whole.Segments[i].End; !reflect.DeepEqual(g, w) {
			t.Errorf("segment %d ends with %+v, want %+v", i, g, w)
		}
	}
}

func asTheyAre(offset int64) int64 { return offset }

// Whatever is damaged, and whatever the registers say, every byte is decoded or lost, and the rows do
// not depend on how the stream is split.
func TestFollowDamage(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, tt := range followed {
		t.Run(tt.capture+" "+tt.source, func(t *testing.T) {
			dir := filepath.Join(shared.File(t, "captures"), tt.capture)
			stream, mem := shared.Read(t, filepath.Join(dir, tt.stream)), dumps(t, dir)
			configs := []*etmv4.Config{
				tt.cfg(t), stackConfig, countConfig, microConfig, micro7Config, specConfig(3), commitsConfig(200),
				configOf(registersOf(true, 1|1<<4|1<<12, 20)),
			}
			for i := range len(configs) + 4 {
				b, cfg := damaged(stream, random), configs[max(0, i-4)]
				r := follow(t, b, cfg, mem, engine.Usual(cfg))
				checkAccount(t, r)
				want := rowLines(r, asTheyAre)
				for _, g := range []engine.Grain{{Unit: 5000, Part: 64, Chunk: 1 << 20}, {Unit: 1, Part: 1, Chunk: 64}} {
					got := rowLines(follow(t, b, cfg, mem, g), asTheyAre)
					for kind := range want {
						diff(t, fmt.Sprintf("%+v: %s", g, kind), got[kind], want[kind])
					}
				}
			}
		})
	}
}

// With bits flipped, segments whose bytes are intact have the rows they had: reading goes on at the
// next cut.
func TestFollowResyncs(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	untouched := 0
	for _, tt := range followed {
		dir := filepath.Join(shared.File(t, "captures"), tt.capture)
		stream, mem, cfg := shared.Read(t, filepath.Join(dir, tt.stream)), dumps(t, dir), tt.cfg(t)
		intact := segmentTexts(t, stream, cfg, mem)
		spans := segmentSpans(t, stream, cfg)
		for _, one := range []int{1e4, 1e5, 1e6} { // bits of which one is flipped
			b := slices.Clone(stream)
			var flipped []int
			for range max(1, 8*len(b)/one) {
				at := random.IntN(len(b))
				flipped = append(flipped, at)
				b[at] ^= 1 << random.IntN(8)
			}
			got := segmentTexts(t, b, cfg, mem)
			for at, span := range spans {
				if slices.ContainsFunc(flipped, func(i int) bool { return i >= span[0] && i < span[1] }) {
					continue
				}
				if untouched++; got[at] != intact[at] {
					t.Errorf("%s %s, one bit of %d: the segment at %d: %s\nwant %s", tt.capture, tt.source, one, at, got[at], intact[at])
				}
			}
		}
	}
	if untouched < 100 {
		t.Errorf("%d segments are untouched", untouched)
	}
}

// segmentTexts tells the rows of each segment, by its offset.
func segmentTexts(t *testing.T, b []byte, cfg *etmv4.Config, mem *image.Memory) map[int]string {
	t.Helper()
	r := follow(t, b, cfg, mem, engine.Usual(cfg))
	checkAccount(t, r)
	texts, all := map[int]string{}, strings.Split(tell(r), "|")[1:]
	n := 0
	for i := range r.Segments {
		if s := &r.Segments[i]; !s.Continued {
			texts[int(s.Start.Offset)] = strings.TrimSpace(all[n])
			n++
		}
	}
	return texts
}

// segmentSpans are the bytes that the rows of each segment depend on, by its offset: from its A-sync to
// the packet of the next cut.
func segmentSpans(t *testing.T, b []byte, cfg *etmv4.Config) map[int][2]int {
	t.Helper()
	spans, at := map[int][2]int{}, 0
	all, unsynced := parts(t, b, cfg, engine.Usual(cfg))
	end := int(unsynced)
	for i := range all {
		if begin := end; !all[i].Continued {
			at = begin
			spans[at] = [2]int{begin - len(all[i].Before), 0}
		}
		end += len(all[i].Data)
		spans[at] = [2]int{spans[at][0], end + len(all[i].Ahead)}
	}
	return spans
}

// damaged returns a piece of a stream with some bits flipped, and bytes left out or doubled.
func damaged(stream []byte, random *rand.Rand) []byte {
	b := slices.Clone(stream[random.IntN(len(stream)/4):])
	b = b[:min(len(b), 20_000)]
	for range 1 + random.IntN(len(b)/100+1) {
		at := random.IntN(len(b) - 20)
		switch n := 1 + random.IntN(16); random.IntN(8) {
		case 0:
			b = slices.Delete(b, at, at+n)
		case 1:
			b = slices.Insert(b, at, b[at:at+n]...)
		default:
			b[at] ^= 1 << random.IntN(8)
		}
	}
	return b
}

// checkAccount checks that the losses of a result are the bytes that its segments lost.
func checkAccount(t *testing.T, r *decode.Result) {
	t.Helper()
	var lost, losses int64
	for i := range r.Segments {
		row := &r.Segments[i].Row
		lost += row.BytesLost
		if row.BytesDecoded < 0 || row.BytesUnplaced < 0 || row.Bytes != row.BytesDecoded+row.BytesLost {
			t.Errorf("segment %+v", row)
		}
	}
	for i := range r.Losses {
		losses += r.Losses[i].Bytes
	}
	if lost != losses {
		t.Errorf("%d bytes lost, losses of %d", lost, losses)
	}
}

// The fast path makes of captures, whole and damaged, what the plain one makes.
func TestWarmCaptures(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, tt := range followed {
		t.Run(tt.capture+" "+tt.source, func(t *testing.T) {
			dir := filepath.Join(shared.File(t, "captures"), tt.capture)
			b, cfg, mem := shared.Read(t, filepath.Join(dir, tt.stream)), tt.cfg(t), dumps(t, dir)
			for _, b := range [][]byte{b, damaged(b, random)} {
				for i, g := range []engine.Grain{engine.Usual(cfg), {Unit: 5000, Part: 64, Chunk: 1 << 20}} {
					all, _ := parts(t, b, cfg, g)
					if d := decodetest.WarmDifference(cfg, mem, all, uint8(i)); d != "" {
						t.Errorf("%+v: %.2000s", g, d)
					}
				}
			}
		})
	}
}
