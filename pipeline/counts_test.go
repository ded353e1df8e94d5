package pipeline

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/schema"
)

// This file counts what ran a second time, plainly: from the rows of a dataset, by
// the rules of docs/tables.md alone.

// An instructionKey is the key of a row of `counts` in its source.
type instructionKey struct{ address, isa int64 }

// An instructionCount is such a row, without the cycles that are spread.
type instructionCount struct {
	executed, failed, unknown int64
	firstSeq                  int64
	timed                     int64
	cycles                    schema.Null[int64]
}

// plainCounts counts rows of `instructions`.
func (d *decodedTables) plainCounts() map[instructionKey]instructionCount {
	table := &schema.Instructions
	address, isa, seq, epoch := d.integers(table, "address"), d.integers(table, "isa"), d.integers(table, "seq"), d.integers(table, "epoch")
	executed, cycles := d.column(table, "executed"), d.column(table, "cycles")
	hasCycles := map[int64]bool{}
	for i := range address {
		if !null(cycles, i) {
			hasCycles[epoch[i]] = true
		}
	}
	counts := map[instructionKey]instructionCount{}
	for i := range address {
		key := instructionKey{address[i], isa[i]}
		c, ok := counts[key]
		if !ok {
			c.firstSeq = seq[i]
		}
		switch {
		case null(executed, i):
			c.unknown++
		case integer(executed, i) == 1:
			c.executed++
		default:
			c.failed++
		}
		if hasCycles[epoch[i]] {
			c.timed++
		}
		if !null(cycles, i) {
			c.cycles = schema.Of(c.cycles.V + integer(cycles, i))
		}
		counts[key] = c
	}
	return counts
}

// counts returns the rows of `counts`, which must be in order.
func (d *decodedTables) counts(t testing.TB) map[instructionKey]instructionCount {
	t.Helper()
	table := &schema.Counts
	address, isa := d.integers(table, "address"), d.integers(table, "isa")
	executed, failed, unknown := d.integers(table, "executed"), d.integers(table, "failed"), d.integers(table, "unknown")
	firstSeq, timed, cycles := d.integers(table, "first_seq"), d.integers(table, "timed"), d.column(table, "cycles")
	counts := map[instructionKey]instructionCount{}
	for i := range address {
		if i > 0 && cmp.Or(cmp.Compare(address[i-1], address[i]), cmp.Compare(isa[i-1], isa[i])) >= 0 {
			t.Errorf("counts: row %d is not in order", i)
		}
		counts[instructionKey{address[i], isa[i]}] = instructionCount{
			executed[i], failed[i], unknown[i], firstSeq[i], timed[i], schema.Null[int64]{V: integer(cycles, i), OK: !null(cycles, i)},
		}
	}
	return counts
}

// plainSpread spreads the cycles of runs evenly over their instructions, from rows
// of `blocks`. A run of more instructions than a row has is several rows, of which
// the last has the cycles.
func (d *decodedTables) plainSpread() map[instructionKey]float64 {
	code, position := d.integers(&schema.CodeBlocks, "code_block"), d.integers(&schema.CodeBlocks, "position")
	address, isa := d.integers(&schema.CodeBlocks, "address"), d.integers(&schema.CodeBlocks, "isa")
	at := map[[2]int64]instructionKey{}
	for i := range code {
		at[[2]int64{code[i], position[i]}] = instructionKey{address[i], isa[i]}
	}
	table := &schema.Blocks
	block, first, count, offset := d.integers(table, "code_block"), d.integers(table, "first"), d.integers(table, "instructions"), d.integers(table, "byte_offset")
	cycles, spread := d.column(table, "cycles"), map[instructionKey]float64{}
	for i, begin := 0, 0; i < len(block); i, begin = i+1, i+1 {
		for null(cycles, i) && count[i] == schema.MaxBlockRow && i+1 < len(block) &&
			block[i+1] == block[i] && offset[i+1] == offset[i] && first[i+1] == first[i]+count[i] {
			i++
		}
		if null(cycles, i) {
			continue
		}
		end := first[i] + count[i]
		for p := first[begin]; p < end; p++ {
			spread[at[[2]int64{block[i], p}]] += float64(integer(cycles, i)) / float64(end-first[begin])
		}
	}
	return spread
}

// sameMaps demands that two maps are equal, and names a few differences.
func sameMaps[K, V comparable](t testing.TB, what string, got, want map[K]V) {
	t.Helper()
	differences := 0
	differ := func(format string, args ...any) {
		if differences++; differences <= 3 {
			t.Errorf(what+": "+format, args...)
		}
	}
	for key, w := range want {
		if g, ok := got[key]; !ok || g != w {
			differ("%+v is %+v (%v), want %+v", key, g, ok, w)
		}
	}
	for key, g := range got {
		if _, ok := want[key]; !ok {
			differ("%+v is %+v, want none", key, g)
		}
	}
	if differences > 3 {
		t.Errorf("%s: %d differences in all", what, differences)
	}
}

// checkCounts demands that counts and edges are what the rows say. d has the rows
// of `instructions`, blocks those of `blocks` of the same stream.
func (d *decodedTables) checkCounts(t testing.TB, blocks *decodedTables) {
	t.Helper()
	sameMaps(t, "counts", d.counts(t), d.plainCounts())
	sameMaps(t, "edges", d.edges(t), d.plainEdges())
	d.checkEpochs(t)
	for _, table := range []*schema.Table{&schema.Counts, &schema.Edges} {
		if i, column := firstDifference(d, blocks, table, nil); i >= 0 || d.rows(table) != blocks.rows(table) {
			t.Errorf("%s differs between levels in %s:\n%s\n%s", table.Name, column, d.rowText(table, max(i, 0)), blocks.rowText(table, max(i, 0)))
		}
	}
	address, isa, spread := d.integers(&schema.Counts, "address"), d.integers(&schema.Counts, "isa"), d.column(&schema.Counts, "cycles_spread")
	want := blocks.plainSpread()
	for i := range address {
		w, ok := want[instructionKey{address[i], isa[i]}]
		if got := math.Float64frombits(spread.U64[i]); ok == null(spread, i) || math.Abs(got-w) > 1e-9*math.Abs(w) {
			t.Errorf("cycles_spread of 0x%08x is %v (%v), want %v (%v)", address[i], got, !null(spread, i), w, ok)
			return
		}
	}
}

// An epochKey is an epoch and a kind of counts; epoch -1: before whatever epoch.
type epochKey struct {
	epoch int64
	kind  schema.CountKind
}

// An epochSum is what such counts add up to.
type epochSum struct{ counts, unknown, cycles int64 }

// plainEpochs sums up rows of `cycle_counts`.
func (d *decodedTables) plainEpochs() map[epochKey]epochSum {
	table, sums := &schema.CycleCounts, map[epochKey]epochSum{}
	epoch, cycles, kind := d.column(table, "epoch"), d.column(table, "cycles"), d.integers(table, "kind")
	for i := range kind {
		key := epochKey{integer(epoch, i), schema.CountKind(kind[i])}
		if null(epoch, i) {
			key = epochKey{-1, schema.CountGap}
		}
		x := sums[key]
		x.counts++
		if null(cycles, i) {
			x.unknown++
		} else {
			x.cycles += integer(cycles, i)
		}
		sums[key] = x
	}
	return sums
}

// checkEpochs demands that `epochs` is the sum of `cycle_counts`, and that its cycles but those of
// gaps are those of instructions and exceptions, and of what had no address.
func (d *decodedTables) checkEpochs(t testing.TB) {
	t.Helper()
	table, sums, executed := &schema.Epochs, map[epochKey]epochSum{}, int64(0)
	epoch, kind, counts, unknown := d.integers(table, "epoch"), d.integers(table, "kind"), d.integers(table, "counts"), d.integers(table, "unknown")
	cycles, gaps := d.integers(table, "cycles"), d.integers(table, "gap_cycles")
	for i := range kind {
		key := epochKey{epoch[i], schema.CountKind(kind[i])}
		if key.kind == schema.CountGap {
			key.epoch = -1
		}
		x := sums[key]
		sums[key] = epochSum{x.counts + counts[i], x.unknown + unknown[i], x.cycles + cycles[i]}
		executed += cycles[i] - gaps[i]
		if gaps[i] < 0 || gaps[i] > cycles[i] {
			t.Errorf("epochs: row %d has %d of %d cycles in gaps", i, gaps[i], cycles[i])
		}
	}
	sameMaps(t, "epochs", sums, d.plainEpochs())
	for _, of := range []*schema.Table{&schema.Counts, &schema.Exceptions} {
		own := d.column(of, "cycles")
		for i := range d.rows(of) {
			if !null(own, i) {
				executed -= integer(own, i)
			}
		}
	}
	if executed < 0 || executed > 0 && !d.lacksPlaces() {
		t.Errorf("epochs have %d cycles more than gaps and what was executed", executed)
	}
}

// lacksPlaces says whether packets may have counted what no row has: what ran at no known address, what passed
// up to a timestamp, and what passed after the last instruction.
func (d *decodedTables) lacksPlaces() bool {
	for _, event := range d.integers(&schema.Events, "event") {
		switch schema.EventKind(event) {
		case schema.EventUnmapped, schema.EventNoAddress, schema.EventJazelle, schema.EventInconsistent, schema.EventBadISync, schema.EventDiscontinuity:
			return true
		}
	}
	kind, last := d.integers(&schema.CycleCounts, "kind"), len(d.integers(&schema.CycleCounts, "kind"))-1
	return d.rows(&schema.Losses) > 0 || slices.Contains(kind, int64(schema.CountTimestamp)) || schema.CountKind(kind[last]) == schema.CountPacket
}

// checkCounts decodes a trace in all levels and checks what was counted. It
// returns the rows of `instructions`.
func (tr *trace) checkCounts(t testing.TB) *decodedTables {
	t.Helper()
	d := tr.decode(t)
	small := engine.Grain{Unit: 5000, Part: 700, Chunk: 1000}
	d.checkCounts(t, tr.decodeStream(t, tr.stream(wholePieces), decodeOptions{blocks: true, grain: small}))
	for i, g := range []engine.Grain{{}, small} {
		d.checkNone(t, tr.decodeStream(t, tr.stream(wholePieces), decodeOptions{none: true, workers: 1 + i, grain: g}))
	}
	return d
}

// checkNone demands that none, of the same stream without rows of what ran, where
// decoders count, has the other rows that d has.
func (d *decodedTables) checkNone(t testing.TB, none *decodedTables) {
	t.Helper()
	if d.totals != none.totals {
		t.Errorf("totals are %+v where decoders count, want %+v", none.totals, d.totals)
	}
	for _, table := range schema.Tables() {
		if !atLevelNone(table) || d.tables[table.Name] == nil {
			continue
		}
		if i, column := firstDifference(none, d, table, nil); i >= 0 || d.rows(table) != none.rows(table) {
			t.Errorf("%s differs in %s where decoders count:\n%s\nwant\n%s", table.Name, column, none.rowText(table, max(i, 0)), d.rowText(table, max(i, 0)))
		}
	}
}

// Counts and edges are what the rows of a dataset say, whatever the trace, and
// whatever damage it has.
func TestCounts(t *testing.T) {
	t.Parallel()
	for _, tr := range pftTraces(t) {
		if tr.few() && testing.Short() {
			continue // the others race as well
		}
		t.Run(tr.name, func(t *testing.T) {
			tr.checkCounts(t)
			if tr.few() || testing.Short() {
				return
			}
			for seed := range uint64(need.Size(2, damageCases)) {
				d := randomDamage(rand.New(rand.NewPCG(seed, 5)), len(tr.data))
				tr.with(d.apply(tr.data)).checkCounts(t)
				if t.Failed() {
					t.Fatalf("seed %d, damage %+v", seed, d)
				}
			}
		})
	}
}

// Likewise in executions that are made up, with much that cuts edges.
func TestCountsGenerated(t *testing.T) {
	t.Parallel()
	exceptions, gaps := int64(0), 0
	seeds := uint64(need.Size(2, 17)) // 200 streams and more
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		for _, m := range macrocells {
			run := smallRun
			run.seed = 100 + seed
			run.bytes /= 2
			tr := m.generate(t, run).trace
			intact := tr.checkCounts(t)
			exceptions += intact.totals.Exceptions
			gaps += int(intact.totals.Gaps)
			d := randomDamage(rand.New(rand.NewPCG(seed, 6)), len(tr.data))
			tr.with(d.apply(tr.data)).checkCounts(t)
			if t.Failed() {
				t.Fatalf("%s, seed %d, damage %+v", m.name, run.seed, d)
			}
		}
	}
	t.Logf("%d exceptions, %d gaps", exceptions, gaps)
	if exceptions == 0 || gaps == 0 {
		t.Error("nothing cuts an edge")
	}
}

// Captures of silicon and the sample, by the figures of another implementation.
// Edges to and from exceptions are not among them, and of calls those that failed
// their condition.
func TestCountsFigures(t *testing.T) {
	need.FullRun(t, oneWorker)
	for _, tt := range []struct {
		name                  string
		rows, failed, unknown int64
		instructions, covered int
		edges, calls          string
	}{
		{"freertos-002b37c", 232_204, 17_161, 0, 552, 521, "141 / 64001", "28 / 8338"},
		{"zephyr-e9185a9", 352_666, 124, 0, 806, 747, "169 / 117305", "30 / 29302"},
		{"threadx-ce42d22", 256_395, 40_982, 0, 3561, 3437, "856 / 89244", "176 / 3430"},
		{"sample", 218_349, 7_790, 172_768, 778, 774, "224 / 45466", "33 / 6300"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := sampleTrace(t)
			if tt.name != "sample" {
				tr = openTrace(t, shared.File(t, "captures/am243x-r5f-etmv3-"+tt.name), 0x10)
			}
			d := tr.decodeStream(t, tr.stream(wholePieces), decodeOptions{blocks: true})
			var rows, failed, unknown int64
			counts, covered := d.counts(t), 0
			for _, c := range counts {
				rows, failed, unknown = rows+c.executed+c.failed+c.unknown, failed+c.failed, unknown+c.unknown
				if c.executed+c.unknown > 0 {
					covered++
				}
			}
			if rows != tt.rows || failed != tt.failed || unknown != tt.unknown {
				t.Errorf("%d rows, %d failed, %d unknown, want %d, %d, %d", rows, failed, unknown, tt.rows, tt.failed, tt.unknown)
			}
			if len(counts) != tt.instructions || covered != tt.covered {
				t.Errorf("%d instructions, %d covered, want %d, %d", len(counts), covered, tt.instructions, tt.covered)
			}
			var edges, calls rowSum
			for e, c := range d.edges(t) {
				if e.kind != "exception" && e.kind != "exception_return" {
					edges.add(c.n)
				}
				if (e.kind == "call" || e.kind == "indirect_call") && e.outcome != "not_taken" {
					calls.add(c.n)
				}
			}
			if edges.String() != tt.edges || calls.String() != tt.calls {
				t.Errorf("edges %s, calls %s, want %s, %s", edges, calls, tt.edges, tt.calls)
			}
		})
	}
}

// A rowSum is rows and the sum of their n.
type rowSum struct{ rows, n int64 }

func (f *rowSum) add(n int64) { f.rows, f.n = f.rows+1, f.n+n }

func (f rowSum) String() string { return fmt.Sprintf("%d / %d", f.rows, f.n) }

// At level none the files are those of level instructions but for that table and `cycle_counts`.
func TestLevelNone(t *testing.T) {
	inputs := map[string]string{"sample": sampleSnapshot(t)}
	if path, ok := shared.Find(t, "captures/opencsd-TC2"); ok {
		inputs["TC2"] = path
	}
	for name, path := range inputs {
		for _, format := range []schema.Format{schema.Parquet, schema.Arrow} {
			var files [2]map[string]string
			for i, level := range []schema.Level{schema.LevelInstructions, schema.LevelNone} {
				files[i] = exportedFiles(t, path, Options{Level: level, Format: format, Workers: 1 + i})
				maps.DeleteFunc(files[i], func(path, _ string) bool {
					return path == schema.ManifestFile || path == schema.ViewsFile || i == 0 && (strings.HasPrefix(path, "instructions/") || strings.HasPrefix(path, "cycle_counts/"))
				})
			}
			if !maps.Equal(files[0], files[1]) {
				t.Errorf("%s, %s: %v, want %v", name, format, files[1], files[0])
			}
		}
	}
}

// The files of counts and edges are the same at all levels, for any number of
// workers.
func TestCountsFilesAreTheSame(t *testing.T) {
	t.Parallel()
	inputs := map[string]string{"sample": sampleSnapshot(t)}
	for _, name := range []string{"am243x-r5f-etmv3-threadx-ce42d22", "opencsd-TC2"} {
		if path, ok := shared.Find(t, "captures/"+name); ok {
			inputs[name] = path
		}
	}
	for name, path := range inputs {
		var want map[string]string
		for _, level := range schema.Levels() {
			for _, workers := range []int{1, 2, 5} {
				// Whatever tables are named, counts and edges are written.
				got := exportedFiles(t, path, Options{Level: level, Workers: workers, Tables: []*schema.Table{&schema.Timestamps}})
				maps.DeleteFunc(got, func(path, _ string) bool {
					return !strings.HasPrefix(path, "counts/") && !strings.HasPrefix(path, "edges/")
				})
				if want == nil {
					want = got
				}
				if len(got) < 2 || !maps.Equal(got, want) {
					t.Errorf("%s, level %s, %d workers: %v, want %v", name, level, workers, got, want)
				}
			}
		}
	}
}
