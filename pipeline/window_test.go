package pipeline

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/plan"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/decodetest"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/pipeline/rows"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/window"
	"github.com/tracelake/tracelake/schema"
)

// A windowed is what one source is decoded from, whole or in windows.
type windowed struct {
	name     string
	id       uint8
	protocol decode.Protocol
	memory   *image.Memory
	stream   func() decode.Stream
	grain    engine.Grain
	windows  int // to try
}

// TestWindowsAreTheWhole begins to decode at every cut, of everything there is, with what the
// row of its segment says, and demands the rows that the whole has from there.
func TestWindowsAreTheWhole(t *testing.T) {
	need.FullRun(t, oneWorker)
	var all []windowed
	dirs, err := filepath.Glob(filepath.Join("..", "decode", "*", "testdata", "scenario"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		scenarios, err := decodetest.ReadAll(dir, Protocols()...)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range scenarios {
			r := newTrial(t, s)
			all = append(all, windowed{r.s.Name, 0x10, r.protocol, r.memory, func() decode.Stream { return r.bytesFrom(0, 1<<20) }, grainOf(1, 1<<10, 64), need.Size(5, 100)})
		}
	}
	for _, tr := range moreTraces(t) {
		n := need.Size(2, 50)
		if tr.made {
			n = need.Size(12, 50)
		}
		all = append(all, windowed{
			tr.name, tr.id, tr.protocol, tr.memory, func() decode.Stream { return tr.stream(wholePieces) }, usualGrain, n,
		})
	}
	for _, w := range all {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			w.check(t)
		})
	}
}

// check checks windows from cuts chosen at random, and one from each of the first ones.
func (w *windowed) check(t *testing.T) {
	whole := &decodedTables{tables: map[string]*schema.Batch{}}
	w.decode(t, whole, nil, 0, 0)
	segments := whole.tables[schema.Segments.Name]
	n := segments.Rows()
	if n == 0 {
		return
	}
	random := rand.New(rand.NewPCG(uint64(n), 'w'))
	for i := range w.windows {
		first := random.IntN(n)
		if n <= w.windows {
			first = i % n
		}
		last := min(n-1, first+random.IntN(4))
		part := &decodedTables{tables: map[string]*schema.Batch{}}
		w.decode(t, part, segments, first, last)
		whole.checkWindow(t, part, first, last)
		if t.Failed() {
			t.Fatalf("window from segment %d to %d of %d", first, last, n)
		}
	}
}

// decode decodes the segments from first to last, or all if there is no index.
func (w *windowed) decode(t *testing.T, d *decodedTables, index *schema.Batch, first, last int) {
	t.Helper()
	tables := rows.New(d.output(level(false)))
	st := stitch.New(w.id, w.protocol.TimestampCode(), tables.Sinks)
	stream, lead := w.stream(), engine.NoLead
	if index != nil {
		r := rangeOf(index, first, last)
		if err := r.Prepare(st); err != nil {
			t.Fatal(err)
		}
		if !r.FromStart() {
			lead = window.Lead(w.protocol, &r.Begin).Bytes
			units := int64(w.protocol.UnitBytes())
			stream = plan.After(stream, int(units), r.Begin.StreamOffset*units-int64(lead))
		}
	}
	pool := engine.NewDecoders(&decode.Pool{}, func() decode.Decoder { return w.protocol.NewDecoder(w.memory, tables.Sinks.Wanted()) })
	err := engine.Ordered(context.Background(), engine.NewWorkers(1), engine.SplitBy(stream, w.protocol, w.grain, lead), pool.Decode, func(d engine.Decoded) error {
		if err := st.Stitch(d.Unit); err != nil || !st.Past() {
			return err
		}
		return errPast
	})
	if errors.Is(err, errPast) {
		err = nil
	}
	if err == nil {
		err = errors.Join(st.Finish(), tables.Flush())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// errPast ends decoding after the last segment of a window.
var errPast = errors.New("past the window")

// rangeOf returns the range of a window, of rows of `segments`.
func rangeOf(index *schema.Batch, first, last int) *window.Range {
	from := int32(first)
	for i := first; i <= last; i++ {
		from = min(from, window.SegmentOf(index, i).DecodeFrom)
	}
	return &window.Range{
		First: int32(first), Last: int32(last), Begin: window.SegmentOf(index, int(from)), Left: window.SegmentOf(index, first),
	}
}

// checkWindow demands that a window has the rows of its segments that the whole has.
func (d *decodedTables) checkWindow(t *testing.T, part *decodedTables, first, last int) {
	t.Helper()
	for _, table := range schema.Tables() {
		want, got := d.tables[table.Name], part.tables[table.Name]
		segment := slices.IndexFunc(table.Columns, func(c schema.Column) bool { return c.Name == "segment" })
		if want == nil || segment < 0 || slices.Contains(schema.Answers(), table) {
			continue
		}
		if got == nil {
			got = schema.NewBatch(table)
			part.tables[table.Name] = got
		}
		n := 0
		for i := range want.Rows() {
			if v := &want.Columns[segment]; v.Null(i) && first > 0 || int(int32(v.U32[i])) < first || int(int32(v.U32[i])) > last {
				continue
			}
			if n == got.Rows() {
				t.Errorf("%s has %d rows, and not %s", table.Name, n, d.rowText(table, i))
				break
			}
			for c := range table.Columns {
				if table == &schema.Segments && c == int(schema.SegmentsStack) {
					continue // of its own stacks: what came before is not known
				}
				if !want.Columns[c].Equal(i, &got.Columns[c], n) {
					t.Errorf("%s row %d differs in %s:\n got %s\nwant %s", table.Name, n, table.Columns[c].Name, part.rowText(table, n), d.rowText(table, i))
					return
				}
			}
			n++
		}
		if n < got.Rows() {
			t.Errorf("%s has %d rows, want %d; first: %s", table.Name, got.Rows(), n, part.rowText(table, n))
		}
	}
}
