package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// A Pruned says what [Prune] did to a dataset.
type Pruned struct {
	From, To schema.Level
	Dropped  []*schema.Table // in the order of the schema; none: the dataset is as it was
	Rows     int64           // of those
	Bytes    int64           // likewise
	Left     *schema.Manifest
}

// Prune drops from the dataset in dir the tables of other levels than the given one, and
// those that are written on request alone: rows of what was executed, and packets. What
// is left is, but for the manifest's run, what an export of that level writes by
// default. LevelBlocks is only for datasets that have blocks.
//
// The files that stay are linked into a folder beside dir, which takes its place as in
// [Writer.Close]: dir is at any moment the old dataset or the new one. If ctx is done before, it is the old one.
func Prune(ctx context.Context, dir string, to schema.Level) (*Pruned, error) {
	d, err := Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	p, err := d.planPrune(to)
	if err == nil && len(p.Dropped) == 0 {
		err = removeDead(dir)
	}
	if err != nil || len(p.Dropped) == 0 {
		return p, err
	}
	if err := demandNothingKept(dir); err != nil {
		return nil, err
	}
	w, err := Create(dir, Options{Level: to, Format: d.format, Overwrite: true})
	if err != nil {
		return nil, err
	}
	return p, errors.Join(w.prune(ctx, d, p), w.Abandon())
}

// removeDead removes what a process that died left beside dir: one that was killed once the
// pruned dataset was in its place leaves the rows that it dropped.
func removeDead(dir string) error {
	target, err := resolve(dir)
	if err != nil {
		return err
	}
	parent, base := filepath.Split(target)
	if left, err := partials(parent, base); err != nil || len(left) == 0 {
		return err
	}
	l, err := acquire(filepath.Join(parent, "."+base+lockSuffix), dir)
	if _, busy := errors.AsType[*BusyError](err); busy {
		return nil // it did not die
	}
	if err != nil {
		return fmt.Errorf("output directory: %w", err)
	}
	return errors.Join(removePartials(parent, base), l.release())
}

// demandNothingKept fails with an [*ExistsError] if an interrupted export is to replace the
// dataset in dir: what it kept would be lost.
func demandNothingKept(dir string) error {
	target, err := resolve(dir)
	if err != nil {
		return err
	}
	kept := resumableFolder(target)
	if _, err := os.Lstat(kept); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return &ExistsError{dir, "has an unfinished dataset beside it", "go on with export --resume, or remove " + kept}
}

// planPrune returns what is to be dropped. It fails with an [*Error] if that cannot be
// done.
func (d *Dataset) planPrune(to schema.Level) (*Pruned, error) {
	p := &Pruned{To: to, Left: &d.Manifest}
	for _, level := range schema.Levels() {
		if level.String() == d.Manifest.Level {
			p.From = level
		}
	}
	if to != schema.LevelNone && to != p.From {
		return nil, d.wrong("", fmt.Sprintf("is of level %s, and has no %s", d.Manifest.Level, to),
			fmt.Sprintf("give --level none, or export again with --level %s", to))
	}
	for _, t := range d.tables() {
		ofRows := t.Written == schema.OnRequest || t.Written == schema.WithRows && to == schema.LevelNone
		if t.Level == schema.AnyLevel && !ofRows || t.Level == to {
			continue
		}
		p.Dropped = append(p.Dropped, t)
		p.Rows += d.Manifest.Tables[t.Name].Rows
		p.Bytes += d.Manifest.Tables[t.Name].Bytes
	}
	return p, d.rewritable()
}

// rewritable fails with an [*Error] unless views.sql, as this program writes it, is
// right for the tables of d.
func (d *Dataset) rewritable() error {
	if len(d.Unknown) > 0 {
		return d.wrong(schema.ManifestFile, fmt.Sprintf("has the table %s, which this program does not know", d.Unknown[0]),
			"prune it with the version that wrote it, or export again")
	}
	return nil
}

// prune writes what stays of d, and puts it in its place.
func (w *Writer) prune(ctx context.Context, d *Dataset, p *Pruned) error {
	if err := d.demandInPlace(); err != nil {
		return err
	}
	w.tables = slices.DeleteFunc(d.tables(), func(t *schema.Table) bool { return slices.Contains(p.Dropped, t) })
	for _, t := range w.tables {
		for _, part := range d.Manifest.Tables[t.Name].Parts {
			if err := errors.Join(ctx.Err(), w.adopt(d, part.Path)); err != nil {
				return err
			}
			w.addPart(t, part)
		}
	}
	m := d.Manifest
	m.Level, m.Tables, m.Run.Pruned = p.To.String(), w.files, slices.Clone(m.Run.Pruned)
	for _, t := range p.Dropped {
		m.Run.Pruned = append(m.Run.Pruned, t.Name)
	}
	p.Left = &m
	if err := ctx.Err(); err != nil {
		return err
	}
	return w.commit(&m)
}

// demandInPlace fails with an [*Error] if another dataset has taken the place of d since it
// was opened. The caller has the lock of the directory.
func (d *Dataset) demandInPlace() error {
	opened, err := d.root.Stat(".")
	if err != nil {
		return err
	}
	now, err := os.Stat(d.Dir)
	if err != nil {
		return err
	}
	if !os.SameFile(opened, now) {
		return d.wrong("", "was replaced by another dataset just now", "try again")
	}
	return nil
}

// adopt makes a part of d one of w: another link to its file, or a copy where the file
// system has no links.
func (w *Writer) adopt(d *Dataset, path string) error {
	info, err := d.root.Lstat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return d.damaged(path, "is no file")
	}
	local := filepath.FromSlash(path)
	name := filepath.Join(w.staging.Folder, local)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	if os.Link(filepath.Join(w.staging.Target, local), name) == nil {
		return nil
	}
	from, err := d.root.Open(path)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := w.staging.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, w.staging.CloseFile(to))
}
