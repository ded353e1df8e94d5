package outside

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/schema"
)

// An Element is what OpenCSD calls a generic trace element: one thing that
// happened.
type Element struct {
	Source uint8
	Offset int64  // of its packet; in frames up to three less
	Kind   string // as INSTR_RANGE

	// From and To are the addresses of a range of instructions, To of the end of the
	// last; From is also the address of missing memory.
	From, To schema.Address
	Count    int
	ISA      schema.ISA
	// Executed is the outcome of the last instruction, Class what that is:
	// "---" if it is neither a branch nor a barrier.
	Executed bool
	Class    string

	Exception     uint16
	ReturnAddress schema.Null[schema.Address]
	Timestamp     uint64
	Cycles        schema.Null[int64]

	ContextID schema.Null[uint32]
	VMID      schema.Null[uint32]
	Security  schema.Security
}

var (
	elementLine = regexp.MustCompile(`Idx:(\d+); ID:(\w+); OCSD_GEN_TRC_ELEM_(\w+)\((.*)\)\s*$`)
	rangeText   = regexp.MustCompile(`^exec range=0x(\w+):\[0x(\w+)\] num_i\((\d+)\) last_sz\(\d+\) \(ISA=(\w+)\) ([EN]) (\S+)`)
	cyclesText  = regexp.MustCompile(`\[CC=(\d+)\]`)
	timeText    = regexp.MustCompile(`TS=0x(\w+)`)
	idText      = regexp.MustCompile(`CTXTID=0x(\w+)`)
	vmidText    = regexp.MustCompile(`VMID=0x(\w+)`)
	numberText  = regexp.MustCompile(`excep num \(0x(\w+)\)`)
	returnText  = regexp.MustCompile(`pref ret addr:0x(\w+)`)
	addressText = regexp.MustCompile(`^ *0x(\w+)`)
)

// instructionSets are the names that OpenCSD has for them.
var instructionSets = map[string]schema.ISA{
	"A32": schema.A32, "T32": schema.T32, "TEE": schema.T32EE,
	"Jaz": schema.Jazelle,
}

// parseElement reads a line of the listing.
func parseElement(line string) (Element, error) {
	m := elementLine.FindStringSubmatch(line)
	if m == nil {
		return Element{}, fmt.Errorf("no element: %q", line)
	}
	r := textReader{text: m[4]}
	e := Element{Offset: int64(r.number(m[1], 10, 63)), Source: uint8(r.number(m[2], 16, 8)), Kind: m[3]}
	if v, ok := r.find(cyclesText, 10, 32); ok {
		e.Cycles = schema.Of(int64(v))
	}
	switch e.Kind {
	case "INSTR_RANGE":
		r.instructions(&e)
	case "EXCEPTION":
		v, ok := r.find(numberText, 16, 16)
		r.need(ok)
		e.Exception = uint16(v)
		if v, ok := r.find(returnText, 16, 32); ok {
			e.ReturnAddress = schema.Of(schema.Address(v))
		}
	case "TIMESTAMP":
		v, ok := r.find(timeText, 16, 64)
		r.need(ok)
		e.Timestamp = v
	case "ADDR_NACC":
		v, ok := r.find(addressText, 16, 32)
		r.need(ok)
		e.From = schema.Address(v)
	case "PE_CONTEXT":
		r.context(&e)
	}
	if r.err != nil {
		return Element{}, fmt.Errorf("%q: %w", line, r.err)
	}
	return e, nil
}

// A textReader reads what an element says.
type textReader struct {
	text string
	err  error // the first
}

func (r *textReader) need(ok bool) {
	if !ok && r.err == nil {
		r.err = fmt.Errorf("element cannot be read")
	}
}

func (r *textReader) number(s string, base, bits int) uint64 {
	v, err := strconv.ParseUint(s, base, bits)
	if err != nil && r.err == nil {
		r.err = err
	}
	return v
}

// find is the number that a pattern has, if the text has the pattern.
func (r *textReader) find(pattern *regexp.Regexp, base, bits int) (uint64, bool) {
	m := pattern.FindStringSubmatch(r.text)
	if m == nil {
		return 0, false
	}
	return r.number(m[1], base, bits), true
}

func (r *textReader) instructions(e *Element) {
	m := rangeText.FindStringSubmatch(r.text)
	if r.need(m != nil); m == nil {
		return
	}
	e.From, e.To = schema.Address(r.number(m[1], 16, 32)), schema.Address(r.number(m[2], 16, 32))
	e.Count = int(r.number(m[3], 10, 31))
	var ok bool
	e.ISA, ok = instructionSets[m[4]]
	r.need(ok)
	e.Executed, e.Class = m[5] == "E", m[6]
}

func (r *textReader) context(e *Element) {
	if v, ok := r.find(idText, 16, 32); ok {
		e.ContextID = schema.Of(uint32(v))
	}
	if v, ok := r.find(vmidText, 16, 32); ok {
		e.VMID = schema.Of(uint32(v))
	}
	switch {
	case strings.Contains(r.text, "EL2"):
		e.Security = schema.Hyp
	case strings.Contains(r.text, " N; "):
		e.Security = schema.NonSecure
	}
}
