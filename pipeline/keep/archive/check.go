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
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/sidebyside"
)

// Check reads all of an archive: the hash of each file, the list of files, what the
// packed files hold, the images, and the dataset as [dataset.Check] does, whose report
// it returns with its own findings first. Files are read side by side. It fails if there
// is no archive in dir that this program knows. Images are as in [Open]. Progress, if not nil, is called now and
// then, by one goroutine at a time, with the bytes that are checked, of packed files
// those that they hold as well.
func Check(ctx context.Context, dir, images string, progress func(done, total int64)) (*dataset.Report, error) {
	report := &dataset.Report{}
	a, err := Open(dir, images)
	if e, ok := errors.AsType[*dataset.Error](err); ok && e.Damaged {
		report.Problems = append(report.Problems, e)
		return report, nil
	}
	if err != nil {
		return nil, err
	}
	defer a.Close()
	c := &checker{Archive: a, report: report, listed: map[string]string{}, progress: sidebyside.NewProgress(progress)}
	for _, step := range []func() error{c.readSums, c.listFiles, c.listContents, c.listImages} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	if err := c.checkItems(ctx); err != nil {
		return nil, err
	}
	return report, c.checkDataset(ctx)
}

// A checker checks one archive.
type checker struct {
	*Archive
	report *dataset.Report
	listed map[string]string // SHA-256 of files, by path
	items  []item

	progress *sidebyside.Progress
}

// An item is bytes whose hash is known.
type item struct {
	path string // of what a problem is reported
	sum  string
	open func() (capture.File, int64, error)
}

// add adds bytes to be checked; size is about how many.
func (c *checker) add(path, sum string, size int64, open func() (capture.File, int64, error)) {
	c.items = append(c.items, item{path, sum, open})
	c.progress.Announce(size)
}

// wrong adds a problem.
func (c *checker) wrong(path, problem string) {
	c.report.Problems = append(c.report.Problems, damaged(c.Dir, path, problem))
}

// maxSums is the most bytes of the file of hashes that are read.
const maxSums = 64 << 20

// readSums reads the file of hashes.
func (c *checker) readSums() error {
	f, err := openRegular(c.root, SumsFile)
	if err != nil {
		c.report.Problems = append(c.report.Problems, wrong(c.Dir, SumsFile, err))
		return nil
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

// listFiles lists every file, and finds those that are missing or not listed.
func (c *checker) listFiles() error {
	found := map[string]bool{SumsFile: true}
	err := fs.WalkDir(c.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == SumsFile {
			return err
		}
		found[name] = true
		sum, listed := c.listed[name]
		if !listed {
			c.wrong(name, "is no file of the archive: "+SumsFile+" does not list it")
			return nil
		}
		size := int64(0)
		if info, err := d.Info(); err == nil {
			size = info.Size()
		}
		c.report.Files++
		c.report.Bytes += size
		if strings.HasPrefix(name, schema.ArchiveDataset+"/") {
			c.progress.Announce(2 * size) // of checkDataset
		}
		c.add(name, sum, size, func() (capture.File, int64, error) { return c.openFile(name) })
		return nil
	})
	if err != nil {
		return fmt.Errorf("read %s: %w", c.Dir, err)
	}
	for _, name := range slices.Sorted(maps.Keys(c.listed)) {
		if !found[name] {
			c.wrong(name, "is missing")
		}
	}
	return nil
}

// listContents lists what the files of the capture hold.
func (c *checker) listContents() error {
	for i := range c.Index.Files {
		f := &c.Index.Files[i]
		if f.Path == "" {
			continue
		}
		switch sum, ok := c.listed[f.Path]; {
		case !ok:
			c.wrong(schema.ArchiveFile, fmt.Sprintf("names %q, which %s does not list", f.Path, SumsFile))
			continue
		case !f.Packed && sum == f.SHA256: // is checked as it is
			continue
		}
		c.add(f.Path+" unpacked", f.SHA256, f.Bytes, func() (capture.File, int64, error) { return c.Open(f.Name) })
	}
	return nil
}

// listImages lists images, which other archives may share. One that is not there is
// no damage: it was left out, or is to come.
func (c *checker) listImages() error {
	listed := map[string]bool{}
	for i := range c.Index.Files {
		f := &c.Index.Files[i]
		if f.Path != "" || listed[f.SHA256] {
			continue
		}
		listed[f.SHA256] = true
		if !c.hasImage(f.SHA256) {
			c.report.Unchecked = append(c.report.Unchecked,
				fmt.Sprintf("%s (%s), which is not in the archive", f.Name, f.SHA256))
			continue
		}
		c.add(path.Join(c.Index.Images, f.SHA256), f.SHA256, f.Bytes,
			func() (capture.File, int64, error) { return c.openImage(f.SHA256) })
	}
	return nil
}

// checkItems checks all bytes that are listed, side by side.
func (c *checker) checkItems(ctx context.Context) error {
	problems := make([]*dataset.Error, len(c.items))
	err := sidebyside.Do(ctx, len(c.items), func(ctx context.Context, i int) error {
		err := c.checkItem(ctx, &c.items[i])
		if e, ok := errors.AsType[*dataset.Error](err); ok {
			problems[i] = e
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, p := range problems {
		if p != nil {
			c.report.Problems = append(c.report.Problems, p)
		}
	}
	return nil
}

// hashBuffer is how many bytes are read at once to be hashed. An archive may have many small files.
const hashBuffer = 1 << 18

// checkItem reads an item and compares its hash.
func (c *checker) checkItem(ctx context.Context, x *item) error {
	file, size, err := x.open()
	if err != nil {
		return err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.CopyBuffer(h, c.progress.Reader(ctx, io.NewSectionReader(file, 0, size)),
		make([]byte, min(size+1, hashBuffer))); err != nil {
		return err
	}
	if sum := hex.EncodeToString(h.Sum(nil)); sum != x.sum {
		return damaged(c.Dir, x.path, "is not as it was written: its SHA-256 is "+sum+", and should be "+x.sum)
	}
	return nil
}

// checkDataset checks the dataset, and takes over what is found.
func (c *checker) checkDataset(ctx context.Context) error {
	done := int64(0)
	d, err := dataset.Check(ctx, filepath.Join(c.Dir, schema.ArchiveDataset), func(now, _ int64) {
		c.progress.Advance(now - done)
		done = now
	})
	if e, ok := errors.AsType[*dataset.Error](err); ok {
		c.takeOver(e)
		return nil
	}
	if err != nil {
		return err
	}
	c.report.Tables, c.report.Rows, c.report.Older = d.Tables, d.Rows, d.Older
	c.takeOver(d.Problems...)
	c.report.Unchecked = append(c.report.Unchecked, d.Unchecked...)
	return nil
}

// takeOver adds problems of the dataset, but for files that have one already.
func (c *checker) takeOver(problems ...*dataset.Error) {
	known := map[string]bool{}
	for _, p := range c.report.Problems {
		known[p.File] = true
	}
	for _, p := range problems {
		if !known[p.File] {
			c.report.Problems = append(c.report.Problems, p)
		}
	}
}
