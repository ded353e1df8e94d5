package linetable

import (
	"errors"
	"fmt"
	"math"

	"github.com/tracelake/tracelake/decode/program/internal/cursor"
	"github.com/tracelake/tracelake/schema"
)

// The standard opcodes (6.2.5.2).
const (
	opExtended       = 0
	opCopy           = 1
	opAdvancePC      = 2
	opAdvanceLine    = 3
	opSetFile        = 4
	opSetColumn      = 5
	opNegateStmt     = 6
	opConstAddPC     = 8
	opFixedAdvancePC = 9
	opSetISA         = 12
)

// The extended opcodes (6.2.5.3).
const (
	extendedEndSequence = 1
	extendedSetAddress  = 2
	extendedDefineFile  = 3 // up to DWARF 4
)

// standardLengths is how many LEB128 numbers follow each standard opcode, from 1
// on. What headers say of opFixedAdvancePC differs: it has one that is none.
var standardLengths = []byte{0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}

var errProgram = errors.New("line number program is cut short")

// A machine runs a line number program (6.2.2).
type machine struct {
	*header
	unit  *Unit
	state Row
	rows  []Row // of the sequence at hand
	bytes int   // of an address
}

// run runs the program of a unit. Each opcode takes a byte or more and makes one
// row or none.
func run(h *header, unit *Unit, addressBytes int) error {
	for i, n := range h.opcodeLengths {
		if i < len(standardLengths) && i+1 != opFixedAdvancePC && n != standardLengths[i] {
			return fmt.Errorf("standard opcode %d has %d operands, and not %d", i+1, n, standardLengths[i])
		}
	}
	m := &machine{header: h, unit: unit, bytes: addressBytes}
	m.reset()
	b := h.program
	for len(b.Data) > 0 {
		op := b.Uint8()
		switch {
		case int(op) > len(m.opcodeLengths):
			m.special(op)
		case op == opExtended:
			if err := m.extended(); err != nil {
				return err
			}
		default:
			m.standard(op)
		}
		if b.Bad {
			return errProgram
		}
	}
	if len(m.rows) > 0 {
		return errProgram // a sequence without end
	}
	return nil
}

// reset makes the registers those of the start of a sequence.
func (m *machine) reset() {
	m.state = Row{File: 1, Line: 1, IsStmt: m.defaultIsStmt}
	m.rows = nil
}

// special executes a special opcode (6.2.5.1).
func (m *machine) special(op uint8) {
	adjusted := uint64(op) - uint64(len(m.opcodeLengths)) - 1
	m.state.Address += m.minInstruction * (adjusted / m.lineRange)
	m.state.Line = uint32(int64(m.state.Line) + m.lineBase + int64(adjusted%m.lineRange))
	m.copy()
}

// copy appends a row.
func (m *machine) copy() { m.rows = append(m.rows, m.state) }

// standard executes a standard opcode; one that is unknown is skipped.
func (m *machine) standard(op uint8) {
	b := m.program
	switch op {
	case opCopy:
		m.copy()
	case opAdvancePC:
		m.state.Address += m.minInstruction * b.ULEB()
	case opAdvanceLine:
		m.state.Line = uint32(int64(m.state.Line) + b.SLEB())
	case opSetFile:
		m.state.File = uint32(b.ULEB())
	case opSetColumn:
		m.state.Column = uint32(b.ULEB())
	case opNegateStmt:
		m.state.IsStmt = !m.state.IsStmt
	case opConstAddPC:
		m.state.Address += m.minInstruction * ((255 - uint64(len(m.opcodeLengths)) - 1) / m.lineRange)
	case opFixedAdvancePC:
		m.state.Address += b.Uint(2)
	default:
		for range m.opcodeLengths[op-1] {
			b.ULEB()
		}
	}
}

// extended executes an extended opcode, which says its length.
func (m *machine) extended() error {
	operand := &cursor.Cursor{Data: m.program.Bytes(m.program.ULEB()), Order: m.program.Order}
	if m.program.Bad {
		return errProgram
	}
	switch operand.Uint8() {
	case extendedEndSequence:
		return m.endSequence()
	case extendedSetAddress:
		if n := len(operand.Data); n != m.bytes {
			return fmt.Errorf("line number program has an address of %d bytes", n)
		}
		m.state.Address = operand.Uint(uint64(m.bytes))
	case extendedDefineFile:
		m.unit.files = append(m.unit.files, entry(operand, operand.Text()))
	}
	return nil
}

// endSequence ends the sequence at hand. Its addresses ascend (6.2.5), and none
// is beyond those there are; one whose code has no bytes says nothing, nor does one at the
// last address, which some linkers give what they left out.
func (m *machine) endSequence() error {
	rows, end := m.rows, m.state.Address
	m.reset()
	if len(rows) > 0 && rows[0].Address == math.MaxUint64 {
		return nil
	}
	last := uint64(0)
	for _, r := range rows {
		if r.Address < last {
			return fmt.Errorf("a sequence has address %#x after %#x", r.Address, last)
		}
		last = r.Address
	}
	if end < last {
		return fmt.Errorf("a sequence has address %#x after %#x", end, last)
	}
	if len(rows) > 0 && rows[0].Address < end && (end <= schema.End32 || m.bytes > 4) {
		m.unit.Sequences = append(m.unit.Sequences, Sequence{Rows: rows, End: end})
	}
	return nil
}
