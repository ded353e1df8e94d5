package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
)

// This file checks what parquet-go believes of a file: lengths and counts that
// decide how much memory it takes.

// Limits that files of this package do not reach. A file beyond one is not read.
const (
	maxFooter    = 4 << 20   // bytes; 64 row groups of 19 columns are 300 KB
	maxItems     = 1 << 18   // elements of all lists in a footer
	maxHeader    = 1 << 10   // bytes of a page header
	maxPage      = 256 << 20 // bytes of a page, uncompressed
	maxDepth     = 16        // of structures in one another
	trailerBytes = 8         // length of the footer, magic
	maxMiniBlock = 1 << 10   // values; those of parquet-go have 32
)

// A checker checks a file.
type checker struct {
	file io.ReaderAt
	size int64
	zstd *zstd.Decoder // nil until it is wanted
	body []byte        // scratch: a page as in the file
	page []byte        // scratch: uncompressed
}

// read returns n bytes at an offset. They hold until the next call.
func (c *checker) read(offset int64, n int) ([]byte, error) {
	if offset < 0 || n < 0 || offset > c.size-int64(n) {
		return nil, fmt.Errorf("%d bytes at offset %d of a file of %d", n, offset, c.size)
	}
	if cap(c.body) < n {
		c.body = make([]byte, n)
	}
	_, err := c.file.ReadAt(c.body[:n], offset)
	if errors.Is(err, io.EOF) {
		err = nil // it may come with the last byte; a file that is shorter than it was does not matter here
	}
	return c.body[:n], err
}

// footer reads the footer, and finds the columns of t. From then on the file has
// only those.
func (c *checker) footer(t *schema.Table) (*format.FileMetaData, *location, error) {
	m, end, err := c.readFooter()
	if err != nil {
		return nil, nil, err
	}
	version, err := versionOf(m)
	if err != nil {
		return nil, nil, err
	}
	l, err := locate(m, t, version)
	if err != nil {
		return nil, nil, err
	}
	if !l.isAll(m) {
		l.project(m)
		if c.file, c.size, err = newRefooted(c.file, end, m); err != nil {
			return nil, nil, err
		}
	}
	return m, l, nil
}

// readFooter reads the footer, and returns where it begins.
func (c *checker) readFooter() (m *format.FileMetaData, at int64, err error) {
	trailer, err := c.read(c.size-trailerBytes, trailerBytes)
	if err != nil || string(trailer[4:]) != magic {
		return nil, 0, errors.New("is no parquet file, or not all of one")
	}
	n := int64(binary.LittleEndian.Uint32(trailer))
	if n > min(maxFooter, c.size-trailerBytes-int64(len(magic))) {
		return nil, 0, fmt.Errorf("a footer of %d bytes", n)
	}
	at = c.size - trailerBytes - n
	b, err := c.read(at, int(n))
	if err != nil {
		return nil, 0, err
	}
	w := lists{r: new(thrift.CompactProtocol).NewReaderFromBytes(b), bytes: len(b)}
	if err := w.value(thrift.STRUCT, 0); err != nil {
		return nil, 0, fmt.Errorf("the footer: %w", err)
	}
	m = new(format.FileMetaData)
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), b, m); err != nil {
		return nil, 0, fmt.Errorf("the footer: %w", err)
	}
	return m, at, nil
}

// versionOf returns the schema version of a file.
func versionOf(m *format.FileMetaData) (int, error) {
	for _, kv := range m.KeyValueMetadata {
		if kv.Key == schema.MetaSchemaVersion {
			return schema.ParseVersion(kv.Value)
		}
	}
	return 0, fmt.Errorf("has no %s in its metadata", schema.MetaSchemaVersion)
}

// lists walks a Thrift value. It fails if a list or text is longer than the rest
// of the value, or if all lists have too many elements.
type lists struct {
	r     thrift.Reader
	bytes int
	items int
}

func (w *lists) value(t thrift.Type, depth int) (err error) {
	if depth > maxDepth {
		return errors.New("is nested too deep")
	}
	switch t {
	case thrift.I8:
		_, err = w.r.ReadInt8()
	case thrift.I16:
		_, err = w.r.ReadInt16()
	case thrift.I32:
		_, err = w.r.ReadInt32()
	case thrift.I64:
		_, err = w.r.ReadInt64()
	case thrift.DOUBLE:
		_, err = w.r.ReadFloat64()
	case thrift.BINARY:
		_, err = w.r.ReadBytes() // checks the length
	case thrift.LIST, thrift.SET:
		var l thrift.List
		if l, err = w.r.ReadList(); err == nil {
			err = w.list(l, depth)
		}
	case thrift.STRUCT:
		return w.structure(depth)
	default:
		err = fmt.Errorf("has a value of type %d", t)
	}
	return err
}

func (w *lists) list(l thrift.List, depth int) error {
	w.items += int(l.Size)
	if int(l.Size) > w.bytes-w.r.BytesRead() || w.items > maxItems {
		return fmt.Errorf("has a list of %d", l.Size)
	}
	t := l.Type
	if t == thrift.TRUE || t == thrift.FALSE {
		t = thrift.I8 // in lists they take a byte
	}
	for range l.Size {
		if err := w.value(t, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *lists) structure(depth int) error {
	for {
		f, err := w.r.ReadField()
		if err != nil {
			return err
		}
		switch f.Type {
		case thrift.STOP:
			return nil
		case thrift.TRUE, thrift.FALSE: // the value is in the type
		default:
			if err := w.value(f.Type, depth+1); err != nil {
				return err
			}
		}
	}
}

// chunk checks a column chunk: that its pages lie in the file, and are of no
// more than [schema.MaxBatchRows] values each and as many as the row group has.
func (c *checker) chunk(col *schema.Column, m *format.ColumnMetaData, rows int64) error {
	at := m.DataPageOffset
	if m.DictionaryPageOffset != 0 {
		at = m.DictionaryPageOffset
	}
	if at < int64(len(magic)) || m.TotalCompressedSize < 0 || at > c.size-m.TotalCompressedSize {
		return fmt.Errorf("%d bytes at offset %d of a file of %d", m.TotalCompressedSize, at, c.size)
	}
	if m.Type != physical(col) {
		return fmt.Errorf("values of type %v", m.Type)
	}
	values := int64(0)
	for end := at + m.TotalCompressedSize; at < end; {
		h, body, err := c.header(at, end)
		if err != nil {
			return fmt.Errorf("page at offset %d: %w", at, err)
		}
		n, err := c.checkPage(h, body, col, m.Codec)
		if err != nil {
			return fmt.Errorf("page at offset %d: %w", at, err)
		}
		values += int64(n)
		at = body + int64(h.CompressedPageSize)
	}
	if values != rows || m.NumValues != rows {
		return fmt.Errorf("%d values for %d rows", values, rows)
	}
	return nil
}

// header reads the header of a page, and returns where its body lies.
func (c *checker) header(at, end int64) (*format.PageHeader, int64, error) {
	b, err := c.read(at, int(min(maxHeader, end-at)))
	if err != nil {
		return nil, 0, err
	}
	h, r := new(format.PageHeader), new(thrift.CompactProtocol).NewReaderFromBytes(b)
	if err := thrift.NewDecoder(r).Decode(h); err != nil {
		return nil, 0, noEOF(err)
	}
	body := at + int64(r.BytesRead())
	if h.CompressedPageSize < 0 || int64(h.CompressedPageSize) > end-body || h.UncompressedPageSize < 0 ||
		h.UncompressedPageSize > maxPage {
		return nil, 0, fmt.Errorf("%d bytes, %d uncompressed", h.CompressedPageSize, h.UncompressedPageSize)
	}
	return h, body, nil
}

// checkPage checks the body of a page and returns how many rows it is.
func (c *checker) checkPage(h *format.PageHeader, at int64, col *schema.Column, codec format.CompressionCodec) (int,
	error,
) {
	body, err := c.read(at, int(h.CompressedPageSize))
	if err != nil {
		return 0, err
	}
	if body, err = c.uncompress(body, codec); err != nil {
		return 0, err
	}
	if len(body) != int(h.UncompressedPageSize) {
		return 0, fmt.Errorf("%d bytes uncompressed, its header says %d", len(body), h.UncompressedPageSize)
	}
	switch {
	case h.Type == format.DictionaryPage && h.DictionaryPageHeader.Valid:
		d := &h.DictionaryPageHeader.V
		if d.Encoding != format.Plain || d.NumValues < 0 || d.NumValues > maxEntries {
			return 0, fmt.Errorf("a dictionary of %d in encoding %v", d.NumValues, d.Encoding)
		}
		return 0, nil
	case h.Type == format.DataPage && h.DataPageHeader.Valid:
		d := &h.DataPageHeader.V
		if d.NumValues < 1 || d.NumValues > schema.MaxBatchRows || d.DefinitionLevelEncoding != format.RLE {
			return 0, fmt.Errorf("%d values, levels in encoding %v", d.NumValues, d.DefinitionLevelEncoding)
		}
		return int(d.NumValues), checkBody(body, int(d.NumValues), d.Encoding, col)
	}
	return 0, fmt.Errorf("is of type %v", h.Type)
}

// uncompress returns a page body uncompressed. It holds until the next call.
func (c *checker) uncompress(b []byte, codec format.CompressionCodec) (_ []byte, err error) {
	switch codec {
	case format.Uncompressed:
		return b, nil
	case format.Snappy:
		n, err := s2.DecodedLen(b)
		if err != nil || n > maxPage {
			return nil, fmt.Errorf("%d bytes uncompressed, or damaged", n)
		}
		c.page, err = s2.Decode(c.page[:cap(c.page)], b)
		return c.page, err
	case format.Zstd:
		if c.zstd == nil {
			if c.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
				zstd.WithDecoderMaxMemory(maxPage)); err != nil {
				return nil, err
			}
		}
		c.page, err = c.zstd.DecodeAll(b, c.page[:0])
		return c.page, err
	}
	return nil, fmt.Errorf("compressed by %v", codec)
}

// checkBody checks that a data page has levels and values for exactly n rows.
func checkBody(b []byte, n int, e format.Encoding, col *schema.Column) error {
	if col.Nullable {
		if len(b) < 4 || int64(binary.LittleEndian.Uint32(b)) > int64(len(b)-4) {
			return errors.New("levels are cut off")
		}
		length := int(binary.LittleEndian.Uint32(b))
		if err := checkHybrid(b[4:4+length], 1, n); err != nil {
			return fmt.Errorf("levels: %w", err)
		}
		b = b[4+length:]
	}
	switch e {
	case format.Plain:
		return nil
	case format.RLEDictionary:
		if len(b) == 0 || b[0] > 16 {
			return errors.New("indexes of no known width")
		}
		return checkHybrid(b[1:], int(b[0]), n)
	case format.DeltaBinaryPacked:
		return checkDelta(b, n)
	}
	return fmt.Errorf("encoding %v", e)
}

// checkHybrid checks a mixture of runs (Encodings.md, "RLE = 3").
func checkHybrid(b []byte, width, n int) error {
	for left := uint64(n); len(b) > 0; {
		head, k := binary.Uvarint(b)
		if k <= 0 {
			return errors.New("a run is cut off")
		}
		b = b[k:]
		count, size := head>>1, uint64(width+7)/8
		if head&1 != 0 { // groups of 8
			if count > uint64(len(b)) || 8*count > left+7 {
				return fmt.Errorf("a run of %d groups where %d values are left", count, left)
			}
			count, size = min(8*count, left), count*uint64(width)
		}
		if count == 0 || count > left || size > uint64(len(b)) {
			return fmt.Errorf("a run of %d values where %d are left", count, left)
		}
		left -= count
		b = b[size:]
	}
	return nil
}

// checkDelta checks the header of delta-encoded values (Encodings.md,
// "DELTA_BINARY_PACKED = 5").
func checkDelta(b []byte, n int) error {
	var head [3]uint64 // values in a block, miniblocks in it, values in all
	for i := range head {
		x, k := binary.Uvarint(b)
		if k <= 0 {
			return errors.New("differences are cut off")
		}
		head[i], b = x, b[k:]
	}
	if head[1] == 0 || head[0] > maxMiniBlock || head[1] > head[0] || head[2] > uint64(n) {
		return fmt.Errorf("%d differences in blocks of %d by %d", head[2], head[0], head[1])
	}
	return nil
}
