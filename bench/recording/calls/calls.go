// Package calls has programs that call, jump out of calls, switch stacks, handle signals and throw
// exceptions; what they executed, as QEMU recorded it; and which functions they entered from where,
// as their stack pointers say. record.sh makes it.
//
// The kernel is two instructions for each vector of [Kernel]: the vector branches to a handler, which returns from
// the exception to where the kernel had the program continue. The recordings have one, at the vector.
//
// Its API is not stable (docs/guide/library.md).
package calls

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/recording"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// Names are those of the programs: files of the folder program.
var Names = []string{"jump", "switch", "signal", "throw"}

//go:embed *.gz
var files embed.FS

// A Program is a program and what it executed.
type Program struct {
	ELF     []byte
	Memory  []image.Region // of the ELF file, and of the kernel
	Entries []Entry        // all entries of functions, in order
	steps   []byte
}

// An Entry is the entry of a function.
type Entry struct {
	Function string
	Stack    int // where it ran: 0 is that of the program
	Depth    int // in the stack, from 1
	Called   bool
}

// Kernel is where the vectors of the kernel are.
const Kernel = 0xFFFF0000

// Vectors of the kernel, and as many handlers after them.
const vectors = 8

// Load returns a program of Names.
func Load(name string) (*Program, error) {
	p := &Program{}
	var text []byte
	for file, to := range map[string]*[]byte{".elf.gz": &p.ELF, ".txt.gz": &p.steps, ".calls.gz": &text} {
		var err error
		if *to, err = unzip(name + file); err != nil {
			return nil, fmt.Errorf("%s: %w", name+file, err)
		}
	}
	var err error
	if p.Memory, err = Memory(p.ELF); err != nil {
		return nil, err
	}
	p.Entries, err = readEntries(string(text))
	p.steps = withHandlers(p.steps)
	return p, err
}

// withHandlers has each vector of a recording go to its handler.
func withHandlers(steps []byte) []byte {
	for v := range schema.Address(vectors) {
		vector := fmt.Appendf(nil, "\n%08x a32 1\n", Kernel+4*v)
		steps = bytes.ReplaceAll(steps, vector, fmt.Appendf(slices.Clip(vector), "%08x a32 1\n", Kernel+4*(v+vectors)))
	}
	return steps
}

func unzip(name string) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(text)
}

// Memory returns the memory of an ELF file, and that of the kernel.
func Memory(elf []byte) ([]image.Region, error) {
	regions, err := image.ReadELF(image.File{Name: "program", Data: bytes.NewReader(elf), Size: int64(len(elf))}, nil)
	if err != nil {
		return nil, err
	}
	var kernel []byte
	for _, opcode := range []uint32{0xEA000006, 0xE1B0F00E} { // B handlers; MOVS PC, LR
		for range vectors {
			kernel = binary.LittleEndian.AppendUint32(kernel, opcode)
		}
	}
	return append(regions, image.Region{Address: Kernel, Bytes: kernel, Space: image.AnySpace}), nil
}

// Steps returns what was executed, in non-secure state.
func (p *Program) Steps() step.Steps {
	return recording.Read(bytes.NewReader(p.steps), program.New(image.New(p.Memory...)), schema.NonSecure)
}

// readEntries reads lines of truth.py.
func readEntries(text string) (all []Entry, err error) {
	stack := 0
	for line := range strings.Lines(text) {
		w := strings.Fields(line)
		switch {
		case len(w) == 2 && w[0] == "task":
			stack, err = strconv.Atoi(w[1])
		case len(w) == 3:
			e := Entry{Function: w[2], Stack: stack, Called: w[1] == "c"}
			e.Depth, err = strconv.Atoi(w[0])
			all = append(all, e)
		default:
			err = fmt.Errorf("calls: cannot read %q", line)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}
