package generate

import (
	"debug/elf"
	"encoding/binary"
	"slices"

	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// vectorSymbols are the names that start-up code gives to its vector table.
var vectorSymbols = []string{
	"vectors", "_vectors", "__vectors", "vector_table", "_vector_table", "__isr_vector",
	"g_pfnVectors", "__Vectors",
}

// setHandlers sets the handlers to those of the vector table that a symbol names:
// none if there is no such symbol, but that of reset, which is the entry.
func (w *Workload) setHandlers(f *elf.File) error {
	symbols, err := f.Symbols()
	if err != nil {
		return err
	}
	table := schema.Null[schema.Address]{}
	if i := slices.IndexFunc(symbols, func(s elf.Symbol) bool { return slices.Contains(vectorSymbols, s.Name) }); i >= 0 {
		table = schema.Of(schema.Address(symbols[i].Value))
	}
	w.Handlers = map[schema.ExceptionType]step.Place{schema.ExcReset: w.Tasks[0].Entry}
	switch {
	case w.Arch == program.V5TE:
		w.fixedVectors(table)
	case table.OK && w.Arch.ProfileM():
		w.vectorsV7M(table.V)
	case table.OK && f.Machine == elf.EM_AARCH64:
		w.vectorsA64(table.V)
	case table.OK:
		w.vectorsAt(table.V)
	}
	return nil
}

// vectorsAt takes the handlers from the vectors that begin at an address.
func (w *Workload) vectorsAt(table schema.Address) {
	for x, offset := range vectorOffsets {
		at := step.Place{Address: table + offset, ISA: schema.A32}
		if w.Arch == program.V8A {
			x, _ = program.InV8A(x)
			at.Level = kernelLevel
		}
		w.Handlers[x] = at
	}
}

// vectorsA64 takes the handlers from the vectors of AArch64 that begin at an address.
func (w *Workload) vectorsA64(table schema.Address) {
	for x, offset := range program.VectorsA64() {
		if x != schema.ExcHVC && x != schema.ExcSMC { // taken to levels that have others
			w.Handlers[x] = step.Place{Address: table + program.FromSame + offset, ISA: schema.A64, Level: kernelLevel}
		}
	}
}

// vectorsV7M reads the handlers from a table of profile M.
func (w *Workload) vectorsV7M(table schema.Address) {
	for x, number := range vectorNumbers {
		word, ok := w.word(table + 4*schema.Address(number))
		// What is 0 is not there.
		if at := schema.Address(word); ok && at&1 == 1 && w.mapped(at) {
			w.Handlers[x] = step.Place{Address: at &^ 1, ISA: schema.T32}
		}
	}
}

// fixedVectors takes the handlers from the vectors of V5TE. Where the program has
// its table elsewhere, or none, memory is added as start-up code would have it: at 0,
// or at 0xFFFF0000 if the program lies at 0.
func (w *Workload) fixedVectors(table schema.Null[schema.Address]) {
	for _, high := range []bool{false, true} {
		base := program.Vectors(high)
		if ours := table.OK && table.V == base; ours || !w.mapped(base) {
			if !ours {
				w.addVectors(base, table)
			}
			w.HighVectors = high
			if table.OK {
				w.vectorsAt(base)
				w.Handlers[schema.ExcFIQ] = step.Place{Address: base + fiqOffset, ISA: schema.A32}
			}
			w.Handlers[schema.ExcReset] = step.Place{Address: base, ISA: schema.A32}
			return
		}
	}
}

// addVectors adds memory with vectors that lead to those of the program's table,
// and on reset to its entry.
func (w *Workload) addVectors(base schema.Address, table schema.Null[schema.Address]) {
	const vectors = 8
	page := make([]byte, 0, 2*4*vectors)
	for range vectors {
		page = binary.LittleEndian.AppendUint32(page, 0xE59FF000|(4*vectors-8)) // LDR PC,[PC,#24]
	}
	entry := w.Tasks[0].Entry
	page = binary.LittleEndian.AppendUint32(page, uint32(entry.Address)|uint32(entry.ISA))
	for i := uint32(1); i < vectors; i++ {
		page = binary.LittleEndian.AppendUint32(page, uint32(table.V)+4*i)
	}
	w.Memory = append(w.Memory, image.Region{Address: base, Bytes: page})
	if code := w.Code; code != nil {
		w.Code = func(at step.Place) bool { return at.Address-base < 4*vectors || code(at) }
	}
}

// fiqOffset is the vector of FIQ, which programs of profile A and R seldom have code
// for.
const fiqOffset = 0x1C

// vectorOffsets are the vectors of profiles A and R that programs have code for
// (DDI 0406C, table B1-3).
var vectorOffsets = map[schema.ExceptionType]schema.Address{
	schema.ExcUndefined: 0x04, schema.ExcSVC: 0x08, schema.ExcPrefetchAbort: 0x0C, schema.ExcDataAbort: 0x10,
	schema.ExcIRQ: 0x18,
}

// vectorNumbers are the exception numbers of profile M (DDI 0403E, table B1-4).
var vectorNumbers = map[schema.ExceptionType]uint32{
	schema.ExcNMI: 2, schema.ExcHardFault: 3, schema.ExcMemManage: 4, schema.ExcBusFault: 5, schema.ExcUsageFault: 6,
	schema.ExcSVC: 11, schema.ExcDebugMonitor: 12, schema.ExcPendSV: 14, schema.ExcSysTick: 15, schema.ExcIRQ: 16,
}
