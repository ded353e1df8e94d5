package perfdata

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

const (
	magic       = "PERFILE2"
	fileHeader  = 104
	pipeHeader  = 16
	featureBits = 256
)

// Write writes the file, or what perf writes to a pipe.
func (r *Recording) Write(w io.Writer) error {
	parts, err := r.parts(r.Features)
	if err != nil {
		return err
	}
	return writeParts(w, parts)
}

func writeParts(w io.Writer, parts [][]byte) error {
	for _, b := range parts {
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// WriteDir writes the directory that perf record --kcore makes, without kcore_dir, or with more
// streams the one of --threads: each has records in a file of its own.
func (r *Recording) WriteDir(dir string, streams ...[]Record) error {
	version := uint64(0) // of a single file
	if len(streams) > 0 {
		version = 1
	}
	features := withFeature(r.Features, FeatureDirFormat, words(version))
	parts, err := r.parts(features)
	if err != nil {
		return err
	}
	files := map[string][][]byte{"data": parts}
	for i, records := range streams {
		d, err := r.data(records, 0)
		if err != nil {
			return err
		}
		files["data."+strconv.Itoa(i)] = d.parts
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, parts := range files {
		if err := os.WriteFile(filepath.Join(dir, name), slices.Concat(parts...), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// withFeature returns features with one more.
func withFeature(features map[int][]byte, bit int, section []byte) map[int][]byte {
	more := maps.Clone(features)
	if more == nil {
		more = map[int][]byte{}
	}
	more[bit] = section
	return more
}

// parts is all that a file has, in its order.
func (r *Recording) parts(features map[int][]byte) ([][]byte, error) {
	if r.Compression != Uncompressed {
		features = withFeature(features, FeatureCompressed, compressedFeature())
	}
	if r.Piped {
		return r.pipe(features)
	}
	attributes, start := r.attributes()
	d, err := r.data(r.all(), start)
	if err != nil {
		return nil, err
	}
	size := d.size
	if r.Interrupted {
		size, features = 0, nil
	} else if len(d.traces) > 0 {
		features = withFeature(features, FeatureAUXTrace, d.index(r.Simpleperf))
	}
	head := slices.Concat([]byte(magic), words(fileHeader, uint64(r.attrBytes()+sectionBytes)),
		words(start-uint64(r.entriesBytes()), uint64(r.entriesBytes()), start, size, 0, 0), bitmap(features))
	parts := append([][]byte{head, attributes}, d.parts...)
	return append(parts, sections(features, start+d.size)...), nil
}

// all are the records of the data section.
func (r *Recording) all() []Record { return append([]Record{r.Metadata.Record()}, r.Records...) }

// pipe is what perf writes to a pipe: attributes and features are records, too.
func (r *Recording) pipe(features map[int][]byte) ([][]byte, error) {
	var records []Record
	for i, ids := range r.IDs {
		records = append(records, Record{Type: TypeHeaderAttr, Body: append(r.attr(i), words(ids...)...)})
	}
	for _, bit := range sortedBits(features) {
		body := padded(append(words(uint64(bit)), features[bit]...), 8)
		records = append(records, Record{Type: TypeHeaderFeature, Body: body})
	}
	d, err := r.data(append(records, r.all()...), pipeHeader)
	if err != nil {
		return nil, err
	}
	return append([][]byte{append([]byte(magic), words(pipeHeader)...)}, d.parts...), nil
}

// sectionBytes is the size of what tells a section: its offset and size.
const sectionBytes = 16

func sortedBits(features map[int][]byte) []int {
	return slices.Sorted(maps.Keys(features))
}

// bitmap has a bit for each feature.
func bitmap(features map[int][]byte) []byte {
	b := make([]byte, featureBits/8)
	for bit := range features {
		b[bit/8] |= 1 << (bit % 8)
	}
	return b
}

// sections is what lies behind the data: the place of each feature, and the features.
func sections(features map[int][]byte, at uint64) [][]byte {
	bits := sortedBits(features)
	at += uint64(sectionBytes * len(bits))
	var table []byte
	parts := [][]byte{nil}
	for _, bit := range bits {
		f := features[bit]
		table = append(table, words(at, uint64(len(f)))...)
		parts = append(parts, f)
		at += uint64(len(f))
	}
	parts[0] = table
	return parts
}
