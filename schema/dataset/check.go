package dataset

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/sidebyside"
)

// A Report is the result of the check of a dataset.
type Report struct {
	Tables, Files int
	Bytes, Rows   int64
	// Problems are empty if the dataset is as it was written. The worst are first:
	// damaged files, then sums, then files that do not belong there.
	Problems []*Error
	// Unchecked is what could not be checked, and why: a manifest of version 1 does
	// not have it, or this program does not know the table.
	Unchecked []string
	// Older says that the dataset is of an older schema version: of its files bytes alone are checked.
	Older bool
}

// Check reads all of a dataset: the list of its files, their sizes and SHA-256,
// the manifest's own, all rows (not of an older schema version), and whether rows, segments, losses and sources
// add up. Files are read side by side, and so are tables. It fails with an [*Error] if
// there is no dataset in dir, or one that this program does not know. Progress, if not
// nil, is called now and then, by one goroutine at a time, with the bytes that are
// checked: each is read twice, as a byte and as part of a row.
func Check(ctx context.Context, dir string, progress func(done, total int64)) (*Report, error) {
	d, err := openManifest(dir)
	if e, ok := errors.AsType[*Error](err); ok && e.Damaged {
		return &Report{Problems: []*Error{e}}, nil
	}
	if err != nil {
		return nil, err
	}
	defer d.Close()
	c := &checker{
		dataset: d, listed: map[string]bool{schema.ManifestFile: true}, damaged: map[string]bool{},
		progress: sidebyside.NewProgress(progress),
	}
	for _, files := range d.Manifest.Tables {
		c.progress.Announce(2 * files.Bytes)
	}
	c.listParts()
	c.listUnknown()
	c.listViews()
	for _, step := range []func(context.Context) error{c.checkFiles, c.readTables, c.checkSums, c.checkStrangers} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return &c.report, nil
}

// A checker checks one dataset.
type checker struct {
	dataset *Dataset
	report  Report
	files   []schema.FileSum // whose bytes are to be checked
	listed  map[string]bool  // the paths of files of the dataset
	damaged map[string]bool  // folders of tables whose rows cannot be read
	totals
	progress *sidebyside.Progress
}

// note adds the problem of a file that an [*Error] reports, and returns any other
// error.
func (c *checker) note(path string, err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	c.report.Problems = append(c.report.Problems, e)
	folder, _, _ := strings.Cut(path, "/")
	c.damaged[folder] = true
	return nil
}

// list adds a file whose bytes are to be checked.
func (c *checker) list(path string, bytes int64, sum string) {
	c.listed[path] = true
	c.files = append(c.files, schema.FileSum{Path: path, Bytes: bytes, SHA256: sum})
}

// listParts lists the parts of all tables.
func (c *checker) listParts() {
	for _, t := range c.dataset.tables() {
		c.report.Tables++
		for _, p := range c.dataset.Manifest.Tables[t.Name].Parts {
			if err := c.dataset.addPart(t, p); err == nil {
				c.list(p.Path, p.Bytes, p.SHA256)
			} else {
				c.listed[p.Path] = true
				c.report.Problems = append(c.report.Problems, err)
				c.damaged[t.Name] = true
			}
		}
	}
}

// listUnknown lists the parts of tables that this program does not know. Their rows
// it cannot read.
func (c *checker) listUnknown() {
	for _, name := range c.dataset.Unknown {
		c.report.Tables++
		f := c.dataset.Manifest.Tables[name]
		sum := schema.Files{Parts: f.Parts}
		for _, p := range f.Parts {
			folder, file, nested := strings.Cut(p.Path, "/")
			if !nested || folder != name || strings.Contains(file, "/") || !fs.ValidPath(p.Path) {
				c.wrong(schema.ManifestFile, fmt.Sprintf("names %q, which is no part of %s", p.Path, name))
				continue
			}
			sum.Rows, sum.Bytes = sum.Rows+p.Rows, sum.Bytes+p.Bytes
			c.list(p.Path, p.Bytes, p.SHA256)
		}
		if sum.Rows != f.Rows || sum.Bytes != f.Bytes {
			c.wrong(schema.ManifestFile, wrongFiles(name, f, sum))
		}
		if !c.dataset.Older() {
			c.report.Unchecked = append(c.report.Unchecked,
				"the rows of "+name+", which this program does not know: a later one wrote them")
		}
	}
	if c.report.Older = c.dataset.Older(); c.report.Older {
		c.report.Unchecked = append(c.report.Unchecked,
			fmt.Sprintf("rows: an older tracelake wrote them, of schema version %d", c.dataset.Manifest.SchemaVersion))
	}
}

// listViews lists views.sql, of which a manifest of version 1 has no hash.
func (c *checker) listViews() {
	views := c.dataset.Manifest.Views
	switch {
	case !c.dataset.sealed:
		c.listed[schema.ViewsFile] = true
		c.report.Unchecked = append(c.report.Unchecked,
			"manifest.json and views.sql: a manifest of version 1 has no hash of them")
	case views == nil || views.Path != schema.ViewsFile:
		c.wrong(schema.ManifestFile, "does not list "+schema.ViewsFile)
	default:
		c.list(views.Path, views.Bytes, views.SHA256)
	}
}

// checkFiles checks sizes and hashes of all files, side by side.
func (c *checker) checkFiles(ctx context.Context) error {
	problems := make([]error, len(c.files))
	err := sidebyside.Do(ctx, len(c.files), func(ctx context.Context, i int) error {
		problems[i] = c.checkFile(ctx, c.files[i])
		if _, ok := errors.AsType[*Error](problems[i]); ok {
			return nil
		}
		return problems[i]
	})
	if err != nil {
		return err
	}
	for i, f := range c.files {
		if problems[i] != nil {
			if err := c.note(f.Path, problems[i]); err != nil {
				return err
			}
		}
		c.report.Files++
		c.report.Bytes += f.Bytes
	}
	return nil
}

// checkFile checks size and hash of a file.
func (c *checker) checkFile(ctx context.Context, want schema.FileSum) error {
	f, err := c.dataset.root.Open(want.Path)
	if err != nil {
		return c.dataset.damaged(want.Path, "is missing: "+err.Error())
	}
	defer f.Close()
	return c.dataset.checkBytes(c.progress.Reader(ctx, f), want)
}

// checkBytes checks the bytes of a file.
func (d *Dataset) checkBytes(r io.Reader, want schema.FileSum) error {
	h := sha256.New()
	n, err := io.Copy(h, r)
	switch sum := hex.EncodeToString(h.Sum(nil)); {
	case err != nil:
		return fmt.Errorf("read %s: %w", filepath.Join(d.Dir, want.Path), err)
	case n != want.Bytes:
		return d.damaged(want.Path, fmt.Sprintf("has %d bytes, the manifest says %d", n, want.Bytes))
	case sum != want.SHA256:
		return d.damaged(want.Path, fmt.Sprintf("is not as it was written: its SHA-256 is %s, the manifest says %s", sum,
			want.SHA256))
	}
	return nil
}

// readTables reads the rows of all tables whose bytes are as they were written, side by
// side, and sums them up.
func (c *checker) readTables(ctx context.Context) error {
	tables := slices.DeleteFunc(c.dataset.tables(), func(t *schema.Table) bool { return c.damaged[t.Name] })
	sums := make([]totals, len(tables))
	problems := make([]*Error, len(tables))
	err := sidebyside.Do(ctx, len(tables), func(ctx context.Context, i int) error {
		sums[i] = newTotals()
		for _, source := range c.dataset.Sources(tables[i]) {
			err := c.readRows(ctx, &sums[i], tables[i], source)
			if e, ok := errors.AsType[*Error](err); ok {
				problems[i] = e
			} else if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.totals = newTotals()
	for i := range tables {
		c.merge(&sums[i])
		if problems[i] != nil {
			c.report.Problems = append(c.report.Problems, problems[i])
		}
	}
	return nil
}

// readRows reads the rows of a table and source, and adds them to totals.
func (c *checker) readRows(ctx context.Context, to *totals, t *schema.Table, source uint8) error {
	for b, err := range c.dataset.BatchesOf(t, source) {
		if err := cmp.Or(ctx.Err(), err); err != nil {
			return err
		}
		to.addRows(b, source)
		to.answers.add(b, source, c.dataset)
		if files := c.dataset.Manifest.Tables[t.Name]; files.Rows > 0 {
			c.progress.Advance(int64(float64(files.Bytes) * float64(b.Rows()) / float64(files.Rows)))
		}
	}
	return nil
}

// checkStrangers looks for files that the manifest does not list.
func (c *checker) checkStrangers(ctx context.Context) error {
	folders := map[string]bool{".": true}
	for path := range c.listed {
		folder, _, _ := strings.Cut(path, "/")
		folders[folder] = true
	}
	return fs.WalkDir(c.dataset.root.FS(), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if c.listed[path] || e.IsDir() && folders[path] {
			return nil
		}
		problem := &Error{
			File:    filepath.Join(c.dataset.Dir, filepath.FromSlash(path)),
			Problem: "is no file of the dataset: the manifest does not list it",
			Remedy:  "remove it, or export again",
		}
		c.report.Problems = append(c.report.Problems, problem)
		if e.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}
