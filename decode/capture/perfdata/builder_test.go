package perfdata

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"testing"
)

// Bytes of numbers.
func u16(v ...uint16) []byte { return numbers(v, binary.LittleEndian.AppendUint16) }
func u32(v ...uint32) []byte { return numbers(v, binary.LittleEndian.AppendUint32) }
func u64(v ...uint64) []byte { return numbers(v, binary.LittleEndian.AppendUint64) }

func numbers[T any](v []T, add func([]byte, T) []byte) (b []byte) {
	for _, x := range v {
		b = add(b, x)
	}
	return b
}

func join(parts ...[]byte) []byte { return slices.Concat(parts...) }

// rec is a record.
func rec(kind uint32, misc uint16, body ...[]byte) []byte {
	b := join(body...)
	return join(u32(kind), u16(misc, uint16(recordHeader+len(b))), b)
}

// at is a trailer of the sample type usual.
func at(pid, tid uint32, time uint64, cpu uint32) []byte {
	return join(u32(pid, tid), u64(time, 7), u32(cpu, 0))
}

// usual is the sample type of simpleperf's recordings: TID, TIME, ID and CPU in the trailer.
const usual = 0x1C7

func attr(sampleType, flags uint64) []byte {
	return join(u32(8, 112), u64(0, 1, sampleType, 0, flags), make([]byte, 112-48))
}

func aux(time, offset, size, flags uint64, cpu, tid uint32) []byte {
	return rec(11, 0, u64(offset, size, flags), at(tid, tid, time, cpu))
}

func trace(index uint32, cpu, tid uint32, offset uint64, payload []byte) []byte {
	return join(rec(71, 0, u64(uint64(len(payload)), offset, 0), u32(index, tid, cpu, 0)), payload)
}

// info is AUXTRACE_INFO of these blocks.
func info(version uint64, blocks ...[]byte) []byte {
	return rec(70, 0, u32(3, 0), u64(version, 8<<32|uint64(len(blocks)), 0), join(blocks...))
}

// block is the block of a CPU with an ETMv4, of version 1 or later.
func block(cpu, traceID uint64) []byte {
	return u64(blockETMv4, cpu, 7, 0x40, traceID, 0x28000EA1, 0x4100F422, 0x20001088, 0, 0x8C)
}

// A recording is a file in the making.
type recording struct {
	piped    bool
	attrs    [][]byte
	records  []byte
	features map[int][]byte
}

// simple is a recording of one CPU.
func simple(records ...[]byte) recording {
	return recording{attrs: [][]byte{attr(usual, sampleIDAll)}, records: join(info(1, block(0, 0x10)), join(records...))}
}

func (r recording) bytes() []byte {
	if r.piped {
		return r.pipe()
	}
	entry := 0
	var attrs []byte
	for _, a := range r.attrs {
		entry = len(a) + attrPlace
		attrs = join(attrs, a, u64(0, 0))
	}
	start := fileHeader + len(attrs)
	end := start + len(r.records)
	set := make([]uint64, 4)
	var table, sections []byte
	for _, bit := range slices.Sorted(maps.Keys(r.features)) {
		set[bit/64] |= 1 << (bit % 64)
		table = join(table, u64(uint64(end+16*len(r.features)+len(sections)), uint64(len(r.features[bit]))))
		sections = join(sections, r.features[bit])
	}
	return join([]byte(magic), u64(fileHeader, uint64(entry), fileHeader, uint64(len(attrs)), uint64(start), uint64(len(r.records)), 0, 0),
		u64(set...), attrs, r.records, table, sections)
}

func (r recording) pipe() []byte {
	b := join([]byte(magic), u64(pipedHeader))
	for _, a := range r.attrs {
		b = join(b, rec(64, 0, a, u64(7)))
	}
	for _, bit := range slices.Sorted(maps.Keys(r.features)) {
		if len(r.features[bit]) < 1<<15 {
			b = join(b, rec(80, 0, u64(uint64(bit)), r.features[bit]))
		}
	}
	return join(b, r.records)
}

// part is a part of these bytes.
func part(name string, b []byte) Part {
	return Part{Name: name, Data: bytes.NewReader(b), Size: int64(len(b))}
}

// read reads a file that is good.
func read(t testing.TB, r recording) *File {
	t.Helper()
	f, err := Read([]Part{part("perf.data", r.bytes())})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// split takes a good file apart: its first attribute, its records with what follows them, and
// its features. It shares nothing with the reader but numbers.
func split(b []byte) (recording, [][]byte) {
	word := func(at int) int { return int(binary.LittleEndian.Uint64(b[at:])) }
	r := recording{features: map[int][]byte{}}
	entry, first := word(16), word(24)
	for at := first; at < first+word(32); at += entry {
		r.attrs = append(r.attrs, b[at:at+entry-16])
	}
	start, end := word(40), word(40)+word(48)
	r.records = b[start:end]
	table := end
	for bit := range 256 {
		if b[72+bit/8]>>(bit%8)&1 != 0 {
			r.features[bit] = b[word(table):][:word(table+8)]
			table += 16
		}
	}
	var records [][]byte
	for at := start; at < end; {
		n := int(binary.LittleEndian.Uint16(b[at+6:]))
		switch binary.LittleEndian.Uint32(b[at:]) {
		case 71:
			n += word(at + 8)
		}
		records = append(records, b[at:at+n])
		at += n
	}
	return r, records
}
