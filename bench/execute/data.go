package execute

import (
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// Where data lies.
const (
	stackTop  = 0x20100000
	heapBase  = 0x20200000
	heapBytes = 1 << 24
	// regionBytes is how much of it one instruction goes through.
	regionBytes = 1 << 14
)

// A transferPool has the transfers of steps, which may be kept: it hands out
// pieces of arrays that the garbage collector takes when the last is gone.
type transferPool []step.Transfer

// get returns n transfers, each zero.
func (p *transferPool) get(n int) []step.Transfer {
	if n > len(*p) {
		*p = make([]step.Transfer, max(n, 1024))
	}
	t := (*p)[:n:n]
	*p = (*p)[n:]
	return t
}

// stream gives s its data addresses: a region it goes through in strides, or a
// variable.
func (s *site) stream(h uint64) {
	size := schema.Address(max(s.data.Size, 1))
	s.base = heapBase + schema.Address(h>>20)%heapBytes&^7
	if h>>44%2 == 0 { // next to another instruction's
		s.base = heapBase + schema.Address(h>>20)%64*regionBytes
	}
	strides := [4]schema.Address{0, size * schema.Address(s.data.Count), 4 * size, 64}
	s.stride = strides[h>>50%4]
}

// transfers are those of the instruction at hand.
func (e *executor) transfers(s *site) []step.Transfer {
	t := e.memory.get(int(s.data.Count))
	failed := s.exclusive && e.random.UintN(8) == 0
	address := s.base + s.offset
	s.offset = (s.offset + s.stride) % regionBytes
	for i := range t {
		t[i] = step.Transfer{
			Address: address, Value: e.value(s.data.Size), Size: s.data.Size,
			Access: s.data.At(uint16(i)), Register: s.data.Register, StoreFailed: failed,
		}
		switch {
		case s.data.Register:
			t[i].Address = 0
		case s.data.Access != isa.Swap:
			address += schema.Address(s.data.Size)
		}
	}
	return t
}

// value makes up data: 0, small, negative, an address, or anything.
func (e *executor) value(size uint8) uint32 {
	r := e.random.Uint64()
	v := uint32(r >> 8)
	switch r % 8 {
	case 0, 1:
		v = 0
	case 2, 3:
		v &= 0xFF
	case 4:
		v = -(v & 0xFF)
	case 5:
		v = heapBase + v%heapBytes
	}
	return v & (1<<(8*size) - 1)
}

// loadedPC lets a load of the PC load where it goes: the last word, of RFE the
// first.
func (e *executor) loadedPC(s *site, step *step.Step) {
	if len(step.Transfers) == 0 || s.data.Size != 4 || s.data.Access != isa.Read || step.Returns && e.o.profileM() {
		return
	}
	i := int(s.data.Count) - 1
	if s.in.Kind == schema.KindExceptionReturn && !s.data.PC {
		i = 0
	}
	step.Transfers[i].Value = pcValue(step.Next)
}

// pcValue is a place as BX takes it.
func pcValue(p step.Place) uint32 {
	if p.ISA == schema.A32 {
		return uint32(p.Address)
	}
	return uint32(p.Address) | 1
}

// frameWords is how many words a stack frame of v7-M has without floating point
// (DDI 0403E, B1.5.6): R0 to R3, R12, LR, PC, xPSR.
const frameWords = 8

// frame is a stack frame being pushed or popped.
func (e *executor) frame(address schema.Address, access schema.Access, returnTo step.Place) []step.Transfer {
	t := e.memory.get(frameWords)
	for i := range t {
		t[i] = step.Transfer{Address: address + 4*schema.Address(i), Value: e.value(4), Size: 4, Access: access}
	}
	t[6].Value, t[7].Value = uint32(returnTo.Address), 0x01000000
	return t
}

// unstack gives a return from an exception of v7-M its data: of the instruction
// EXC_RETURN, from right below the frame, and the frame unless another
// exception is to use it.
func (e *executor) unstack(step *step.Step, frame schema.Address, to step.Place) {
	if !e.o.Data {
		return
	}
	own := len(step.Transfers)
	for i := range step.Transfers {
		step.Transfers[i].Address = frame - 4*schema.Address(own-i)
	}
	if own > 0 {
		step.Transfers[own-1].Value = 0xFFFFFFF9
		if len(e.levels) > 0 {
			step.Transfers[own-1].Value = 0xFFFFFFF1
		}
	}
	if !e.chained {
		step.Transfers = append(step.Transfers, e.frame(frame, schema.AccessPop, to)...)
	}
}
