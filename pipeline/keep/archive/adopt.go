package archive

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Store is the directory of images that archives share, "" if they are in the archive.
func (a *Archive) Store() string {
	if a.Index.Images == imagesFolder {
		return ""
	}
	return filepath.Join(a.Dir, filepath.FromSlash(a.Index.Images))
}

// AddFrom adds a file of the capture as another archive has it, packed or not: another link
// to it, or a copy where the file system has no links.
func (w *Writer) AddFrom(a *Archive, name string) error {
	f := a.files[name]
	if f == nil || f.Path == "" {
		return &os.PathError{Op: "archive", Path: name, Err: os.ErrNotExist}
	}
	from, _, err := a.openFile(f.Path)
	if err != nil {
		return err
	}
	defer from.Close()
	w.files = append(w.files, *f)
	local := filepath.FromSlash(f.Path)
	to := filepath.Join(w.stage.Folder, local)
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	if os.Link(filepath.Join(a.Dir, local), to) == nil {
		return nil
	}
	out, err := w.stage.Create(f.Path)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, from)
	return errors.Join(err, w.stage.CloseFile(out))
}
