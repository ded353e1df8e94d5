package perfdata

import (
	"fmt"
	"math/bits"
)

// Sizes of the header (§1).
const (
	pipedHeader = 16
	oldHeader   = 72 // without features
	fileHeader  = 104
)

// A section is a stretch of a part.
type section struct{ offset, size int64 }

func (s section) end() int64 { return s.offset + s.size }

// readHeader reads the header, attributes and features of the first part, and returns where
// its records are.
func (r *reader) readHeader() (section, error) {
	part := r.w.part
	if part.Size < pipedHeader {
		return section{}, r.truncatedHeader(pipedHeader)
	}
	b, err := r.w.at(0, pipedHeader)
	if err != nil {
		return section{}, err
	}
	f := fields{b: b}
	switch string(f.take(len(magic))) {
	case magic:
	case magicSwapped:
		return section{}, r.bad(0, "was recorded on a big-endian machine", "little-endian recordings alone are read")
	default:
		return section{}, r.bad(0, "does not begin with PERFILE2: it is no perf.data", "name a file of perf record or simpleperf record")
	}
	switch size := f.u64(); size {
	case pipedHeader:
		r.f.Piped = true
		return section{pipedHeader, part.Size - pipedHeader}, nil
	case oldHeader, fileHeader:
		if uint64(part.Size) < size {
			return section{}, r.truncatedHeader(size)
		}
		return r.readFileHeader(int(size))
	default:
		return section{}, r.bad(8, fmt.Sprintf("has a header of %d bytes", size), "it has 104, or 16 in a pipe: record it again")
	}
}

func (r *reader) truncatedHeader(size uint64) error {
	return r.bad(r.w.part.Size, fmt.Sprintf("ends inside its header of %d bytes", size), "copy it again")
}

// readFileHeader reads what follows the header's own size, in a file.
func (r *reader) readFileHeader(size int) (section, error) {
	b, err := r.w.at(0, size)
	if err != nil {
		return section{}, err
	}
	f := fields{b: b[pipedHeader:]}
	entry, attrs, data := f.u64(), [2]uint64{f.u64(), f.u64()}, [2]uint64{f.u64(), f.u64()}
	f.take(16) // event types
	set := [4]uint64{f.u64(), f.u64(), f.u64(), f.u64()}
	if err := r.readAttributes(entry, attrs); err != nil {
		return section{}, err
	}
	file := uint64(r.w.part.Size)
	if data[0] > file {
		return section{}, r.bad(40, fmt.Sprintf("has its records at offset %#x, beyond its end", data[0]), "copy it again")
	}
	records := section{int64(data[0]), int64(min(data[1], file-data[0]))}
	switch {
	case data[1] == 0:
		records.size = int64(file - data[0])
		r.note("%s was not completed, as perf record was killed: its records are read up to its end, and its features are unknown",
			r.w.part.Name)
		return records, nil
	case records.size < int64(data[1]):
		r.note("%s is cut off: its records go on for %d bytes after its end, and its features are lost",
			r.w.part.Name, data[1]-uint64(records.size))
		return records, nil
	}
	return records, r.readFeatures(records.end(), set)
}

// readFeatures reads the sections of the features that are set (§9). A bad one is noted, and
// left out.
func (r *reader) readFeatures(table int64, set [4]uint64) error {
	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			bit := uint64(64*i + bits.TrailingZeros64(word))
			if r.w.part.Size-table < 16 {
				r.note("%s ends inside the table of its features: those from %d on are unknown", r.w.part.Name, bit)
				return nil
			}
			b, err := r.w.at(table, 16)
			if err != nil {
				return err
			}
			table += 16
			f := fields{b: b}
			if err := r.readFeatureSection(bit, f.u64(), f.u64()); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reader) readFeatureSection(bit, offset, size uint64) error {
	file := uint64(r.w.part.Size)
	switch {
	case !known(bit):
		return nil
	case offset > file || size > file-offset:
		r.note("%s: feature %d is beyond the end of the file, and left out", r.w.part.Name, bit)
		return nil
	case bit == featureBuildID:
		return r.readBuildIDs(section{int64(offset), int64(size)})
	case size > mostAhead:
		r.note("%s: feature %d has %d bytes, too many, and is left out", r.w.part.Name, bit, size)
		return nil
	}
	w := window{part: r.w.part} // that of the table stays
	b, err := w.at(int64(offset), int(size))
	if err != nil {
		return err
	}
	r.feature(bit, b)
	return nil
}
