package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/parquetfile"
)

// RowGroups are those of a table and source as they are encoded, for another dataset that has
// the same rows. Any number of goroutines may read them.
type RowGroups struct {
	files  []*os.File
	groups []rowGroup
}

// A rowGroup is one of a part.
type rowGroup struct {
	in *parquetfile.Groups
	i  int
}

// RowGroups opens the row groups of a table and source, of all parts; the caller closes them.
// ok says that there are any to be had: a dataset in Arrow has none, nor one of another version
// of the schema, nor a part that is not as it was written.
func (d *Dataset) RowGroups(t *schema.Table, source uint8) (g *RowGroups, ok bool) {
	g = &RowGroups{}
	if d.format != schema.Parquet || d.Manifest.SchemaVersion != schema.Version {
		return g, false
	}
	for i := range d.parts[t][source] {
		if err := g.add(d.root, t, &d.parts[t][source][i]); err != nil {
			_ = g.Close() // nothing was written to it
			return &RowGroups{}, false
		}
	}
	return g, true
}

// add adds the row groups of a part, which has to be the one that was written.
func (g *RowGroups) add(root *os.Root, t *schema.Table, p *schema.PartFile) error {
	f, err := root.Open(p.Path)
	if err != nil {
		return err
	}
	g.files = append(g.files, f)
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(f, p.Bytes)); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != p.SHA256 {
		return errors.New("is another file")
	}
	groups, err := parquetfile.OpenGroups(f, p.Bytes, t)
	if err != nil {
		return err
	}
	for i := range groups.Len() {
		g.groups = append(g.groups, rowGroup{groups, i})
	}
	return nil
}

// Len returns the number of row groups.
func (g *RowGroups) Len() int { return len(g.groups) }

// Read reads a row group.
func (g *RowGroups) Read(i int) (schema.Chunks, error) { return g.groups[i].in.Read(g.groups[i].i) }

// Close closes the files.
func (g *RowGroups) Close() error {
	var errs []error
	for _, f := range g.files {
		errs = append(errs, f.Close())
	}
	g.files = nil
	return errors.Join(errs...)
}
