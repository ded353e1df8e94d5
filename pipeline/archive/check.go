package archive

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Check reads all of an archive: the hash of each file, the list of files, what the
// packed files hold, the images, and the dataset as [dataset.Check] does, whose report
// it returns with its own findings first. It fails if there is no archive in dir that
// this program knows. Progress, if not nil, is called as that of [dataset.Check].
func Check(ctx context.Context, dir string, progress func(done, total int64)) (*dataset.Report, error) {
	report := &dataset.Report{}
	a, err := Open(dir)
	if e, ok := errors.AsType[*dataset.Error](err); ok && e.Damaged {
		report.Problems = append(report.Problems, e)
		return report, nil
	}
	if err != nil {
		return nil, err
	}
	defer a.Close()
	c := &checker{Archive: a, ctx: ctx, report: report, listed: map[string]string{}}
	for _, step := range []func() error{c.readSums, c.checkFiles, c.checkContents, c.checkImages} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	d, err := dataset.Check(ctx, filepath.Join(dir, schema.ArchiveDataset), progress)
	if e, ok := errors.AsType[*dataset.Error](err); ok {
		report.Problems = append(report.Problems, e)
		return report, nil
	}
	if err != nil {
		return nil, err
	}
	report.Tables, report.Rows = d.Tables, d.Rows
	report.Problems, report.Unchecked = append(report.Problems, d.Problems...), append(report.Unchecked, d.Unchecked...)
	return report, nil
}

// A checker checks one archive.
type checker struct {
	*Archive
	ctx    context.Context // that of one call of Check
	report *dataset.Report
	listed map[string]string // SHA-256 of files, by path
}

// wrong adds a problem.
func (c *checker) wrong(path, problem string) {
	c.report.Problems = append(c.report.Problems, damaged(c.Dir, path, problem))
}

// note adds the problem that a [*dataset.Error] reports, and returns any other error.
func (c *checker) note(err error) error {
	if e, ok := errors.AsType[*dataset.Error](err); ok {
		c.report.Problems = append(c.report.Problems, e)
		return nil
	}
	return err
}

// maxSums is the most bytes of the file of hashes that are read.
const maxSums = 64 << 20

// readSums reads the file of hashes.
func (c *checker) readSums() error {
	f, err := openRegular(c.root, SumsFile)
	if err != nil {
		return c.note(wrong(c.Dir, SumsFile, err))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSums+1))
	if err != nil {
		return fmt.Errorf("read %s: %w", filepath.Join(c.Dir, SumsFile), err)
	}
	if len(text) > maxSums || !bytes.HasSuffix(text, []byte("\n")) {
		c.wrong(SumsFile, "is cut off or too long")
	}
	c.listed[SumsFile] = ""
	c.report.Files++
	c.report.Bytes += int64(len(text))
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		sum, name, ok := strings.Cut(lines.Text(), "  ")
		_, twice := c.listed[name]
		if !ok || !isSum(sum) || !fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) || twice {
			c.wrong(SumsFile, fmt.Sprintf("line %d is no hash of a file of the archive", n))
			continue
		}
		c.listed[name] = sum
	}
	if lines.Err() != nil {
		c.wrong(SumsFile, "has a line that is too long")
	}
	return nil
}

// checkFiles checks the hash of every file, and that none is missing or not listed.
func (c *checker) checkFiles() error {
	found := map[string]bool{}
	err := fs.WalkDir(c.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		found[name] = true
		sum, listed := c.listed[name]
		if !listed {
			c.wrong(name, "is no file of the archive: "+SumsFile+" does not list it")
			return nil
		}
		if name == SumsFile {
			return nil
		}
		f, err := openRegular(c.root, name)
		if err != nil {
			return c.note(wrong(c.Dir, name, err))
		}
		defer f.Close()
		n, err := c.checkSum(name, f, sum)
		c.report.Files++
		c.report.Bytes += n
		return err
	})
	if err != nil {
		return fmt.Errorf("read %s: %w", c.Dir, err)
	}
	for _, name := range sorted(c.listed) {
		if !found[name] {
			c.wrong(name, "is missing")
		}
	}
	return nil
}

func sorted(m map[string]string) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// checkSum reads a file and compares its hash.
func (c *checker) checkSum(name string, r io.Reader, want string) (int64, error) {
	h := sha256.New()
	n, err := io.Copy(h, contextReader{c.ctx, r})
	if err != nil {
		return n, c.note(err)
	}
	if sum := hex.EncodeToString(h.Sum(nil)); sum != want {
		c.wrong(name, "is not as it was written: its SHA-256 is "+sum+", and should be "+want)
	}
	return n, nil
}

// checkContents checks what packed files hold. Of a file that was changed that is
// not known: see the problems before.
func (c *checker) checkContents() error {
	for i := range c.Index.Files {
		f := &c.Index.Files[i]
		if f.Path == "" {
			continue
		}
		if _, ok := c.listed[f.Path]; !ok {
			c.wrong(schema.ArchiveFile, fmt.Sprintf("names %q, which %s does not list", f.Path, SumsFile))
			continue
		}
		file, size, err := c.Open(f.Name)
		if err == nil {
			_, err = c.checkSum(f.Path+" unpacked", io.NewSectionReader(file, 0, size), f.SHA256)
			file.Close()
		}
		if err := c.note(err); err != nil {
			return err
		}
	}
	return nil
}

// checkImages checks images, which other archives may share. One that is not there is
// no damage: it was left out, or is to come.
func (c *checker) checkImages() error {
	checked := map[string]bool{}
	for i := range c.Index.Files {
		f := &c.Index.Files[i]
		if f.Path != "" || checked[f.SHA256] {
			continue
		}
		checked[f.SHA256] = true
		file, size, err := c.openImage(f.SHA256)
		name := path.Join(c.Index.Images, f.SHA256)
		if errors.Is(err, fs.ErrNotExist) {
			c.report.Unchecked = append(c.report.Unchecked, fmt.Sprintf("%s (%s), which is not in the archive", f.Name, f.SHA256))
			continue
		}
		if err == nil {
			_, err = c.checkSum(name, io.NewSectionReader(file, 0, size), f.SHA256)
			file.Close()
		}
		if err := c.note(err); err != nil {
			return err
		}
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
