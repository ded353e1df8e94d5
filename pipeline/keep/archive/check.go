package archive

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

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
	c := &checker{
		Archive: a, report: report, local: images == "", listed: map[string]string{}, at: map[string]int{},
		progress: sidebyside.NewProgress(progress), buffers: sync.Pool{New: func() any { return new([hashBuffer]byte) }},
	}
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
		c.at[name] = len(c.items)
		c.add(item{path: name, sum: sum, open: func() (*os.File, int64, error) { return c.openListed(name) }}, size)
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

// openListed opens a file of the archive. Images, of which there may be many, are opened in their directory.
func (c *checker) openListed(name string) (*os.File, int64, error) {
	if dir, base := path.Split(name); c.local && c.images != nil && path.Clean(dir) == path.Clean(c.Index.Images) {
		return c.openIn(c.images, base, name)
	}
	return c.openFile(name)
}

// listContents lists what the files of the capture hold.
func (c *checker) listContents() error {
	for i := range c.Index.Files {
		f := &c.Index.Files[i]
		if f.Path == "" {
			continue
		}
		if _, ok := c.listed[f.Path]; !ok {
			c.wrong(schema.ArchiveFile, fmt.Sprintf("names %q, which %s does not list", f.Path, SumsFile))
			continue
		}
		c.hold(f)
	}
	return nil
}

// hold says what a file of the archive that is to be checked holds. One that is missing is known to be.
func (c *checker) hold(f *File) {
	i, ok := c.at[f.Path]
	if !ok || !f.Packed && c.items[i].sum == f.SHA256 { // is checked as it is
		return
	}
	c.items[i].holds = f
	c.progress.Announce(f.Bytes)
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
		name, ok := c.imageNamed(f.SHA256)
		if !ok {
			c.report.Unchecked = append(c.report.Unchecked,
				fmt.Sprintf("%s (%s), which is not in the archive", f.Name, f.SHA256))
			continue
		}
		at := path.Join(c.Index.Images, name)
		x := &File{Path: at, Bytes: f.Bytes, SHA256: f.SHA256, Packed: name != f.SHA256}
		if _, ok := c.at[at]; ok && c.local {
			c.hold(x)
			continue
		}
		c.add(item{path: at, holds: x, open: func() (*os.File, int64, error) { return c.openIn(c.images, name, at) }}, f.Bytes)
	}
	return nil
}

// imageNamed returns the name that an image has in the directory of images, if it is there.
func (c *checker) imageNamed(sum string) (string, bool) {
	for _, name := range []string{packedImage(sum), sum} {
		if _, ok := c.at[path.Join(c.Index.Images, name)]; ok && c.local {
			return name, true
		}
	}
	name, err := imageName(c.images, sum)
	return name, err == nil
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
