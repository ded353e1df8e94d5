package perfdata

import (
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/tracelake/tracelake/decode/figures"
)

// Limits on compressed records (§10).
const (
	maxWindow     = 8 << 20  // bytes that a stream may refer back, all of which are in memory: levels up to 19
	maxUnpacked   = 64 << 20 // bytes of one record, where the file does not say; of all, without a look at maxRatio
	maxRatio      = 1000     // of unpacked to compressed bytes, beyond the first maxUnpacked
	zstdKind      = 1
	unpackedBytes = 128 << 10 // twice the longest record
)

// A packing is how records are compressed, as a feature describes it.
type packing struct {
	kind uint32 // 0: not described
	most int64  // bytes that one record unpacks to; 0: not described
}

// describe takes in the feature.
func (p *packing) describe(f *fields) {
	f.u32() // version
	p.kind = f.u32()
	f.take(8) // level, ratio
	p.most = int64(f.u32())
}

// A packed is the stream of compressed records of a part. When the decompressor wants more than
// one record has, the records up to the next compressed one are taken in.
type packed struct {
	s      *records
	record int64  // offset of the compressed record that is read
	rest   []byte // of it
	most   int64  // bytes that it may unpack to

	in, out   int64 // bytes of all records
	recordOut int64 // bytes unpacked of this record
	pending   bool  // bytes were read since the last that were unpacked
	ended     bool  // there are no more records
	err       error // of a record; not of zstd
}

// readCompressed reads the rest of a part, which begins with the compressed record rec.
func (r *reader) readCompressed(s *records, rec *record) error {
	if kind := r.unpack.kind; kind != 0 && kind != zstdKind {
		return r.bad(r.offset, fmt.Sprintf("has records that are compressed in a way %d", kind),
			"record without -z, or with zstd, which is 1")
	}
	p := &packed{s: s, most: maxUnpacked}
	if r.unpack.most > 0 {
		p.most = r.unpack.most
	}
	p.begin(rec)
	z, err := zstd.NewReader(p, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderLowmem(true))
	if err != nil {
		return err
	}
	defer z.Close()
	return p.readAll(z)
}

// begin begins with a compressed record.
func (p *packed) begin(rec *record) {
	p.record, p.recordOut, p.rest = p.s.r.offset, 0, rec.body
	if rec.kind == recordCompressed2 {
		f := fields{b: rec.body}
		n := f.u64()
		if p.rest = f.b; n < uint64(len(f.b)) {
			p.rest = f.b[:n] // the rest is padding
		}
	}
	p.in += int64(len(p.rest))
}

// Read reads the compressed stream.
func (p *packed) Read(b []byte) (int, error) {
	for len(p.rest) == 0 {
		rec, err := p.s.read()
		switch {
		case err != nil:
			p.err = err
			return 0, err
		case rec == nil:
			p.ended = true
			return 0, io.EOF
		case rec.kind == recordCompressed || rec.kind == recordCompressed2:
			p.begin(rec)
			continue
		}
		if p.err = p.s.r.record(rec); p.err != nil {
			return 0, p.err
		}
	}
	n := copy(b, p.rest)
	p.rest, p.pending = p.rest[n:], true
	return n, nil
}

// readAll takes in the records that z unpacks.
func (p *packed) readAll(z io.Reader) error {
	r := p.s.r
	buf := make([]byte, 0, unpackedBytes)
	var skip int64
	for {
		n, err := z.Read(buf[len(buf):cap(buf)])
		switch {
		case p.err != nil:
			return p.err
		case p.ended && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)): // perf does not end the stream
			p.checkEnd(len(buf) > 0 || skip > 0)
			return nil
		case err != nil:
			return p.damaged(err)
		}
		if err := p.unpacked(int64(n)); err != nil {
			return err
		}
		r.offset = p.record
		buf = buf[:len(buf)+n]
		if buf, skip, err = p.take(buf, skip); err != nil {
			return err
		}
	}
}

// unpacked counts bytes, of which there may not be too many.
func (p *packed) unpacked(n int64) error {
	p.pending = false
	p.out += n
	p.recordOut += n
	problem := ""
	switch {
	case p.recordOut > p.most:
		problem = "has a compressed record of more than " + figures.Count(p.most, "byte") + ", the most that it says"
	case p.out-maxUnpacked > maxRatio*p.in:
		problem = fmt.Sprintf("has compressed records of more than %d times their size", maxRatio)
	default:
		return nil
	}
	return p.s.r.bad(p.record, problem, recordPlain)
}

// take takes in the whole records of buf but for the first skip bytes, and returns buf with what
// is left, and how many bytes to skip of what follows.
func (p *packed) take(buf []byte, skip int64) ([]byte, int64, error) {
	r, b := p.s.r, buf
	for {
		n := min(skip, int64(len(b)))
		if b, skip = b[n:], skip-n; len(b) < recordHeader {
			break
		}
		rec := parseHeader(b)
		switch {
		case rec.size < recordHeader:
			return nil, 0, r.bad(p.record, "has a compressed record smaller than its header", recordPlain)
		case rec.kind == recordAUXTRACE:
			return nil, 0, r.bad(p.record, "has compressed trace (AUXTRACE), as perf never has", recordPlain)
		case rec.kind >= firstOfSimpleperf:
			skip = rec.size
			continue
		case rec.size > int64(len(b)):
			return append(buf[:0], b...), 0, nil
		}
		rec.body = b[recordHeader:rec.size]
		if err := r.record(&rec); err != nil {
			return nil, 0, err
		}
		skip = rec.size + rec.payload()
	}
	return append(buf[:0], b...), skip, nil
}

// checkEnd notes what is left over at the end of the stream.
func (p *packed) checkEnd(rest bool) {
	if rest || p.pending {
		p.s.r.note("%s: the compressed records end inside a record, at offset %#x", p.s.r.w.part.Name, p.record)
	}
}

// damaged returns the error of a stream that cannot be unpacked.
func (p *packed) damaged(err error) error {
	e := p.s.r.bad(p.record, fmt.Sprintf("has a compressed record that is no zstd (%v)", err),
		"copy it again, or record it again without -z")
	if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		e.Problem = "has compressed records that refer back more than 8 MiB"
		e.Remedy = "record it with perf record -z of a level up to 19"
	}
	e.Err = err
	return e
}
