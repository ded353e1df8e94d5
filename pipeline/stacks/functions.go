package stacks

import (
	"cmp"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// none is the function of code that no function has.
const none int32 = -1

// A Function is the extent of a function.
type Function struct {
	Address schema.Address
	Size    uint32 // in bytes
	Name    string
	Called  bool // a call or a branch of another one goes to it directly
}

// Functions are those of the programs that a core runs, by address: the index of one is its
// ordinal in the table `functions`. Of two that overlap, the later one has what both have.
type Functions []Function

func (f *Function) has(address schema.Address) bool {
	return address-f.Address < schema.Address(f.Size)
}

// Call notes that an instruction of a function, NULL if of none, calls or branches to an address.
func (fs Functions) Call(from schema.Null[int32], to schema.Address) {
	if f := fs.at(to); fs.begins(f, to) && from != schema.Of(f) {
		fs[f].Called = true
	}
}

// at returns the function of an address.
func (fs Functions) at(address schema.Address) int32 {
	i, found := slices.BinarySearchFunc(fs, address,
		func(f Function, a schema.Address) int { return cmp.Compare(f.Address, a) })
	if !found {
		i--
	}
	if i < 0 || !fs[i].has(address) {
		return none
	}
	return int32(i)
}

// begins says whether an address is the first of a function.
func (fs Functions) begins(f int32, address schema.Address) bool {
	return f != none && fs[f].Address == address
}

// address returns that of a function; of code that has none, where it was entered.
func (fs Functions) address(f int32, entered schema.Address) schema.Address {
	if f == none {
		return entered
	}
	return fs[f].Address
}

// name returns that of a function; of code that has none, where it was entered.
func (fs Functions) name(f int32, entered schema.Address) string {
	if f == none {
		return entered.Hex()
	}
	return fs[f].Name
}

// A codeBlock is a code block and the functions it has instructions of.
type codeBlock struct {
	*schema.Block
	unitBlock
	function int32          // of its first instruction
	next     schema.Address // address after its last one: where a call returns to
}

func (fs Functions) codeBlock(b *schema.Block) codeBlock {
	function, end := fs.at(b.Place(0)), len(b.Address)-1
	c := codeBlock{
		Block: b, unitBlock: unitBlock{one: function, address: b.Address[0], length: uint16(len(b.Address))},
		function: function, next: b.Next(end),
	}
	if kind := schema.Kind(b.Kind[end]); leaves(kind) {
		c.kind = kind
	}
	if slices.ContainsFunc(b.Address, func(a schema.Address) bool { return fs.at(a+b.Moved) != function }) {
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
	return fs.at(c.Place(position))
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
