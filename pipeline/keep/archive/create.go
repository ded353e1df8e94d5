package archive

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/tracelake/tracelake/pipeline/keep/archive/seekable"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// CreateOptions say how an archive is written.
type CreateOptions struct {
	Images    string // directory of images that archives share; "": in the archive
	NoImages  bool   // keeps their hashes alone
	Level     string // of packing, of [seekable.Levels]; "" is [seekable.Best]
	Overwrite bool   // replaces an archive
	// Resumption, if not nil, makes the writer resumable: frames are kept that are packed.
	Resumption *dataset.Resumption
}

// A Writer writes an archive. It is for one goroutine.
type Writer struct {
	Packer *seekable.Packer // of the level

	opt    CreateOptions
	stage  *dataset.Stage
	store  string // directory of images that archives share, "" if they are in the archive
	files  []File
	images map[string]bool // that were added
	memory int64           // bytes of images, packed
}

// Create begins an archive in dir, under the rules of [dataset.Create]: everything is
// written beside dir, and [Writer.Close] moves it there. The caller calls Close or
// [Writer.Abandon].
func Create(dir string, opt CreateOptions) (*Writer, error) {
	packer, err := seekable.NewPacker(cmp.Or(opt.Level, seekable.Best))
	if err != nil {
		return nil, err
	}
	w := &Writer{Packer: packer, opt: opt, images: map[string]bool{}}
	if opt.Images != "" {
		if w.store, err = filepath.Abs(opt.Images); err != nil {
			return nil, fmt.Errorf("directory of images: %w", err)
		}
	}
	w.stage, err = dataset.NewStage(dir, opt.Overwrite, "an archive", ours, opt.Resumption, isPacked)
	return w, err
}

// Dataset is the directory to write the dataset to, before [Writer.Close].
func (w *Writer) Dataset() string {
	return filepath.Join(w.stage.Folder, schema.ArchiveDataset)
}

// pathOf returns where the file of that name is put.
func pathOf(name, suffix string) string {
	clean := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	if !fs.ValidPath(clean) || !filepath.IsLocal(filepath.FromSlash(clean)) {
		sum, base := sha256.Sum256([]byte(name)), path.Base(clean) // two of one base name stay two
		if base == "/" || base == ".." {
			base = "file"
		}
		clean = path.Join(outsideFolder, hex.EncodeToString(sum[:4]), base)
	}
	return path.Join(captureFolder, clean+suffix)
}

// Bind is [dataset.Stage.Bind]. It comes before the first file of the capture.
func (w *Writer) Bind() error { return w.stage.Bind() }

// AddFile adds a file of a snapshot as it is.
func (w *Writer) AddFile(name string, content []byte) error {
	f := File{Name: name, Kind: kindINI, Bytes: int64(len(content)), SHA256: sumOf(content), Path: pathOf(name, "")}
	w.files = append(w.files, f)
	return w.stage.WriteFile(f.Path, content)
}

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// A TraceWriter writes a file of trace data: its frames, in order.
type TraceWriter struct {
	*seekable.Writer
	Kept    *seekable.Frames // that an earlier writer left in the file; it is written over them
	archive *Writer
	file    *os.File
	path    string
	name    string
}

// AddTrace begins a file of trace data.
func (w *Writer) AddTrace(name string) (*TraceWriter, error) {
	p := pathOf(name, packedSuffix)
	f, err := w.stage.Reopen(p)
	if err != nil {
		return nil, err
	}
	return &TraceWriter{seekable.NewWriter(f), seekable.NewFrames(f), w, f, p, name}, nil
}

// Close completes the file, whose bytes have that SHA-256.
func (t *TraceWriter) Close(sum string) error {
	err := errors.Join(t.Writer.Close(), cutHere(t.file), t.archive.stage.CloseFile(t.file))
	t.archive.files = append(t.archive.files,
		File{Name: t.name, Kind: kindTrace, Bytes: t.Size(), SHA256: sum, Path: t.path, Packed: true})
	return err
}

// Abandon closes a file that is not complete.
func (t *TraceWriter) Abandon() { t.file.Close() }

// cutHere cuts off what is in a file after what was written.
func cutHere(f *os.File) error {
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	return f.Truncate(at)
}

// AddImage adds program memory: a file that the snapshot names, or an argument of the
// command line. content is read once.
func (w *Writer) AddImage(name string, argument bool, sum string, size int64, content io.Reader) error {
	kind := kindMemory
	if argument {
		kind = kindArgument
	}
	w.files = append(w.files, File{Name: name, Kind: kind, Bytes: size, SHA256: sum})
	if w.opt.NoImages || w.images[sum] {
		return nil
	}
	w.images[sum] = true
	f, err := w.stage.Create(path.Join(imagesFolder, packedImage(sum)))
	if err != nil {
		return err
	}
	now, packed, err := w.pack(f, content)
	w.memory += packed
	if err == nil && now != sum {
		err = fmt.Errorf("%s was written to while it was archived; archive it again", name)
	}
	return errors.Join(err, w.stage.CloseFile(f))
}

// pack writes what content has in frames, with the seek table of them. It returns the SHA-256 of
// the content, and the bytes of the frames.
func (w *Writer) pack(to io.Writer, content io.Reader) (sum string, packed int64, err error) {
	out, h := seekable.NewWriter(to), sha256.New()
	block := make([]byte, seekable.FrameBytes)
	for err == nil {
		var n int
		n, err = io.ReadFull(content, block)
		if n == 0 {
			break
		}
		h.Write(block[:n])
		frame := w.Packer.Pack(block[:n])
		packed += int64(len(frame))
		if e := out.Add(frame, n); e != nil {
			return "", packed, e
		}
	}
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", packed, err
	}
	return hex.EncodeToString(h.Sum(nil)), packed, out.Close()
}

// Images returns how many images were added, each once, and how many bytes they have packed.
func (w *Writer) Images() (n int, packed int64) { return len(w.images), w.memory }

// Folder is where the archive is while it is written.
func (w *Writer) Folder() string { return w.stage.Folder }

// Complete writes what is left: ix is filled in but for its version, files and place of
// images. Then the archive in [Writer.Folder] can be opened.
func (w *Writer) Complete(ix *Index) error {
	ix.Version, ix.Files, ix.Images = Version, w.files, imagesFolder
	if w.store != "" {
		rel, err := filepath.Rel(w.stage.Target, w.store)
		if err != nil {
			return fmt.Errorf("directory of images: %w", err)
		}
		ix.Images = filepath.ToSlash(rel)
		if err := share(w.images, filepath.Join(w.stage.Folder, imagesFolder), w.store); err != nil {
			return fmt.Errorf("directory of images: %w", err)
		}
	}
	if w.opt.Resumption != nil {
		if err := removeStrangers(w.stage.Folder, w.files); err != nil {
			return err
		}
	}
	if problem := ix.problem(); problem != "" {
		return fmt.Errorf("the archive %s", problem)
	}
	text, err := json.MarshalIndent(ix, "", "  ")
	if err != nil {
		return err
	}
	if err := w.stage.WriteFile(schema.ArchiveFile, append(text, '\n')); err != nil {
		return err
	}
	sums, err := sumsOf(w.stage.Folder)
	if err != nil {
		return err
	}
	return w.stage.WriteFile(SumsFile, sums)
}

// Close puts the complete archive in its place. After an error the directory is
// unchanged.
//
// If the writer is resumable, an error is as from [Writer.Stop].
func (w *Writer) Close() error {
	if err := w.stage.Commit(); err != nil {
		return w.Stop(err)
	}
	return w.Abandon()
}

// Stop ends the writing of an archive that err keeps from being completed, as
// [dataset.Writer.Stop] does.
func (w *Writer) Stop(err error) error { return w.stage.Stop(err, "what is packed is") }

// Abandon removes what was written. After [Writer.Close] and [Writer.Stop] it does nothing.
func (w *Writer) Abandon() error { return w.stage.End() }
