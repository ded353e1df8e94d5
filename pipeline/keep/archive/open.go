package archive

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/keep/archive/seekable"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// An Archive is an archive that is read. It is not changed once open, and is safe for
// concurrent use.
type Archive struct {
	Dir   string
	Index Index

	root    *os.Root
	images  *os.Root                          // nil: there are none
	files   map[string]*File                  // of the capture, by name
	sizes   map[string]int64                  // of images, by their SHA-256
	decoder func() (*seekable.Decoder, error) // makes it once, for all packed files
}

// Open opens the archive in dir, which the caller closes. Its images are in the directory
// images; "" is where the archive says, which has to be in it. It reads no more than
// archive.json; [Check] looks at all bytes.
func Open(dir, images string) (*Archive, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open archive: %w", err)
	}
	ix, err := readIndex(dir, root)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	a := &Archive{
		Dir: dir, Index: *ix, root: root, files: map[string]*File{}, sizes: map[string]int64{},
		decoder: sync.OnceValues(seekable.NewDecoder),
	}
	for i := range a.Index.Files {
		f := &a.Index.Files[i]
		if f.Kind != kindArgument {
			a.files[f.Name] = f
		}
		if f.isImage() {
			a.sizes[f.SHA256] = f.Bytes
		}
	}
	if err := a.openImages(images); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return a, nil
}

// openImages opens the directory of the images. If the archive says where that is, it
// need not be there, but is not outside: who wrote the archive has no say in what else is read.
func (a *Archive) openImages(dir string) (err error) {
	if dir != "" {
		if a.images, err = os.OpenRoot(dir); err != nil {
			return fmt.Errorf("directory of images: %w", err)
		}
		return nil
	}
	local := filepath.FromSlash(a.Index.Images)
	if !filepath.IsLocal(local) {
		return &dataset.Error{
			File:    filepath.Join(a.Dir, schema.ArchiveFile),
			Problem: fmt.Sprintf(`"images" is %q, outside the archive`, a.Index.Images),
			Remedy:  "if archives share program memory, say where it is with --images DIR",
		}
	}
	a.images, err = a.root.OpenRoot(local)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return wrong(a.Dir, a.Index.Images, err)
	}
	return nil
}

// Close closes the archive. Files that were opened stay open.
func (a *Archive) Close() error {
	err := a.root.Close()
	if a.images != nil {
		err = errors.Join(err, a.images.Close())
	}
	return err
}

// Begin implements [capture.Stored].
func (a *Archive) Begin() (name string, raw bool) { return a.Index.Begin, a.Index.Raw }

// Open implements [capture.Stored].
func (a *Archive) Open(name string) (capture.File, int64, error) {
	f := a.files[name]
	switch {
	case f == nil:
		e := damaged(a.Dir, schema.ArchiveFile, fmt.Sprintf("does not list %q, which the capture names", name))
		e.Err = fs.ErrNotExist
		return nil, 0, e
	case f.Kind == kindMemory:
		return a.openImage(f.SHA256)
	}
	return a.open(a.root, f.Path, f)
}

// open opens a file that has that name in root, as what it holds.
func (a *Archive) open(root *os.Root, name string, f *File) (capture.File, int64, error) {
	file, size, err := a.openIn(root, name, f.Path)
	if err != nil {
		return nil, 0, err
	}
	if !f.Packed {
		return file, size, nil
	}
	unpacked, err := a.unpack(file, size, f)
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return unpacked, unpacked.frames.Size(), nil
}

// openFile opens a file of the archive as it is.
func (a *Archive) openFile(path string) (*os.File, int64, error) { return a.openIn(a.root, path, path) }

// openIn opens a file that has that name in root, and is at that path of the archive.
func (a *Archive) openIn(root *os.Root, name, path string) (*os.File, int64, error) {
	f, err := openRegular(root, name)
	if err != nil {
		return nil, 0, wrong(a.Dir, path, err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// unpack returns a file of frames, of that many bytes, as what it holds.
func (a *Archive) unpack(file *os.File, size int64, f *File) (*packedFile, error) {
	r, err := a.frames(file, size, f)
	if err != nil {
		return nil, err
	}
	return &packedFile{file, r, a, f.Path}, nil
}

// frames returns what a file of frames holds, of that many bytes.
func (a *Archive) frames(file io.ReaderAt, size int64, f *File) (*seekable.Reader, error) {
	d, err := a.decoder()
	if err != nil {
		return nil, err
	}
	r, err := d.Reader(file, size)
	if err != nil {
		return nil, a.damagedFile(f.Path, err)
	}
	if r.Size() != f.Bytes {
		return nil, damaged(a.Dir, f.Path, fmt.Sprintf("holds %d bytes, %s says %d", r.Size(), schema.ArchiveFile, f.Bytes))
	}
	return r, nil
}

// damagedFile returns err as that of a file of the archive, if it is.
func (a *Archive) damagedFile(path string, err error) error {
	if bad, ok := errors.AsType[*seekable.Error](err); ok {
		return damaged(a.Dir, path, "is damaged "+bad.Error())
	}
	return err
}

// A packedFile is a file of frames, read as what it holds.
type packedFile struct {
	*os.File
	frames  *seekable.Reader
	archive *Archive
	path    string
}

// ReadAt implements [io.ReaderAt].
func (f *packedFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.frames.ReadAt(p, off)
	return n, f.archive.damagedFile(f.path, err)
}

// OpenArgument implements [capture.Stored]: name is one that [Archive.Apply] gave.
func (a *Archive) OpenArgument(name string) (capture.File, int64, error) {
	sum := filepath.Base(filepath.Dir(name))
	if !isSum(sum) || filepath.Dir(filepath.Dir(name)) != filepath.Join(a.Dir, imagesFolder) {
		return nil, 0, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return a.openImage(sum)
}

// Apply returns options to open the capture in the archive with: those that were
// archived, and after them those of opt, which beat them. missing are the arguments
// whose file is not in the archive.
func (a *Archive) Apply(opt capture.Options) (with capture.Options, missing []*schema.Argument) {
	opt.Stored = a
	return a.ApplyTo(opt, &a.Index.Options.Options)
}

// ApplyTo returns options to open a capture outside the archive with, as they were
// recorded, but with the files of arguments that the archive has.
func (a *Archive) ApplyTo(opt capture.Options, recorded *schema.Options,
) (with capture.Options, missing []*schema.Argument) {
	opt.Arguments = a
	return opt.With(recorded, func(x *schema.Argument) string {
		if !a.hasImage(x.SHA256) {
			return ""
		}
		return a.argument(x.SHA256, x.File)
	})
}

// argument is the name by which a file of an argument is opened again, if an image has that SHA-256.
func (a *Archive) argument(sum, file string) string {
	return filepath.Join(a.Dir, imagesFolder, sum, filepath.Base(file))
}

// Missing returns the names of files of program memory that neither the archive nor its directory of images has.
func (a *Archive) Missing() (names []string) {
	for i := range a.Index.Files {
		if f := &a.Index.Files[i]; f.isImage() && !a.hasImage(f.SHA256) {
			names = append(names, f.Name)
		}
	}
	return names
}

func (a *Archive) hasImage(sum string) bool {
	_, err := imageName(a.images, sum)
	return err == nil
}

// openImage opens an image, whose bytes the caller compares with its hash.
func (a *Archive) openImage(sum string) (capture.File, int64, error) {
	name, err := imageName(a.images, sum)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, &fs.PathError{Op: "open", Path: path.Join(a.Index.Images, sum), Err: fs.ErrNotExist}
	}
	at := path.Join(a.Index.Images, name)
	if err != nil {
		return nil, 0, wrong(a.Dir, at, err)
	}
	f, size, err := a.open(a.images, name, &File{Path: at, Bytes: a.sizes[sum], Packed: name != sum})
	if err != nil {
		return nil, 0, err
	}
	return &imageFile{f, a.argument(sum, sum)}, size, nil
}

// CheckInputs checks that the files of a capture that was opened from the archive are
// those that were archived, but for trace data, which is hashed while it is read. It
// fails with an [*dataset.Error].
func (a *Archive) CheckInputs(inputs []*capture.Input) error {
	for _, in := range inputs {
		sum, want := hex.EncodeToString(in.SHA256[:]), ""
		switch f := a.files[in.Path]; {
		case in.Kind == capture.TraceFile:
			continue
		case in.Kind == capture.ArgumentFile:
			if want = filepath.Base(in.Name); !isSum(want) {
				continue // it is the user's
			}
		case f != nil:
			want = f.SHA256
		}
		if sum != want {
			return damaged(a.Dir, path.Join(captureFolder, in.Path), "is not as it was archived: its SHA-256 is "+sum)
		}
	}
	return nil
}
