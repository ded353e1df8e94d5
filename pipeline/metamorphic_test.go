package pipeline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/decode/etmv3"
	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/schema"
)

// Metamorphic tests change a capture in ways that change no row, or only values
// that count from where a decode starts (docs/data-flow.md, What is relative).

// A decode that starts at any A-sync has the rows that the whole decode has from
// the I-sync after that A-sync.
func TestTails(t *testing.T) {
	need.FullRun(t, oneWorker)
	asyncs := map[string]int{"sample": 57, "opencsd-trace_cov_a15": 1, "opencsd-tc2-ptm-rstk-t32": 27, "opencsd-TC2": 5}
	for _, tr := range withSynth(t, pftTraces(t), synthTails) {
		t.Run(tr.name, func(t *testing.T) {
			whole := tr.decode(t)
			ends := tr.asyncs()
			if want := asyncs[tr.name]; want != 0 && len(ends) != want {
				t.Errorf("%d A-syncs, want %d", len(ends), want)
			}
			each := need.Size(1+len(ends)/10, 1)
			for i, end := range ends {
				if i%each != 0 {
					continue
				}
				start := end - 6
				tail := tr.from(start).decode(t)
				tail.checkAccounts(t, len(tr.data)-start)
				if tail.rows(&schema.Segments) == 0 {
					cuts := whole.integers(&schema.Segments, "byte_offset")
					if tr.position(cuts[len(cuts)-1]) > start {
						t.Fatalf("no cut after the A-sync at %d", start)
					}
					continue // the stream ends before its I-sync
				}
				got := tail.from(0)
				k := whole.segmentAt(got.firstOffset())
				if k < 0 {
					t.Fatalf("the whole decode has no cut at %d, after the A-sync at %d", got.firstOffset(), start)
				}
				rows := sameSegments(t, whole.from(k), got, tr.protocol.TimestampCode(), same, noPast)
				if rows == 0 || t.Failed() {
					t.Fatalf("from the A-sync at %d: %d rows compared", start, rows)
				}
			}
		})
	}
}

func same(offset int64) int64 { return offset }

// Rows do not depend on the pieces a stream comes in, on how it is cut into
// units and parts, or on the number of workers.
func TestPiecesAndGrains(t *testing.T) {
	t.Parallel()
	small := engine.Grain{Unit: 1, Part: 32, Chunk: 64}
	for _, tr := range moreTraces(t) {
		t.Run(tr.name, func(t *testing.T) {
			want := tr.decode(t)
			want.checkAccounts(t, len(tr.data))
			for _, tt := range []struct {
				piece int
				opt   decodeOptions
			}{
				{1, decodeOptions{}},
				{7, decodeOptions{workers: 2}},
				{1000, decodeOptions{workers: 7}},
				{wholePieces, decodeOptions{workers: 3, grain: small}},
				{1, decodeOptions{grain: small}},
				{7, decodeOptions{workers: 2, grain: engine.Grain{Unit: 100, Part: 33, Chunk: 1}}},
				{1000, decodeOptions{workers: 7, grain: engine.Grain{Unit: 1, Part: 1 << 20, Chunk: 1000}}},
				{wholePieces, decodeOptions{workers: 2, grain: engine.Grain{Unit: 3000, Part: 1001, Chunk: 1 << 20}}},
			} {
				if got := sameRows(t, want, tr.decodeStream(t, tr.stream(tt.piece), tt.opt), nil); got == 0 || t.Failed() {
					t.Fatalf("with pieces of %d, %+v", tt.piece, tt.opt)
				}
				if testing.Short() || tr.few() {
					break
				}
			}
		})
	}
}

// Bytes in front of a stream move offsets, and are a loss.
func TestGarbageInFront(t *testing.T) {
	need.FullRun(t, oneWorker)
	for _, tr := range moreTraces(t) {
		t.Run(tr.name, func(t *testing.T) {
			want := tr.decode(t)
			r := rand.New(rand.NewPCG(1, 0))
			lengths := []int{1, 4, 100, 5000}
			if tr.few() {
				lengths = lengths[2:3]
			}
			for _, n := range lengths {
				var garbage []byte
				for range n {
					garbage = append(garbage, byte(1+r.IntN(0xff)))
				}
				noisy := tr.with(slices.Concat(garbage, tr.data))
				got := noisy.decode(t)
				got.checkAccounts(t, len(noisy.data))
				moved := func(offset int64) int64 { return int64(n + tr.position(offset)) }
				rows := sameSegments(t, want.from(0), got.from(0), tr.protocol.TimestampCode(), moved, noPast)
				lost := integer(got.column(&schema.Losses, "bytes"), 0) - integer(want.column(&schema.Losses, "bytes"), 0)
				if rows == 0 || lost != int64(n) || got.totals.Losses != want.totals.Losses {
					t.Errorf("%d bytes of garbage: %d rows compared, %d bytes more in the first loss", n, rows, lost)
				}
			}
		})
	}
}

// Raw, in frames, in frames between other sources, or from a trace port: the
// same rows.
func TestFraming(t *testing.T) {
	need.FullRun(t, oneWorker)
	const id, other = 0x2a, 0x15
	for _, tr := range moreTraces(t) {
		want := tr.decode(t)
		for _, tt := range []struct {
			name        string
			port        int // FSYNC before every so many frames; 0: memory
			interleaved bool
		}{
			{"alone", 0, false},
			{"interleaved", 0, true},
			{"trace port", 5, true},
		} {
			t.Run(tr.name+"/"+tt.name, func(t *testing.T) {
				var buffer bytes.Buffer
				w, layout := frame.NewWriter(&buffer), frame.Layout{}
				if tt.port > 0 {
					w, layout.Sync = frame.NewPortWriter(&buffer, tt.port), true
				}
				var placed []decode.CaptureOffset
				w.Placed = func(of uint8, offset decode.CaptureOffset) {
					if of == id {
						placed = append(placed, offset)
					}
				}
				r := rand.New(rand.NewPCG(2, 0))
				for data := tr.data; len(data) > 0; {
					n := len(data)
					if tt.interleaved {
						n = min(n, 1+r.IntN(40))
						if err := w.Write(other, bytes.Repeat([]byte{0, 0, 0, 0, 0, 0x80, 8}, 1+r.IntN(5))); err != nil {
							t.Fatal(err)
						}
					}
					if err := w.Write(id, data[:n]); err != nil {
						t.Fatal(err)
					}
					data = data[n:]
				}
				if err := w.Flush(); err != nil {
					t.Fatal(err)
				}
				got := tr.decodeStream(t, frame.NewReader(bytes.NewReader(buffer.Bytes()), int64(buffer.Len()), layout, id), decodeOptions{workers: 2})
				rows := sameRows(t, want, got, func(offset int64) int64 { return int64(placed[tr.position(offset)]) })
				if rows == 0 {
					t.Error("no rows compared")
				}
			})
		}
	}
}

// The rows of `blocks`, put out instruction by instruction, are those of
// `instructions`.
func TestBlocksAreInstructions(t *testing.T) {
	t.Parallel()
	for _, tr := range moreTraces(t) {
		t.Run(tr.name, func(t *testing.T) {
			if tr.few() {
				need.FullRun(t, "a long capture")
			}
			flat := tr.decode(t)
			d := tr.decodeStream(t, tr.stream(wholePieces), decodeOptions{blocks: true, workers: 2})
			d.checkAccounts(t, len(tr.data))
			got := d.flatten(t)
			want := flat.tables[schema.Instructions.Name]
			if _, costs := tr.protocol.(*etmv3.Config); costs {
				flat.sumCycles(d)
			}
			if got.Rows() != want.Rows() || got.Rows()+d.rows(&schema.DataAccesses) == 0 {
				t.Fatalf("%d rows of instructions, want %d", got.Rows(), want.Rows())
			}
			both := [2]*decodedTables{{tables: map[string]*schema.Batch{schema.Instructions.Name: want}}, {tables: map[string]*schema.Batch{schema.Instructions.Name: got}}}
			if i, column := firstDifference(both[0], both[1], &schema.Instructions, nil); i >= 0 {
				t.Errorf("row %d differs in %s:\n got %s\nwant %s", i, column, both[1].rowText(&schema.Instructions, i), both[0].rowText(&schema.Instructions, i))
			}
			for name := range flat.tables {
				if name == schema.Instructions.Name {
					continue
				}
				if i, column := firstDifference(flat, d, tableOf(t, name), nil); i >= 0 || flat.rows(tableOf(t, name)) != d.rows(tableOf(t, name)) {
					t.Errorf("%s differs in row %d, %s", name, i, column)
				}
			}
		})
	}
}

// sumCycles replaces the cycles of instructions by their sum at the last one of
// each run of blocks: the level `blocks` does not have the cycles of each.
func (d *decodedTables) sumCycles(blocks *decodedTables) {
	cycles, cycle := d.column(&schema.Instructions, "cycles"), d.column(&schema.Instructions, "cycle")
	i := 0
	for _, n := range blocks.integers(&schema.Blocks, "instructions") {
		last := i + int(n) - 1
		for ; i < last; i++ {
			cycles.U32[last] += cycles.U32[i]
			cycles.U32[i], cycles.Valid[i] = 0, 0
			cycle.U64[i], cycle.Valid[i] = 0, 0
		}
		i++
	}
}

// flatten makes rows of instructions of the rows of blocks and code_blocks, as
// docs/tables.md describes them.
func (d *decodedTables) flatten(t testing.TB) *schema.Batch {
	t.Helper()
	type place struct{ block, position int64 }
	code := map[place]int{}
	blocks, positions := d.integers(&schema.CodeBlocks, "code_block"), d.integers(&schema.CodeBlocks, "position")
	for i := range blocks {
		code[place{blocks[i], positions[i]}] = i
	}
	out := schema.NewBatch(&schema.Instructions)
	in := d.tables[schema.Blocks.Name]
	first, count := d.integers(&schema.Blocks, "first"), d.integers(&schema.Blocks, "instructions")
	number := d.integers(&schema.Blocks, "code_block")
	failed, outcome := d.column(&schema.Blocks, "failed"), d.column(&schema.Blocks, "outcome")
	for b := range in.Rows() {
		for k := range count[b] {
			at, ok := code[place{number[b], first[b] + k}]
			if !ok {
				t.Fatalf("code block %d has no position %d", number[b], first[b]+k)
			}
			last := k == count[b]-1
			for c := range out.Columns {
				v := &out.Columns[c]
				switch name := v.Column.Name; name {
				case "address", "size", "isa", "opcode", "kind":
					copyCell(v, d.column(&schema.CodeBlocks, name), at)
				case "seq":
					v.U64 = append(v.U64, in.Columns[c].U64[b]+uint64(k))
				case "executed":
					executed := schema.Null[uint8]{}
					switch {
					case last:
						executed.V, executed.OK = executedOf(cellText(outcome, b))
					case !null(failed, b):
						executed = schema.Of(uint8(failed.U64[b]>>k&1 ^ 1))
					}
					v.U8 = append(v.U8, executed.V)
					v.Valid = append(v.Valid, validity(executed.OK))
				case "cycles", "cycle":
					if last {
						copyCell(v, d.column(&schema.Blocks, name), b)
						continue
					}
					if v.Column.Type == schema.Uint32 {
						v.U32 = append(v.U32, 0)
					} else {
						v.U64 = append(v.U64, 0)
					}
					v.Valid = append(v.Valid, 0)
				default:
					copyCell(v, d.column(&schema.Blocks, name), b)
				}
			}
		}
	}
	return out
}

// executedOf is what `outcome` says of the last instruction of a run.
func executedOf(outcome string) (executed uint8, known bool) {
	switch outcome {
	case "taken", "passed":
		return 1, true
	case "not_taken":
		return 0, true
	}
	return 0, false
}

func validity(ok bool) uint8 {
	if ok {
		return 1
	}
	return 0
}

// copyCell appends a value to a column of the same type.
func copyCell(v, from *schema.Vector, i int) {
	switch v.Column.Type {
	case schema.Uint8, schema.Bool, schema.Enum:
		v.U8 = append(v.U8, from.U8[i])
	case schema.Uint32, schema.Int32:
		v.U32 = append(v.U32, from.U32[i])
	case schema.Uint63, schema.Uint64, schema.Int64, schema.Float64:
		v.U64 = append(v.U64, from.U64[i])
	case schema.Uint16, schema.String, schema.JSON, schema.Bytes:
		panic("no such column in instructions")
	}
	if v.Column.Nullable {
		v.Valid = append(v.Valid, from.Valid[i])
	}
}

// Every file of an export is the same for any number of workers, and so is the
// manifest but for what it says of the run.
func TestExportIsTheSameForAnyWorkers(t *testing.T) {
	type namedInput struct{ name, path string }
	inputs := []namedInput{{"sample", sampleSnapshot(t)}, {"synth", synthSnapshot(t)}}
	for _, c := range pftCaptures {
		if path, ok := shared.Find(t, "captures/"+c.name); ok {
			inputs = append(inputs, namedInput{c.name, path})
		}
	}
	const framed = "am243x-r5f-etmv3-freertos-002b37c"
	if path, ok := shared.Find(t, "captures/"+framed); ok {
		inputs = append(inputs, namedInput{framed, path})
	}
	for i, input := range inputs {
		for _, level := range []schema.Level{schema.LevelInstructions, schema.LevelBlocks} {
			for _, format := range []schema.Format{schema.Parquet, schema.Arrow} {
				if testing.Short() && (i > 0 || format == schema.Parquet) {
					continue
				}
				if i > 1 && !need.Long() && (level == schema.LevelInstructions || format == schema.Parquet) {
					continue // bench/tools/same holds one worker against three, in all four
				}
				t.Run(fmt.Sprintf("%s/%s/%s", input.name, level, format), func(t *testing.T) {
					want := exportedFiles(t, input.path, Options{Level: level, Format: format, Tables: schema.Tables(), Workers: 1})
					for _, workers := range []int{2, 7} {
						got := exportedFiles(t, input.path, Options{Level: level, Format: format, Tables: schema.Tables(), Workers: workers})
						if diff := cmp.Diff(want, got); diff != "" {
							t.Errorf("%d workers: files differ (-1 worker, +%d workers):\n%s", workers, workers, diff)
						}
					}
				})
			}
		}
	}
}

// exportedFiles returns the hashes of the files of an export by path. That of
// the manifest leaves out its block `run`.
func exportedFiles(t *testing.T, input string, opt Options) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dataset")
	opt.Run.Workers = opt.Workers
	if _, err := Export(context.Background(), input, dir, opt); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, path))
		if path == schema.ManifestFile && err == nil {
			content = withoutRun(t, content)
		}
		sum := sha256.Sum256(content)
		files[path] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Fatalf("only %d files in the dataset: %v", len(files), files)
	}
	return files
}

// withoutRun returns a manifest without what may differ between two exports of one
// input: the block run, and the hash that covers it.
func withoutRun(t *testing.T, manifest []byte) []byte {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(manifest, &m); err != nil {
		t.Fatal(err)
	}
	if m["run"] == nil {
		t.Fatal("the manifest has no block run")
	}
	delete(m, "run")
	delete(m, "manifest_sha256")
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
