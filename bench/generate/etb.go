package generate

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/internal/splitmix"
)

// This file turns the words of an ETB: the oldest is where the next one would be written
// (docs/etmv2.md §3.2).

// turned is how the bytes of a ring lie in the memory of an ETB. The zero value is as
// they were written.
type turned struct {
	size int64 // of the memory; 0: nothing is turned
	by   int64 // where the oldest byte is
	used int64 // bytes that were written
}

// turn returns how an ETB of so many bytes holds the last of so many samples, and notes
// its registers.
func (f *PortFile) turn(samples int64, ring int) turned {
	if !f.etb {
		return turned{}
	}
	word, each := f.RecordBytes()
	words, written := int64(ring/word), samples/int64(each)
	t := turned{size: words * int64(word), used: min(words, written) * int64(word)}
	full := written > words
	if full {
		t.by = written % words * int64(word)
	}
	pointer := t.by / int64(word)
	if !full {
		pointer = written
	}
	f.status = []string{fmt.Sprintf("ETBRWP=0x%08X", pointer), fmt.Sprintf("ETBSTS=0x%08X", encode.Bit(full, 0))}
	return t
}

// offset is where a byte of what was written is.
func (t turned) offset(at int64) int64 {
	if t.size == 0 {
		return at
	}
	return (at + t.by) % t.size
}

// apply turns what was written to f. Words that were never written have anything.
func (t turned) apply(f *os.File) error {
	if t.size == 0 {
		return nil
	}
	b := make([]byte, t.size)
	if _, err := io.ReadFull(io.NewSectionReader(f, 0, t.used), b[:t.used]); err != nil {
		return err
	}
	for i := t.used; i < t.size; i++ {
		b[i] = byte(splitmix.Hash(uint64(t.size), uint64(i)))
	}
	first := t.size - t.by
	_, err := io.Copy(io.NewOffsetWriter(f, 0), bytes.NewReader(slices.Concat(b[first:], b[:first])))
	return err
}
