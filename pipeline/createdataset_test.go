package pipeline

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/schema"
)

// Row by row, the same files come out as of an export, but for the hash of the
// capture in each: the row groups are cut where an export cuts them.
func TestCreateDatasetAsExport(t *testing.T) {
	capture := filepath.Join(t.TempDir(), "capture")
	check(t, sample.Extract(capture))
	for _, opt := range []Options{
		{Level: schema.LevelInstructions}, {Level: schema.LevelBlocks, Format: schema.Arrow, Codec: "zstd"}, {Level: schema.LevelInstructions, Tables: schema.Tables()},
	} {
		opt.Tool = schema.Tool{Name: "test"}
		exported := exportSample(t, capture, opt)
		from, err := OpenDataset(exported)
		check(t, err)
		dir := filepath.Join(t.TempDir(), "copy")
		out, err := CreateDataset(dir, DatasetOptions{Level: opt.Level, Format: opt.Format, Codec: opt.Codec, Tables: opt.Tables})
		check(t, err)
		for _, table := range schema.Tables() {
			for _, source := range from.Sources(table) {
				if table != &schema.Sources && table != &schema.Images {
					copyRows(t, out.Table(table, source), from.Open(table, source))
				}
			}
		}
		m := from.Manifest
		m.Tables, m.Totals, m.Format, m.Level, m.Codec, m.SchemaVersion = nil, schema.Totals{}, "", "", "", 0
		check(t, out.Close(&m))
		if v := verifyDirs(t, dir, exported); !v.Equal() {
			t.Errorf("%q", v.lines())
		}
		copied, err := OpenDataset(dir)
		check(t, err)
		// As large as the exported ones, but for the metadata.
		for name, files := range from.Manifest.Tables {
			got := copied.Manifest.Tables[name]
			if got.Rows != files.Rows || len(got.Parts) != len(files.Parts) || files.Bytes-got.Bytes < 60 || files.Bytes-got.Bytes > 500 {
				t.Errorf("%s: %+v\nexported %+v", name, got, files)
			}
			copied.Manifest.Tables[name] = files
		}
		got, err := json.Marshal(copied.Manifest)
		check(t, err)
		want, err := json.Marshal(from.Manifest)
		check(t, err)
		if string(got) != string(want) {
			t.Errorf("manifest\n%s\nexported\n%s", got, want)
		}
		for _, dirs := range [][2]string{{dir, exported}} {
			views, err := os.ReadFile(filepath.Join(dirs[0], schema.ViewsFile))
			check(t, err)
			want, err := os.ReadFile(filepath.Join(dirs[1], schema.ViewsFile))
			check(t, err)
			if string(views) != string(want) {
				t.Errorf("views.sql differs")
			}
		}
	}
}

// copyRows writes all rows of r, cell by cell.
func copyRows(t *testing.T, w *TableWriter, r *PartsReader) {
	t.Helper()
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		check(t, err)
		for i := range b.Rows() {
			row := w.Row()
			for c := range b.Columns {
				appendTo(row, &b.Columns[c], i)
			}
		}
	}
}

func appendTo(r *schema.Row, v *schema.Vector, i int) {
	nullable, ok := v.Column.Nullable, !v.Null(i)
	switch v.Column.Type {
	case schema.Uint8:
		if nullable {
			r.NullUint8(schema.Null[uint8]{V: v.U8[i], OK: ok})
		} else {
			r.Uint8(v.U8[i])
		}
	case schema.Enum:
		if nullable {
			r.NullEnum(schema.Null[uint8]{V: v.U8[i], OK: ok})
		} else {
			r.Enum(v.U8[i])
		}
	case schema.Bool:
		if nullable {
			r.NullBool(schema.Null[bool]{V: v.U8[i] == 1, OK: ok})
		} else {
			r.Bool(v.U8[i] == 1)
		}
	case schema.Uint16:
		if nullable {
			r.NullUint16(schema.Null[uint16]{V: v.U16[i], OK: ok})
		} else {
			r.Uint16(v.U16[i])
		}
	case schema.Uint32:
		if nullable {
			r.NullUint32(schema.Null[uint32]{V: v.U32[i], OK: ok})
		} else {
			r.Uint32(v.U32[i])
		}
	case schema.Int32:
		if nullable {
			r.NullInt32(schema.Null[int32]{V: int32(v.U32[i]), OK: ok})
		} else {
			r.Int32(int32(v.U32[i]))
		}
	case schema.Uint64:
		r.NullUint64(schema.Null[uint64]{V: v.U64[i], OK: ok})
	case schema.Int64:
		if nullable {
			r.NullInt64(schema.Null[int64]{V: int64(v.U64[i]), OK: ok})
		} else {
			r.Int64(int64(v.U64[i]))
		}
	case schema.String, schema.JSON:
		if nullable {
			r.NullString(v.Str[i])
		} else {
			r.String(v.Str[i])
		}
	case schema.Bytes:
		r.Bytes(slices.Clone(v.Bin[i]))
	}
}

// Row groups are cut by ordinal, whatever comes when.
func TestCreateDatasetRowGroups(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dataset")
	out, err := CreateDataset(dir, DatasetOptions{Level: schema.LevelBlocks})
	check(t, err)
	const rows = 2<<20 + 1<<16 + 5
	loss := schema.Loss{Bytes: 1}
	for i := range int64(rows) {
		loss.Offset = i
		fillLoss(out.Table(&schema.Losses, 0x13).Row(), &base{source: 0x13}, &loss)
		if i == 100 {
			fillLoss(out.Table(&schema.Losses, 0x14).Row(), &base{source: 0x14}, &loss)
		}
	}
	check(t, out.Close(&schema.Manifest{Sources: []schema.SourceTotals{{Source: 0x13, Status: "decoded", Unit: "bytes"}}}))
	for name, want := range map[string][]int64{"losses/13-00000.parquet": {1 << 20, 1 << 20, 1<<16 + 5}, "losses/14-00000.parquet": {1}, "events/13-00000.parquet": nil, "images/all-00000.parquet": nil} {
		f, err := os.Open(filepath.Join(dir, name))
		check(t, err)
		info, err := f.Stat()
		check(t, err)
		p, err := parquet.OpenFile(f, info.Size())
		check(t, err)
		var groups []int64
		for _, g := range p.RowGroups() {
			groups = append(groups, g.NumRows())
		}
		if !slices.Equal(groups, want) {
			t.Errorf("%s: row groups of %d, want %d", name, groups, want)
		}
		check(t, f.Close())
	}
}

// Nothing that looks like a dataset is left of one that was not completed.
func TestCreateDatasetAbandons(t *testing.T) {
	fill := func(dir string) *DatasetWriter {
		out, err := CreateDataset(dir, DatasetOptions{Level: schema.LevelInstructions})
		check(t, err)
		for range schema.RowGroupRows + 1 { // a row group is written before Close
			fillLoss(out.Table(&schema.Losses, 0x13).Row(), &base{source: 0x13}, &schema.Loss{Bytes: 1})
		}
		return out
	}
	dir := filepath.Join(t.TempDir(), "dataset")
	check(t, fill(dir).Abandon())
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%v", err)
	}

	out := fill(dir)
	check(t, os.WriteFile(filepath.Join(dir, stagingFolder, "images"), nil, 0o666)) // where a folder has to be
	if err := out.Close(&schema.Manifest{Images: []schema.ImageRegion{{}}}); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%v", err)
	}

	// An error while rows are written is told in the end.
	out, err := CreateDataset(dir, DatasetOptions{Level: schema.LevelInstructions})
	check(t, err)
	check(t, os.WriteFile(filepath.Join(dir, stagingFolder, "losses"), nil, 0o666))
	for range 2*schema.RowGroupRows + 1 {
		fillLoss(out.Table(&schema.Losses, 0x13).Row(), &base{source: 0x13}, &schema.Loss{Bytes: 1})
	}
	if err := out.Close(&schema.Manifest{}); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%v", err)
	}

	// What stands there already is not touched.
	full := smallDataset().write(t)
	if _, err := CreateDataset(full, DatasetOptions{Level: schema.LevelInstructions}); err == nil {
		t.Error("no error")
	} else if _, ok := errors.AsType[*ExistsError](err); !ok {
		t.Errorf("%v", err)
	}
	if _, err := OpenDataset(full); err != nil {
		t.Error(err)
	}
	check(t, func() error {
		out, err := CreateDataset(full, DatasetOptions{Level: schema.LevelInstructions, Overwrite: true})
		if err != nil {
			return err
		}
		return out.Close(&schema.Manifest{})
	}())
}
