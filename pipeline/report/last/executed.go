package last

import (
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
)

// An Executed is an instruction that was executed, or failed its condition.
type Executed struct {
	Seq         int64
	Address     schema.Address
	Size        uint8
	ISA         schema.ISA
	Opcode      uint32
	Kind        schema.Kind
	Executed    schema.Null[bool]
	Cycles      schema.Null[int64] // since the count before
	report.Name                    // of its function, with its own line

	Conditional bool // the program says that it may fail
}

// An Exception is a row of `exceptions`.
type Exception struct {
	Ordinal, Seq int64
	Event        schema.ExceptionEvent
	read.Exception
}

func executedAt(b *schema.Batch, row int) Executed {
	v := &b.Columns[schema.InstructionsExecuted]
	cycles := &b.Columns[schema.InstructionsCycles]
	x := Executed{
		Seq: int64(schema.InstructionsSeq.At(b, row)), Address: schema.InstructionsAddress.At(b, row),
		Size: schema.InstructionsSize.At(b, row),
		ISA:  schema.ISA(schema.InstructionsISA.At(b, row)), Opcode: schema.InstructionsOpcode.At(b, row),
		Kind:     schema.Kind(schema.InstructionsKind.At(b, row)),
		Executed: schema.Null[bool]{V: v.U8[row] != 0, OK: !v.Null(row)},
	}
	if !cycles.Null(row) {
		x.Cycles = schema.Of(int64(cycles.U32[row]))
	}
	return x
}

func exceptionAt(b *schema.Batch, row int) Exception {
	return Exception{
		Ordinal: int64(schema.ExceptionsOrdinal.At(b, row)), Seq: int64(schema.ExceptionsSeq.At(b, row)),
		Event:     schema.ExceptionEvent(schema.ExceptionsEvent.At(b, row)),
		Exception: read.ExceptionAt(b, row, schema.ExceptionsType, schema.ExceptionsNumber),
	}
}

// Branches says whether it can leave the straight line.
func (x *Executed) Branches() bool { return read.Branches(x.Kind) }

// String is type and number of an entry, or "return".
func (x *Exception) String() string {
	if x.Event == schema.ExceptionReturn {
		return schema.ExceptionEventNames[schema.ExceptionReturn]
	}
	return x.Exception.String()
}
