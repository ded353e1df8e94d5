package dataset

import (
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// Where the columns are that an expansion reads and writes.
var (
	insSeq      = column(&schema.Instructions, "seq")
	insAddress  = column(&schema.Instructions, "address")
	insSize     = column(&schema.Instructions, "size")
	insISA      = column(&schema.Instructions, "isa")
	insOpcode   = column(&schema.Instructions, "opcode")
	insKind     = column(&schema.Instructions, "kind")
	insExecuted = column(&schema.Instructions, "executed")
	insCycles   = column(&schema.Instructions, "cycles")
	insCycle    = column(&schema.Instructions, "cycle")

	blkSeq          = column(&schema.Blocks, "seq")
	blkCodeBlock    = column(&schema.Blocks, "code_block")
	blkInstructions = column(&schema.Blocks, "instructions")
	blkFirst        = column(&schema.Blocks, "first")
	blkFailed       = column(&schema.Blocks, "failed")
	blkOutcome      = column(&schema.Blocks, "outcome")
	blkCycles       = column(&schema.Blocks, "cycles")
	blkCycle        = column(&schema.Blocks, "cycle")

	codeNumber   = column(&schema.CodeBlocks, "code_block")
	codePosition = column(&schema.CodeBlocks, "position")
	codeAddress  = column(&schema.CodeBlocks, "address")
	codeSize     = column(&schema.CodeBlocks, "size")
	codeISA      = column(&schema.CodeBlocks, "isa")
	codeOpcode   = column(&schema.CodeBlocks, "opcode")
	codeKind     = column(&schema.CodeBlocks, "kind")
)

// sharedColumns are those of `blocks` that every instruction of a run has alike,
// and the same ones of `instructions`.
var sharedColumns = func() (shared []struct{ ins, blk int }) {
	for _, name := range []string{"source", "segment", "byte_offset", "epoch", "timestamp", "context_id", "vmid", "security"} {
		shared = append(shared, struct{ ins, blk int }{column(&schema.Instructions, name), column(&schema.Blocks, name)})
	}
	return shared
}()

// column returns the index of the column of that name.
func column(t *schema.Table, name string) int {
	return slices.IndexFunc(t.Columns, func(c schema.Column) bool { return c.Name == name })
}
