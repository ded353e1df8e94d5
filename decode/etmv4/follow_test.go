package etmv4_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
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
		l.add("I", seq, "%d %016x %d %s %08x %s%s", at(run.Offset), uint64(b.Address[i]), b.Size[i], b.Key.ISA, b.Opcode[i], outcome, cycles)
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
		l.add("X", base+x.Seq, "%d %d %s %s to %s", at(x.Offset), x.Number.V, x.Type.V, addressText(x.ReturnAddress), addressText(x.Target))
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

// A listing is a reference listing of elements, and where its packets are in the stream.
type reference struct {
	lines   lines
	offsets map[int64]int64 // capture offsets by position in the stream
}

// readReference reads the listing of a source, with the differences of its wording taken out.
func readReference(t testing.TB, dir, source string) *reference {
	t.Helper()
	ref := &reference{lines: lines{}, offsets: map[int64]int64{}}
	pos := int64(0)
	for line := range strings.Lines(string(shared.Read(t, filepath.Join(dir, source+".packets.tsv.gz")))) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		at, _ := strconv.ParseInt(f[0], 10, 64)
		ref.offsets[pos] = at
		pos += int64(len(f[1]) / 2)
	}
	seq := int64(0)
	for line := range strings.Lines(string(shared.Read(t, filepath.Join(dir, source+".tsv.gz")))) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		ref.lines[f[0]] = append(ref.lines[f[0]], fmt.Sprintf("%d %s", seq, strings.Join(f[1:], " ")))
		if f[0] == "I" {
			seq++
		}
	}
	return ref
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
// events the listings do not have.
var followed = []struct {
	capture, source, stream string
	cfg                     func(t testing.TB) *etmv4.Config
	compared                string
	events                  []string
}{
	{
		"etm4-juno-uname-002", "16", "expected/16.bin.gz", registers(false, 0, 0),
		"C 0 G 43 I 31566 L 15974 P 1 R 38 T 0 X 46", nil,
	},
	{
		"ete-trace_file_cid_vmid", "02", "session1.bin", registers(true, 0xc1, 0),
		"C 0 G 10 I 29127 L 0 P 1 R 24 T 0 X 35", nil,
	},
	{
		"ete-002-ack_test_scr", "02", "session1.bin", registers(true, 1, 0),
		"C 0 G 3 I 5146 L 0 P 1 R 5 T 0 X 7", nil,
	},
	{
		"ete-src_addr", "02", "session1.bin", registers(true, 0x11, 0),
		"C 500 G 4 I 12625 L 0 P 1 R 6 T 0 X 9", nil,
	},
	{
		"ete-ete_spec_1", "01", "session1.bin", registers(true, 0, 0xff),
		"C 0 G 2 I 254 L 0 P 1 R 0 T 0 X 1",
		[]string{
			"79 64 cancelled - 4", "155 95 cancelled - 4", "196 116 cancelled - 4", "214 127 cancelled - 4",
			"223 136 cancelled - 4", "254 169 discard - 2 P0 elements: end of trace",
		},
	},
	{
		"ete-ts_marker", "01", "session1.bin", registers(true, 0x8801, 0),
		"C 0 G 3 I 1050 L 0 P 1 R 0 T 223 X 2", nil,
	},
}

func registers(ete bool, configr, idr8 uint32) func(t testing.TB) *etmv4.Config {
	return func(t testing.TB) *etmv4.Config { return config(t, ete, configr, idr8) }
}

// The rows of the captures are those of the reference listings.
func TestFollowCaptures(t *testing.T) {
	for _, tt := range followed {
		t.Run(tt.capture, func(t *testing.T) {
			dir := filepath.Join(shared.File(t, "captures"), tt.capture)
			ref := readReference(t, filepath.Join(dir, "expected"), tt.source)
			b, cfg := shared.Read(t, filepath.Join(dir, tt.stream)), tt.cfg(t)
			r := follow(t, b, cfg, dumps(t, dir), engine.Usual(cfg))
			got := rowLines(r, func(offset int64) int64 { return ref.offsets[offset] })
			var compared []string
			for _, kind := range strings.Split("C G I L P R T X", " ") {
				g, w := got.of(kind), ref.of(kind)
				compared = append(compared, fmt.Sprint(kind, " ", len(w)))
				diff(t, kind, g, w)
			}
			if got := strings.Join(compared, " "); got != tt.compared {
				t.Errorf("compared: %s, want %s", got, tt.compared)
			}
			diff(t, "E", got["E"], tt.events)
		})
	}
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
	for _, line := range l[kind] {
		f := strings.Fields(line)
		switch kind {
		case "G":
			if len(list) == 0 { // the first cut, not the Trace On before it
				f[1] = "first"
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
			if len(list) == 0 {
				f[1] = "first"
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
		before := strings.Fields(r.lines["I"][seq-1])
		return map[byte]string{'1': "svc", '2': "hvc", '3': "smc"}[before[5][7]]
	case "inst_fault":
		return "prefetch_abort"
	case "data_fault":
		return "data_abort"
	default:
		return f[3]
	}
}
