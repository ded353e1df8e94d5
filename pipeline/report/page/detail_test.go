package page_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/report/last"
	"github.com/tracelake/tracelake/pipeline/report/page"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
	"github.com/tracelake/tracelake/pipeline/report/reporttest"
	"github.com/tracelake/tracelake/pipeline/window"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// decodeAgain makes rows of a dataset from its capture.
func decodeAgain(t testing.TB) func(dir string) last.Rows {
	return func(dir string) last.Rows {
		return func(source uint8, from, to last.Point) (string, error) {
			span := window.Span{
				From: schema.Of(window.Point{Kind: window.BySeq, N: from.N}), To: schema.Of(window.Point{Kind: window.BySeq, N: to.N}),
			}
			part := filepath.Join(t.TempDir(), "part")
			return part, pipeline.ExportSpan(t.Context(), dir, part, source, span, pipeline.Options{Level: schema.LevelInstructions})
		}
	}
}

// The page has the instructions around what it offers to show: those of the table instructions, whether the
// dataset has that, or blocks, or neither, and the capture is decoded again.
func TestDetail(t *testing.T) {
	levels := []schema.Level{schema.LevelInstructions, schema.LevelBlocks, schema.LevelNone}
	var details []*content.Detail
	var rows string
	for _, level := range levels {
		dir := reporttest.Export(t, "sample", sample.ELF, pipeline.Options{Level: level})
		if rows == "" {
			rows = dir
		}
		p, err := page.Read([]string{dir}, content.Options{Title: "page", Detail: 200_000, Rows: decodeAgain(t)})
		if err != nil {
			t.Fatal(err)
		}
		details = append(details, p.Data.Times[0].Detail)
	}
	for i, d := range details {
		if diff := cmp.Diff(details[0], d); diff != "" {
			t.Errorf("of level %v, not as of instructions (-want +got):\n%s", levels[i], diff)
		}
	}
	d := details[0]
	if len(d.Seq) < 10 || len(d.Code) < 2000 {
		t.Fatalf("%d windows of %d instructions", len(d.Seq), len(d.Code))
	}
	is := instructionsOf(t, rows)
	n := 0
	for w, seq := range d.Seq {
		if w > 0 && (seq <= d.Seq[w-1]+d.Count[w-1] || d.From[w] < d.Until[w-1]) {
			t.Errorf("window %d begins at seq %d, on the axis at %d, within the one before", w, seq, d.From[w])
		}
		for i := range d.Count[w] {
			x, code := is[seq+i], d.Code[n]
			if d.Address[code] != x.Address || d.Kind[code] != x.Kind.String() {
				t.Fatalf("seq %d is a %s at %#x, want a %v at %#x", seq+i, d.Kind[code], d.Address[code], x.Kind, x.Address)
			}
			n++
		}
	}
	if n != len(d.Code) || n != len(d.Cycles) || n != len(d.Outcome) {
		t.Errorf("windows have %d instructions, the columns %d, %d and %d", n, len(d.Code), len(d.Cycles), len(d.Outcome))
	}
}

// The page offers to show where each task has its first turn, and the first execution of the hottest line.
func TestDetailPoints(t *testing.T) {
	dir := reporttest.Sample(t, schema.LevelInstructions)
	p, err := page.Read([]string{dir}, content.Options{Title: "page", Detail: 200_000})
	if err != nil {
		t.Fatal(err)
	}
	d := p.Data.Times[0].Detail
	shown := func(seq int64) bool {
		for w, first := range d.Seq {
			if first <= seq && seq < first+d.Count[w] {
				return true
			}
		}
		return false
	}
	for _, seq := range []int64{6232, 10_247, 14_263, 18_279, 22_295} { // tasks.first_seq
		if !shown(seq) {
			t.Errorf("the task that begins at seq %d is not among the points", seq)
		}
	}
	source := p.Data.Source
	file := &source.Files[source.Hottest[0]]
	hottest, line := map[schema.Address]bool{}, uint32(0)
	for _, n := range file.Seen.Number[:source.Hottest[1]+1] {
		line += n
	}
	for i := range d.Code {
		if code := d.Code[i]; d.File[code] == file.File && d.Line[code] == line {
			hottest[d.Address[code]] = true
		}
	}
	is := instructionsOf(t, dir)
	first := slices.IndexFunc(is, func(x schema.Instruction) bool { return hottest[x.Address] })
	if len(hottest) == 0 || !shown(int64(first)) {
		t.Errorf("line %d of %s has %d instructions in the windows, and not its first at seq %d", line, p.Data.Files.Path[file.File], len(hottest), first)
	}
}

// instructionsOf returns the instructions of a dataset of one source.
func instructionsOf(t *testing.T, dir string) []schema.Instruction {
	t.Helper()
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var all []schema.Instruction
	for b, err := range d.Batches(&schema.Instructions) {
		if err != nil {
			t.Fatal(err)
		}
		for row := range b.Rows() {
			all = append(all, schema.InstructionOf(b, row))
		}
	}
	return all
}

// How many instructions a page has is bounded; without what makes rows, a dataset that has none is drawn
// without them, and --no-source leaves out opcodes.
func TestDetailIsBounded(t *testing.T) {
	dir := reporttest.Export(t, "sample", sample.ELF, pipeline.Options{Level: schema.LevelNone})
	for _, tt := range []struct {
		name    string
		opt     content.Options
		most    int
		opcodes bool
	}{
		{"few", content.Options{Detail: 300, Rows: decodeAgain(t)}, 300, true},
		{"none", content.Options{Rows: decodeAgain(t)}, 0, false},
		{"no rows", content.Options{Detail: 300}, 0, false},
		{"no source", content.Options{Detail: 300, Rows: decodeAgain(t), Sources: content.Sources{None: true}}, 300, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := page.Read([]string{dir}, tt.opt)
			if err != nil {
				t.Fatal(err)
			}
			d := p.Data.Times[0].Detail
			if d == nil {
				d = &content.Detail{}
			}
			if n := len(d.Code); n > tt.most || n < tt.most/2 {
				t.Errorf("%d instructions, at most %d are wanted", n, tt.most)
			}
			if opcodes := len(bytes.Join(asBytes(d.Opcode), nil)) > 0; opcodes != tt.opcodes {
				t.Errorf("opcodes: %v, want %v", opcodes, tt.opcodes)
			}
		})
	}
}

func asBytes(list []string) [][]byte {
	all := make([][]byte, len(list))
	for i := range list {
		all[i] = []byte(list[i])
	}
	return all
}
