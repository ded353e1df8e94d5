package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/tracelake/tracelake/schema"
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
}

// Check reads all of a dataset: the list of its files, their sizes and SHA-256,
// the manifest's own, all rows, and whether rows, segments, losses and sources
// add up. It fails with an [*Error] if there is no dataset in dir, or one that
// this program does not know. Progress, if not nil, is called now and then with the
// bytes that are checked: each is read twice, as a byte and as part of a row.
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
		dataset: d, listed: map[string]bool{schema.ManifestFile: true}, sums: map[series]*sum{}, answers: newAnswers(), progress: progress,
	}
	for _, files := range d.Manifest.Tables {
		c.total += 2 * files.Bytes
	}
	for _, step := range []func(context.Context) error{c.checkParts, c.checkUnknown, c.checkViews, c.checkSums, c.checkStrangers} {
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
	listed  map[string]bool // the paths of files of the dataset
	sums    map[series]*sum
	answers *answers

	progress    func(done, total int64)
	done, total int64
}

// advance reports that n more bytes are checked.
func (c *checker) advance(n int64) {
	c.done += n
	if c.progress != nil {
		c.progress(c.done, c.total)
	}
}

// note adds the problem that an [*Error] reports, and returns any other error.
func (c *checker) note(err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	c.report.Problems = append(c.report.Problems, e)
	return nil
}

// checkParts checks and reads all parts. Rows of a series are read only if all
// of its bytes are as they were written.
func (c *checker) checkParts(ctx context.Context) error {
	for _, t := range c.dataset.tables() {
		c.report.Tables++
		damaged := len(c.report.Problems)
		for _, p := range c.dataset.Manifest.Tables[t.Name].Parts {
			if err := c.checkPart(ctx, t, p); err != nil {
				return err
			}
		}
		if len(c.report.Problems) > damaged {
			continue
		}
		for _, source := range c.dataset.Sources(t) {
			if err := c.note(c.readRows(ctx, t, source)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *checker) checkPart(ctx context.Context, t *schema.Table, p schema.PartFile) error {
	if err := c.dataset.addPart(t, p); err != nil {
		c.listed[p.Path] = true
		return c.note(err)
	}
	return c.checkFile(ctx, schema.FileSum{Path: p.Path, Bytes: p.Bytes, SHA256: p.SHA256})
}

// checkUnknown checks the files of tables that this program does not know. Their
// rows it cannot read.
func (c *checker) checkUnknown(ctx context.Context) error {
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
			if err := c.checkFile(ctx, schema.FileSum{Path: p.Path, Bytes: p.Bytes, SHA256: p.SHA256}); err != nil {
				return err
			}
		}
		if sum.Rows != f.Rows || sum.Bytes != f.Bytes {
			c.wrong(schema.ManifestFile, wrongFiles(name, f, sum))
		}
		c.report.Unchecked = append(c.report.Unchecked, "the rows of "+name+", which this program does not know: a later one wrote them")
	}
	return nil
}

// checkFile checks size and hash of a file.
func (c *checker) checkFile(ctx context.Context, want schema.FileSum) error {
	c.listed[want.Path] = true
	f, err := c.dataset.root.Open(want.Path)
	if err != nil {
		return c.note(c.dataset.damaged(want.Path, "is missing: "+err.Error()))
	}
	defer f.Close()
	c.report.Files++
	c.report.Bytes += want.Bytes
	return c.note(c.dataset.checkBytes(checkedReader{contextReader{ctx, f}, c}, want))
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
		return d.damaged(want.Path, fmt.Sprintf("is not as it was written: its SHA-256 is %s, the manifest says %s", sum, want.SHA256))
	}
	return nil
}

// A contextReader reads until a context is done.
type contextReader struct {
	ctx context.Context
	io.Reader
}

func (r contextReader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}

// A checkedReader reads a file for a checker.
type checkedReader struct {
	io.Reader
	checker *checker
}

func (r checkedReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.checker.advance(int64(n))
	return n, err
}

// readRows reads the rows of a source, and sums them up.
func (c *checker) readRows(ctx context.Context, t *schema.Table, source uint8) error {
	r := c.dataset.Open(t, source)
	defer r.Close()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		c.addRows(b, source)
		c.answers.add(b, source, c.dataset)
		c.report.Rows += int64(b.Rows())
		if files := c.dataset.Manifest.Tables[t.Name]; files.Rows > 0 {
			c.advance(int64(float64(files.Bytes) * float64(b.Rows()) / float64(files.Rows)))
		}
	}
}

// checkViews checks views.sql, of which a manifest of version 1 has no hash.
func (c *checker) checkViews(ctx context.Context) error {
	if !c.dataset.sealed {
		c.listed[schema.ViewsFile] = true
		c.report.Unchecked = append(c.report.Unchecked, "manifest.json and views.sql: a manifest of version 1 has no hash of them")
		return nil
	}
	views := c.dataset.Manifest.Views
	if views == nil || views.Path != schema.ViewsFile {
		return c.note(c.dataset.damaged(schema.ManifestFile, "does not list "+schema.ViewsFile))
	}
	return c.checkFile(ctx, *views)
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
			File: filepath.Join(c.dataset.Dir, filepath.FromSlash(path)), Problem: "is no file of the dataset: the manifest does not list it",
			Remedy: "remove it, or export again",
		}
		c.report.Problems = append(c.report.Problems, problem)
		if e.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}
