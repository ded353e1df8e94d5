// Package jit reads what runtimes write about the code that they make while they run: a jitdump
// has its bytes, a perf-PID.map its names.
//
// Its API is not stable (docs/guide/library.md).
package jit

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// A Dump is what a jitdump tells (tools/perf/Documentation/jitdump-specification.txt of Linux).
type Dump struct {
	AArch64 bool  // else AArch32
	PID     int32 // of the process that wrote it
	// Counter tells that times are not those of perf's clock, but of the processor's counter.
	Counter bool
	Codes   []Code // in the order of the file, which is that of time
	Cut     int64  // offset of the record that is not whole, at which reading ended; 0: none
}

// A Code is code from a time on: what was made then, or moved.
type Code struct {
	Time    uint64
	Address schema.Address
	Size    uint64 // in bytes
	Offset  uint64 // of its bytes in the file
	Name    string
}

// Sizes in bytes, and kinds of records.
const (
	fileHeader   = 40
	recordHeader = 16
	loadBody     = 40
	moveBody     = 48

	loadRecord  = 0
	moveRecord  = 1
	closeRecord = 3
)

// maxName is how many bytes of a name are read.
const maxName = 4096

// counterFlag is JITDUMP_FLAGS_ARCH_TIMESTAMP.
const counterFlag = 1

// ReadDump reads a jitdump. It fails with an [image.FormatError] if it is none of an Arm core; one
// that ends inside a record, as a process leaves it that was killed, is read up to there. The bytes
// of code stay in the file.
func ReadDump(f image.File) (*Dump, error) {
	r := reader{file: f, codes: map[uint64]int{}}
	start, err := r.header()
	if err != nil {
		return nil, err
	}
	return &r.dump, r.records(start)
}

type reader struct {
	file  image.File
	dump  Dump
	codes map[uint64]int // where the last code of a number is in the dump
}

// header reads the file header, and returns where the records begin.
func (r *reader) header() (int64, error) {
	b, ok, err := r.read(0, fileHeader)
	word := binary.LittleEndian.Uint32
	switch {
	case err != nil:
		return 0, err
	case !ok || word(b) != 0x4A695444 && word(b) != 0x4454694A:
		return 0, &image.FormatError{Problem: "is no jitdump", Remedy: "give the jit-PID.dump that the runtime wrote"}
	case word(b) == 0x4454694A:
		return 0, &image.FormatError{Problem: "is a big-endian jitdump", Remedy: "only little-endian ones are read"}
	case word(b[8:]) < fileHeader || int64(word(b[8:])) > r.file.Size:
		return 0, &image.FormatError{
			Problem: fmt.Sprintf("has a header of %d bytes", word(b[8:])), Remedy: "the file is damaged",
		}
	}
	switch m := elf.Machine(word(b[12:])); m {
	case elf.EM_AARCH64:
		r.dump.AArch64 = true
	case elf.EM_ARM:
	default:
		return 0, &image.FormatError{
			Problem: fmt.Sprintf("is a jitdump of another machine, %v", m), Remedy: "give that of the process that was traced",
		}
	}
	r.dump.PID = int32(word(b[20:]))
	r.dump.Counter = binary.LittleEndian.Uint64(b[32:])&counterFlag != 0
	return int64(word(b[8:])), nil
}

// records reads the records from an offset on.
func (r *reader) records(at int64) error {
	for at < r.file.Size {
		h, ok, err := r.read(at, recordHeader)
		if err != nil {
			return err
		}
		size := int64(0)
		if ok {
			size = int64(binary.LittleEndian.Uint32(h[4:]))
		}
		if size < recordHeader || size > r.file.Size-at {
			r.dump.Cut = at
			return nil
		}
		kind, time := binary.LittleEndian.Uint32(h), binary.LittleEndian.Uint64(h[8:])
		switch kind {
		case loadRecord:
			ok, err = r.load(time, at+recordHeader, size-recordHeader)
		case moveRecord:
			ok, err = r.move(time, at+recordHeader, size-recordHeader)
		case closeRecord:
			return nil
		}
		if err != nil {
			return err
		}
		if !ok {
			r.dump.Cut = at
			return nil
		}
		at += size
	}
	return nil
}

// load reads the body of JIT_CODE_LOAD: its name and its code end it. It is false if they do not
// fit.
func (r *reader) load(time uint64, at, size int64) (bool, error) {
	b, ok, err := r.read(at, min(size, loadBody+maxName))
	if !ok || err != nil || size < loadBody {
		return false, err
	}
	word := binary.LittleEndian.Uint64
	code, number := word(b[24:]), word(b[32:])
	name, _, ended := bytes.Cut(b[loadBody:], []byte{0})
	if code > uint64(size-loadBody) || !ended && size <= loadBody+maxName {
		return false, nil
	}
	r.codes[number] = len(r.dump.Codes)
	r.dump.Codes = append(r.dump.Codes, Code{
		Time: time, Address: schema.Address(word(b[16:])), Size: code, Offset: uint64(at+size) - code, Name: string(name),
	})
	return true, nil
}

// move reads the body of JIT_CODE_MOVE. One of code that is not known tells nothing.
func (r *reader) move(time uint64, at, size int64) (bool, error) {
	b, ok, err := r.read(at, min(size, moveBody))
	if !ok || err != nil || size < moveBody {
		return false, err
	}
	word := binary.LittleEndian.Uint64
	i, known := r.codes[word(b[40:])]
	if !known {
		return true, nil
	}
	moved := r.dump.Codes[i]
	moved.Time, moved.Address = time, schema.Address(word(b[24:]))
	moved.Size = min(moved.Size, word(b[32:]))
	r.codes[word(b[40:])] = len(r.dump.Codes)
	r.dump.Codes = append(r.dump.Codes, moved)
	return true, nil
}

// read returns n bytes from an offset on; it is false if the file has fewer.
func (r *reader) read(at, n int64) ([]byte, bool, error) {
	if n > r.file.Size-at {
		return nil, false, nil
	}
	b := make([]byte, n)
	if _, err := r.file.Data.ReadAt(b, at); err != nil && err != io.EOF {
		return nil, false, fmt.Errorf("read %s: %w", r.file.Name, err)
	}
	return b, true, nil
}
