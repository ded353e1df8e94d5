package perfdata

import (
	"bytes"

	"github.com/klauspost/compress/zstd"
)

// data is a data section that is being laid out. Payloads are not copied.
type data struct {
	parts  [][]byte
	at     uint64 // where the section begins in the file
	size   uint64
	traces []section // the records AUXTRACE
}

// A section is a part of a file.
type section struct{ offset, size uint64 }

// data lays out records from an offset of the file on.
func (r *Recording) data(records []Record, at uint64) (*data, error) {
	d := &data{at: at}
	z, err := newCompressor(r.Compression)
	if err != nil {
		return nil, err
	}
	for i := range records {
		x := &records[i]
		b, err := x.append(nil, r.SampleType)
		if err != nil {
			return nil, err
		}
		if z != nil && x.Type < firstUser {
			if err := z.write(d, b); err != nil {
				return nil, err
			}
			continue
		}
		if err := z.flush(d); err != nil {
			return nil, err
		}
		d.addRecord(x, b)
	}
	return d, z.flush(d)
}

func (d *data) add(b []byte) {
	d.parts = append(d.parts, b)
	d.size += uint64(len(b))
}

// addRecord adds a record and what follows it.
func (d *data) addRecord(r *Record, b []byte) {
	at := d.at + d.size
	d.add(b)
	if r.Payload == nil {
		return
	}
	d.add(r.Payload)
	d.add(make([]byte, -len(r.Payload)&7))
	if r.Type == TypeAUXTrace {
		d.traces = append(d.traces, section{at, uint64(len(b))})
	}
}

// index is feature AUXTRACE: where the records AUXTRACE are, and their size without what follows
// them.
func (d *data) index(simpleperf bool) []byte {
	var b []byte
	if !simpleperf {
		b = words(uint64(len(d.traces)))
	}
	for _, t := range d.traces {
		b = append(b, words(t.offset, t.size)...)
	}
	return b
}

// chunk is how many bytes of records one compressed record has: few, so that records are split.
const chunk = 1000

// compressedFeature is feature COMPRESSED: version, zstd, its level, its ratio, the most bytes that
// a compressed record has.
func compressedFeature() []byte { return halves(1, 1, 1, 4, chunk) }

// A compressor makes one zstd stream of records. A nil one has none.
type compressor struct {
	kind    Compression
	out     bytes.Buffer
	encoder *zstd.Encoder
	wait    []byte
}

func newCompressor(kind Compression) (*compressor, error) {
	if kind == Uncompressed {
		return nil, nil
	}
	c := &compressor{kind: kind}
	var err error
	c.encoder, err = zstd.NewWriter(&c.out, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(zstd.MinWindowSize))
	return c, err
}

// write takes a record, and adds what is complete to d.
func (c *compressor) write(d *data, record []byte) error {
	c.wait = append(c.wait, record...)
	for len(c.wait) >= chunk {
		if err := c.emit(d, c.wait[:chunk]); err != nil {
			return err
		}
		c.wait = c.wait[chunk:]
	}
	return nil
}

// flush adds what waits to d.
func (c *compressor) flush(d *data) error {
	if c == nil || len(c.wait) == 0 {
		return nil
	}
	b := c.wait
	c.wait = nil
	return c.emit(d, b)
}

// emit adds a compressed record to d.
func (c *compressor) emit(d *data, plain []byte) error {
	if _, err := c.encoder.Write(plain); err != nil {
		return err
	}
	if err := c.encoder.Flush(); err != nil {
		return err
	}
	r := Record{Type: TypeCompressed, Body: bytes.Clone(c.out.Bytes())}
	if c.kind == Compressed2 {
		r = Record{Type: TypeCompressed2, Body: padded(append(words(uint64(c.out.Len())), c.out.Bytes()...), 8)}
	}
	c.out.Reset()
	b, err := r.append(nil, 0)
	d.add(b)
	return err
}
