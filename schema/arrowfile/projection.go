package arrowfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// A projection is a file without the columns that are not read, so that arrow makes
// no room for them, whatever their types. Lists of columns become shorter in their
// places: nothing else in the file moves.
type projection struct {
	io.ReaderAt
	size   int64
	where  *location
	footer patch
	batch  patch // the metadata of the record batch at hand
}

// A patch is bytes that take the place of those of a file.
type patch struct {
	at    int64
	bytes []byte
}

// ReadAt implements [io.ReaderAt].
func (p *projection) ReadAt(b []byte, at int64) (int, error) {
	n, err := p.ReaderAt.ReadAt(b, at)
	for _, s := range []patch{p.footer, p.batch} {
		from, to := max(at, s.at), min(at+int64(n), s.at+int64(len(s.bytes)))
		if from < to {
			copy(b[from-at:to-at], s.bytes[from-s.at:])
		}
	}
	return n, err
}

// newProjection returns a file with the columns of t alone.
func newProjection(r io.ReaderAt, size int64, t *schema.Table) (*projection, error) {
	b, at, err := readFooter(r, size)
	if err != nil {
		return nil, err
	}
	meta, ok := root(b).table(1)
	if !ok {
		return nil, errors.New("its footer has no schema")
	}
	version, err := versionOf(meta)
	if err != nil {
		return nil, err
	}
	p := &projection{ReaderAt: r, size: size}
	if p.where, err = locate(meta, t, version); err != nil {
		return nil, err
	}
	if !p.where.isAll() {
		if err := p.keepColumns(root(b), meta); err != nil {
			return nil, fmt.Errorf("its footer: %w", err)
		}
		p.footer = patch{at, b}
	}
	return p, checkFooter(b, p.where.of(t))
}

// versionOf returns the schema version of a file, of whose footer this is the schema.
func versionOf(meta flat) (int, error) {
	for i := range meta.length(2) {
		if key := meta.element(2, i); key.text(0) == schema.MetaSchemaVersion {
			return schema.ParseVersion(key.text(1))
		}
	}
	return 0, fmt.Errorf("has no %s in its metadata", schema.MetaSchemaVersion)
}

// keepColumns leaves in a footer the columns that were located, and their
// dictionaries.
func (p *projection) keepColumns(footer, meta flat) error {
	if err := meta.keep(1, p.where.places); err != nil {
		return err
	}
	var ids []int64
	for i := range p.where.places {
		if d, ok := meta.element(1, i).table(4); ok {
			ids = append(ids, d.int64(0))
		}
	}
	n := footer.length(2)
	if n > maxFields {
		return fmt.Errorf("has %d dictionaries", n)
	}
	var kept []int
	for i := range n {
		_, message, err := p.message(footer.structure(2, i, blockBytes))
		if err != nil {
			return fmt.Errorf("dictionary %d: %w", i, err)
		}
		if d, ok := message.table(2); ok && slices.Contains(ids, d.int64(0)) {
			kept = append(kept, i)
		}
	}
	return footer.keepStructures(2, blockBytes, kept)
}

// Sizes in bytes.
const (
	blockBytes  = 24      // of a Block of File.fbs
	nodeBytes   = 16      // of a FieldNode of Message.fbs
	bufferBytes = 16      // of a Buffer
	prefixBytes = 8       // of a message, before its metadata
	maxMessage  = 1 << 18 // of the metadata of a message
)

// message reads the metadata of the message that a block of the footer names.
func (p *projection) message(block []byte) (patch, flat, error) {
	s := patch{at: int64(binary.LittleEndian.Uint64(block))}
	n := int64(int32(binary.LittleEndian.Uint32(block[8:])))
	if s.at < 0 || n < prefixBytes+4 || n > maxMessage || s.at > p.size-n {
		return patch{}, flat{}, fmt.Errorf("%d bytes of metadata at offset %d of a file of %d", n, s.at, p.size)
	}
	s.bytes = make([]byte, n)
	if _, err := p.ReaderAt.ReadAt(s.bytes, s.at); err != nil && !errors.Is(err, io.EOF) {
		return patch{}, flat{}, err
	}
	if binary.LittleEndian.Uint32(s.bytes) != 0xffffffff {
		return patch{}, flat{}, errors.New("a message that does not begin as one")
	}
	return s, root(s.bytes[prefixBytes:]), nil
}

// keepBatch leaves in a record batch the columns that were located.
func (p *projection) keepBatch(i int) error {
	if p.footer.bytes == nil {
		return nil
	}
	footer := root(p.footer.bytes)
	if i >= footer.length(3) {
		return errors.New("is not in the footer")
	}
	s, message, err := p.message(footer.structure(3, i, blockBytes))
	if err != nil {
		return err
	}
	batch, ok := message.table(2)
	if !ok {
		return errors.New("has no header")
	}
	nodes, buffers, err := p.where.parts(batch)
	if err != nil {
		return err
	}
	p.batch = s
	return errors.Join(batch.keepStructures(1, nodeBytes, nodes), batch.keepStructures(2, bufferBytes, buffers))
}

// parts returns which nodes and buffers of a record batch the columns have that
// were located.
func (l *location) parts(batch flat) (nodes, buffers []int, err error) {
	type extent struct{ node, buffer, end int }
	all := make([]extent, len(l.shapes))
	var at extent
	view := 0
	for i, s := range l.shapes {
		e := extent{at.node, at.buffer, at.buffer + s.buffers}
		for range s.views {
			n := batch.variadic(view)
			if n < 0 || n > int64(batch.length(2)) {
				return nil, nil, fmt.Errorf("%d buffers of a view", n)
			}
			e.end += int(n)
			view++
		}
		all[i] = e
		at = extent{node: at.node + s.nodes, buffer: e.end}
	}
	for _, place := range l.places {
		nodes = append(nodes, all[place].node)
		for b := all[place].buffer; b < all[place].end; b++ {
			buffers = append(buffers, b)
		}
	}
	return nodes, buffers, nil
}

// variadic returns how many buffers more than others the n-th column of views has
// in a record batch.
func (f flat) variadic(n int) int64 {
	if n >= f.length(4) {
		return -1
	}
	return int64(binary.LittleEndian.Uint64(f.structure(4, n, 8)))
}

// int64 returns the number in a field, 0 if f does not have it.
func (f flat) int64(i uint32) int64 {
	at := f.field(i)
	if at == 0 {
		return 0
	}
	return int64(binary.LittleEndian.Uint64(f.b[at:]))
}
