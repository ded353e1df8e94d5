package stacks

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// none is the function of code that no function has.
const none int32 = -1

// A Function is the extent of a function.
type Function struct {
	Address uint32
	Size    uint32 // in bytes
	Name    string
}

// Functions are those of the programs that a core runs, by address: the index of one is its
// ordinal in the table `functions`. Of two that overlap, the later one has what both have.
type Functions []Function

// at returns the function of an address.
func (fs Functions) at(address uint32) int32 {
	i, found := slices.BinarySearchFunc(fs, address, func(f Function, a uint32) int { return cmp.Compare(f.Address, a) })
	if !found {
		i--
	}
	if i < 0 || address-fs[i].Address >= fs[i].Size {
		return none
	}
	return int32(i)
}

// begins says whether an address is the first of a function.
func (fs Functions) begins(f int32, address uint32) bool {
	return f != none && fs[f].Address == address
}

// address returns that of a function; of code that has none, where it was entered.
func (fs Functions) address(f int32, entered uint32) uint32 {
	if f == none {
		return entered
	}
	return fs[f].Address
}

// name returns that of a function; of code that has none, where it was entered.
func (fs Functions) name(f int32, entered uint32) string {
	if f == none {
		return fmt.Sprintf("0x%08x", entered)
	}
	return fs[f].Name
}

// A codeBlock is a code block and the functions it has instructions of.
type codeBlock struct {
	*schema.Block
	function int32       // of its first instruction
	next     uint32      // address after its last one: where a call returns to
	length   uint16      // instructions
	address  uint32      // of its first one
	one      int32       // the function of all of them, or several
	leaves   schema.Kind // that of its last one, if it leaves; else other
	last     schema.Kind // that of its last one
}

func (fs Functions) codeBlock(b *schema.Block) codeBlock {
	end := len(b.Address) - 1
	c := codeBlock{Block: b, function: fs.at(b.Address[0]), address: b.Address[0], next: b.Address[end] + uint32(b.Size[end]), length: uint16(len(b.Address))}
	if c.last = schema.Kind(b.Kind[end]); leaves(c.last) {
		c.leaves = c.last
	}
	if last := b.Address[len(b.Address)-1]; c.function != none && last-fs[c.function].Address < fs[c.function].Size {
		if c.one = c.function; int(c.function)+1 < len(fs) && fs[c.function+1].Address <= last {
			c.one = several
		}
		return c
	}
	if c.one = c.function; slices.ContainsFunc(b.Address, func(a uint32) bool { return fs.at(a) != c.function }) {
		c.one = several
	}
	return c
}

// several is what a block has in place of a function that has instructions of more than one.
const several int32 = -2

// functionAt returns the function of an instruction of the block.
func (c *codeBlock) functionAt(position int, fs Functions) int32 {
	if c.one != several {
		return c.function
	}
	return fs.at(c.Address[position])
}

// leaves says whether an instruction of a kind may go to another function, other than by a
// direct branch or by running on.
func leaves(kind schema.Kind) bool {
	switch kind {
	case schema.KindCall, schema.KindIndirectCall, schema.KindIndirect, schema.KindReturn, schema.KindExceptionReturn:
		return true
	}
	return false
}
