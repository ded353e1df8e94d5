package outside

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// A Source is what has to be known of a source to read its elements.
type Source struct {
	ID       uint8
	Protocol string // one of dialects
	// ReturnPackets says that exception returns have a packet. Otherwise the
	// instructions that return are the returns.
	ReturnPackets bool
	Program       *program.Program
}

// A dialect is what elements say of a protocol.
type dialect struct {
	// returnAddresses: an exception has its return address.
	returnAddresses bool
	// waypoints: the outcome is that of a waypoint. Else any instruction may have one,
	// and what returns from an exception is known by its opcode.
	waypoints bool
	// zeroUnknown: 0 cycles beside no instructions are an unknown number of them, and in
	// a range say nothing.
	zeroUnknown bool
}

// dialects are those of the protocols that are read.
var dialects = map[string]dialect{
	"pft":   {returnAddresses: true, waypoints: true},
	"etmv3": {zeroUnknown: true},
}

// Rows returns the rows of a source that elements have, in the order in which they
// are compared.
func Rows(elements []Element, s Source) ([]Row, error) {
	g := gatherer{source: s, dialect: dialects[s.Protocol]}
	for i := range elements {
		if elements[i].Source != s.ID {
			continue
		}
		if err := g.element(&elements[i]); err != nil {
			return nil, fmt.Errorf("element at %d: %w", elements[i].Offset, err)
		}
	}
	sortRows(g.rows)
	return g.rows, nil
}

// A gatherer makes rows of elements, one after the other.
type gatherer struct {
	source Source
	dialect
	rows []Row
	seq  int64

	begun     bool
	waits     int64 // cycles since the last instruction
	timestamp schema.Null[uint64]
	context   Element
	contextOK bool
}

func (g *gatherer) add(kind RowKind, seq int64, e *Element, text string) {
	g.rows = append(g.rows, Row{kind, seq, e.Offset, text})
}

func (g *gatherer) element(e *Element) error {
	switch e.Kind {
	case "INSTR_RANGE":
		return g.instructions(e)
	case "NO_SYNC":
		if g.begun {
			g.add(NoSync, g.seq, e, "")
		}
		g.begun = true
	case "EO_TRACE":
	case "TRACE_ON":
		g.waits = 0
		g.add(Restart, g.seq, e, "")
	case "EVENT":
		g.add(Trigger, g.seq, e, "")
	case "ADDR_NACC":
		g.add(Unmapped, g.seq, e, fmt.Sprintf("0x%08x", e.From))
	case "ADDR_UNKNOWN":
		g.add(Unmapped, g.seq, e, "unknown")
	case "EXCEPTION":
		g.exception(e)
	case "EXCEPTION_RET":
		g.add(Return, g.seq, e, "")
	case "TIMESTAMP":
		g.timestamp = schema.Of(e.Timestamp)
		g.add(Timestamp, g.seq, e, null(g.timestamp))
	case "PE_CONTEXT":
		g.changeContext(e)
	case "CYCLE_COUNT":
		g.waits += e.Cycles.V
	default:
		return fmt.Errorf("unknown element %s", e.Kind)
	}
	if e.Cycles.OK {
		g.cycles(g.seq, e)
	}
	return nil
}

// exception enters an exception; for ETMv3 there is no return address.
func (g *gatherer) exception(e *Element) {
	g.add(Exception, g.seq, e, g.exceptionText(fmt.Sprint(e.Exception), hexOf(e.ReturnAddress)))
}

func (d *dialect) exceptionText(number, returnAddress string) string {
	if !d.returnAddresses {
		return number
	}
	return number + named("return", returnAddress)
}

// changeContext enters a context, if it is another one.
func (g *gatherer) changeContext(e *Element) {
	last := g.context
	if g.contextOK && e.ContextID == last.ContextID && e.VMID == last.VMID && e.Security == last.Security {
		return
	}
	g.context, g.contextOK = *e, true
	g.add(Context, g.seq, e, g.contextNow())
}

func (g *gatherer) contextNow() string {
	return contextText(null(g.context.ContextID), null(g.context.VMID), g.context.Security.String())
}

// cycles enters the cycles of e; those of one packet are one row, of which e is
// the last if it has instructions.
func (g *gatherer) cycles(seq int64, e *Element) {
	i := len(g.rows) - 1
	for i >= 0 && (g.rows[i].Kind == Instruction || g.rows[i].Kind == Return) {
		i--
	}
	c := e.Cycles.V
	if c == 0 && g.zeroUnknown {
		if e.Kind != "INSTR_RANGE" { // unknown; no W says nothing
			g.add(Cycles, seq, e, null(schema.Null[int64]{}))
		}
		return
	}
	if i >= 0 && g.rows[i].Kind == Cycles && g.rows[i].Offset == e.Offset {
		before, _ := strconv.ParseInt(g.rows[i].Text, 10, 64) // 0 if it is NULL
		g.rows = slices.Delete(g.rows, i, i+1)
		c += before
	}
	g.add(Cycles, seq, e, fmt.Sprint(c))
}

// instructions enters the instructions of a range. PFT traces the outcome of the
// last one if that is a waypoint.
func (g *gatherer) instructions(e *Element) error {
	at := step.Place{Address: e.From, ISA: e.ISA, Security: g.context.Security}
	for n := 1; n <= e.Count; n++ {
		in, err := g.source.Program.Instruction(at)
		if err != nil {
			return err
		}
		last := n == e.Count
		var executed schema.Null[bool]
		var cycles schema.Null[int64]
		if last && (!g.waypoints || e.Class != "---") {
			executed = schema.Of(e.Executed)
			if e.Cycles.OK {
				cycles = schema.Of(g.waits + e.Cycles.V)
			}
		}
		g.waits = 0
		g.add(Instruction, g.seq, e, fmt.Sprintf("0x%08x %d %s %s%s%s %s",
			at.Address, in.Size, at.ISA, null(executed), named("cycles", null(cycles)), named("timestamp", null(g.timestamp)),
			g.contextNow()))
		g.seq++
		g.returns(e, &in, executed)
		at.Address += schema.Address(in.Size)
	}
	if at.Address != e.To {
		return fmt.Errorf("%d instructions from 0x%x end at 0x%x, not at 0x%x", e.Count, e.From, at.Address, e.To)
	}
	if e.Cycles.OK {
		g.cycles(g.seq-1, e)
		return nil
	}
	return nil
}

// returns enters an instruction that is an exception return, where returns have no
// packet.
func (g *gatherer) returns(e *Element, in *isa.Instruction, executed schema.Null[bool]) {
	if !g.source.ReturnPackets && in.Kind == schema.KindExceptionReturn && executed.V && !g.waypoints {
		g.add(Return, g.seq, e, "")
	}
}

func contextText(id, vmid, security string) string {
	return security + named("context", id) + named("vmid", vmid)
}

// named is a value with its name, nothing if it is NULL.
func named(name, value string) string {
	if value == "NULL" {
		return ""
	}
	return " " + name + " " + value
}

func hexOf[N ~uint32 | ~uint64](v schema.Null[N]) string {
	if !v.OK {
		return "NULL"
	}
	return fmt.Sprintf("0x%08x", v.V)
}

// null is a value as columns have it.
func null[T any](v schema.Null[T]) string {
	if !v.OK {
		return "NULL"
	}
	return fmt.Sprint(v.V)
}
