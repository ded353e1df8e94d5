package dataset_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/internal/small"
)

// Row groups are to be had of Parquet whose parts are as they were written.
func TestRowGroups(t *testing.T) {
	for _, tt := range []struct {
		name   string
		format schema.Format
		change func(path string) error
		ok     bool
	}{
		{"as it was written", schema.Parquet, func(string) error { return nil }, true},
		{"in Arrow", schema.Arrow, func(string) error { return nil }, false},
		{"a part is gone", schema.Parquet, os.Remove, false},
		{"a part is another file", schema.Parquet, func(path string) error { return os.WriteFile(path, []byte("PAR1"), 0o600) }, false},
	} {
		s := small.New()
		s.Options.Format = tt.format
		dir := s.Write(t)
		d, err := dataset.Open(dir)
		check(t, err)
		defer d.Close()
		check(t, tt.change(filepath.Join(dir, "losses", "10-00000."+tt.format.String())))
		g, ok := d.RowGroups(&schema.Losses, 0x10)
		if ok != tt.ok || ok != (g.Len() > 0) {
			t.Errorf("%s: %v, %d row groups", tt.name, ok, g.Len())
		}
		for i := range g.Len() {
			chunks, err := g.Read(i)
			check(t, err)
			if chunks.Rows() != d.Rows(&schema.Losses) {
				t.Errorf("%s: %d rows, want %d", tt.name, chunks.Rows(), d.Rows(&schema.Losses))
			}
		}
		check(t, g.Close())
	}
}
