package schema

// An Instruction is a row of `instructions` (docs/tables.md).
type Instruction struct {
	Source     uint8
	Seq        int64       // in its source, from 0
	Segment    Null[int32] // NULL before the first
	ByteOffset int64       // in the capture, of the packet that reported it
	Address    Address
	Size       uint8 // bytes
	ISA        ISA
	Opcode     uint32
	Kind       Kind
	Executed   Null[bool]   // whether it passed its condition: of a branch, whether it was taken
	Cycles     Null[uint32] // since the count before
	Epoch      int32
	Cycle      Null[int64] // from the start of the epoch, with those of the instruction
	Timestamp  Null[uint64]
	ContextID  Null[uint32]
	VMID       Null[uint32]
	Security   Security
	// ExceptionLevel is 0 to 3. Transaction says that it was executed in one. NULL: the trace
	// does not say.
	ExceptionLevel Null[uint8]
	Transaction    Null[bool]
}

// InstructionOf returns a row of a batch of [Instructions] whose columns are plain, as readers
// return them.
func InstructionOf(b *Batch, row int) Instruction {
	v := b.of(&Instructions)
	return Instruction{
		Source: v[InstructionsSource].U8[row], Seq: int64(v[InstructionsSeq].U64[row]),
		Segment:    nullOf(v[InstructionsSegment].Valid, row, int32(v[InstructionsSegment].U32[row])),
		ByteOffset: int64(v[InstructionsByteOffset].U64[row]),
		Address:    Address(v[InstructionsAddress].U64[row]), Size: v[InstructionsSize].U8[row],
		ISA: ISA(v[InstructionsISA].U8[row]), Opcode: v[InstructionsOpcode].U32[row],
		Kind:           Kind(v[InstructionsKind].U8[row]),
		Executed:       nullOf(v[InstructionsExecuted].Valid, row, v[InstructionsExecuted].U8[row] == 1),
		Cycles:         nullOf(v[InstructionsCycles].Valid, row, v[InstructionsCycles].U32[row]),
		Epoch:          int32(v[InstructionsEpoch].U32[row]),
		Cycle:          nullOf(v[InstructionsCycle].Valid, row, int64(v[InstructionsCycle].U64[row])),
		Timestamp:      nullOf(v[InstructionsTimestamp].Valid, row, v[InstructionsTimestamp].U64[row]),
		ContextID:      nullOf(v[InstructionsContextID].Valid, row, v[InstructionsContextID].U32[row]),
		VMID:           nullOf(v[InstructionsVMID].Valid, row, v[InstructionsVMID].U32[row]),
		Security:       Security(v[InstructionsSecurity].U8[row]),
		ExceptionLevel: nullOf(v[InstructionsExceptionLevel].Valid, row, v[InstructionsExceptionLevel].U8[row]),
		Transaction:    nullOf(v[InstructionsTransaction].Valid, row, v[InstructionsTransaction].U8[row] == 1),
	}
}

// nullOf returns a value of a row, or NULL as the column says.
func nullOf[T any](valid []uint8, row int, value T) Null[T] {
	if valid[row] == 0 {
		return Null[T]{}
	}
	return Of(value)
}
