package generate

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/bench/execute"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// A Workload is a program with what an executor has to know of it.
type Workload struct {
	Memory   []image.Region
	Tasks    []execute.Task // with context IDs and VMIDs of their own, from 1
	Targets  []step.Place
	Handlers map[schema.ExceptionType]step.Place
	Code     func(step.Place) bool // whether there is code; nil: where there is memory
	Arch     program.Arch
	// HighVectors says that the vectors are at 0xFFFF0000, not at 0: of V5TE, and of
	// recordings of Linux programs.
	HighVectors bool
	looped      bool // each task calls its entry again and again
	// Recorded, if not nil, is what was executed: it can be had once. Then there
	// is nothing to be made up, and but for Memory all of the above is empty.
	Recorded step.Steps
}

// Program returns the program, for one goroutine.
func (w *Workload) Program() *program.Program { return program.For(w.Arch, image.New(w.Memory...)) }

// tasks are how many threads of execution a workload has.
const tasks = 4

// newTasks makes tasks that begin at the entry and at some targets.
func newTasks(entry step.Place, targets []step.Place) []execute.Task {
	all := []execute.Task{{Entry: entry, ContextID: 1, VMID: 1}}
	for i := 1; i < tasks && len(targets) > 0; i++ {
		all = append(all, execute.Task{Entry: targets[i*len(targets)/tasks], ContextID: uint32(i + 1), VMID: uint32(i%2 + 1)})
	}
	return all
}

// GeneratedWorkload is a program made up.
func GeneratedWorkload(o codegen.Options) (*Workload, error) {
	g, err := codegen.Generate(o)
	if err != nil {
		return nil, err
	}
	return &Workload{
		Memory: g.Regions(), Tasks: newTasks(g.Entry, g.Targets), Targets: g.Targets,
		Handlers: g.Handlers, Arch: o.Arch, HighVectors: o.HighVectors,
	}, nil
}

// kernelLevel is the exception level that exceptions are taken to.
const kernelLevel = 1

// ELFWorkload is the program of an ELF file, for an architecture. It begins at the
// entry; indirect branches lead to functions that symbols name; exceptions
// go to the vector table, if a symbol names that. Those of V5TE go to 0 or to
// 0xFFFF0000, from where memory that is added leads to the table.
func ELFWorkload(name string, file []byte, arch program.Arch) (*Workload, error) {
	regions, f, err := readELF(name, file)
	if err != nil {
		return nil, err
	}
	if arch == program.V5TE && program.LaterThanV5TE(f) {
		return nil, fmt.Errorf("%s: the program is for a later architecture than %s; give one that was built for it, with "+
			"-mcpu=arm926ej-s for example", name, arch)
	}
	security := schema.Secure
	if arch == program.V7A || arch == program.V8A {
		security = schema.NonSecure // where programs run by default
	}
	targets, err := program.Functions(f, security)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; give one that is not stripped", name, err)
	}
	entry := program.At(f, f.Entry, security)
	if arch == program.V8A { // where programs without a kernel run
		entry.Level = kernelLevel
		for i := range targets {
			targets[i].Level = kernelLevel
		}
	}
	w := &Workload{Memory: regions, Code: program.Code(f), Arch: arch}
	w.Targets = slices.DeleteFunc(targets, func(p step.Place) bool { return !w.mapped(p.Address) })
	w.Tasks = newTasks(entry, w.Targets)
	if err := w.setHandlers(f); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return w, nil
}

// loopBytes is how far the loops of tasks are from the program, and from each other.
const loopBytes = 1 << 12

// Looped returns the workload with tasks that call their entries for ever, so that no function
// returns which nobody called: their loops are two instructions each, of A32 or A64, after the program but below high
// vectors.
func (w *Workload) Looped() *Workload {
	looped := *w
	looped.Memory, looped.Tasks, looped.looped = slices.Clone(w.Memory), slices.Clone(w.Tasks), true
	var at schema.Address
	for _, r := range w.Memory {
		if end := r.Address + schema.Address(len(r.Bytes)); r.Address < program.Vectors(true) || r.Address >= schema.End32 {
			at = max(at, end)
		}
	}
	for i := range looped.Tasks {
		t := &looped.Tasks[i]
		at = (at + 2*loopBytes - 1) &^ (loopBytes - 1)
		code, set := callLoop(t.Entry, at)
		looped.Memory = append(looped.Memory, image.Region{Address: at, Bytes: code})
		t.Entry.Address, t.Entry.ISA = at, set
	}
	return &looped
}

// callLoop is code for an address that calls an entry for ever, and the instruction set it is in.
func callLoop(entry step.Place, at schema.Address) ([]byte, schema.ISA) {
	distance := uint32(entry.Address - at - 8)
	call, back, set := 0xEB000000|distance>>2&0xFFFFFF, uint32(0xEAFFFFFD), schema.A32 // BL; B to it
	switch entry.ISA {
	case schema.A64:
		call, back, set = 0x94000000|(distance+8)>>2&0x3FFFFFF, 0x17FFFFFF, schema.A64
	case schema.T32:
		call = 0xFA000000 | distance>>1&1<<24 | distance>>2&0xFFFFFF // BLX
	}
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, call), back), set
}

// readELF reads an ELF file and its memory. It fails if that has no place of its
// own.
func readELF(name string, file []byte) ([]image.Region, *elf.File, error) {
	regions, err := image.ReadELF(image.File{
		Name: name, SHA256: sha256.Sum256(file), Data: bytes.NewReader(file), Size: int64(len(file)),
	}, nil)
	if wrong, ok := errors.AsType[*image.FormatError](err); ok { // whose remedy is a flag of export
		err = &image.FormatError{
			Problem: wrong.Problem,
			Remedy:  "give an Arm program that has a place of its own in memory, as -no-pie links it",
		}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return regions, f, nil
}

// mapped says whether there is program memory at an address.
func (w *Workload) mapped(address schema.Address) bool {
	_, ok := w.word(address &^ 3)
	return ok
}

// word returns the word at an address.
func (w *Workload) word(address schema.Address) (uint32, bool) {
	for i := range w.Memory {
		r := &w.Memory[i]
		at := int64(address) - int64(r.Address)
		if at >= 0 && at+4 <= int64(len(r.Bytes)) {
			return binary.LittleEndian.Uint32(r.Bytes[at:]), true
		}
	}
	return 0, false
}
