package etmv4

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
)

// kindNames are the words for the packet kinds. Those of kinds with formats get the format
// after them, those of addresses the form before them.
var kindNames = [...]string{
	ASync:                  "a_sync",
	Discard:                "discard",
	Overflow:               "overflow",
	TraceInfo:              "trace_info",
	Timestamp:              "timestamp",
	TraceOn:                "trace_on",
	FunctionReturn:         "function_return",
	Exception:              "exception",
	ExceptionReturn:        "exception_return",
	Instrumentation:        "instrumentation",
	TransactionStart:       "transaction_start",
	TransactionCommit:      "transaction_commit",
	CycleCount:             "cycle_count",
	NumberedMarker:         "numbered_data_sync_marker",
	UnnumberedMarker:       "unnumbered_data_sync_marker",
	Commit:                 "commit",
	Cancel:                 "cancel",
	Mispredict:             "mispredict",
	ConditionalInstruction: "conditional_instruction",
	ConditionalFlush:       "conditional_flush",
	ConditionalResult:      "conditional_result",
	Ignore:                 "ignore",
	Event:                  "event",
	Context:                "context",
	AddressContext:         "address_with_context",
	TimestampMarker:        "timestamp_marker",
	Address:                "address",
	Q:                      "q",
	SourceAddress:          "source_address",
	Atoms:                  "atoms",
}

func (k Kind) String() string { return kindNames[k] }

// formNames are the words for the forms, in names.
var formNames = [...]string{ExactMatch: "exact_match_", ShortAddress: "short_", Long32: "long_", Long64: "long_"}

// Type is the name of the packet, in lower snake case: with its format or form.
func (p *Packet) Type() string {
	switch {
	case p.Format > 0:
		return fmt.Sprintf("%s_f%d", p.Kind, p.Format)
	case p.Kind == Address, p.Kind == SourceAddress:
		return formNames[p.Form] + p.Kind.String()
	default:
		return p.Kind.String()
	}
}

// ParsePacket decodes the packet at the start of b, for people to read. It fails like
// [Config.Parse].
func (c *Config) ParsePacket(b []byte) (decode.PacketText, error) {
	var p Packet
	if err := c.Parse(&p, b); err != nil {
		return decode.PacketText{}, err
	}
	return c.text(&p), nil
}

// text describes p in words. Counts of cycle count packets are without the threshold.
func (c *Config) text(p *Packet) decode.PacketText {
	t := text{decode.PacketText{Len: p.Len, Type: p.Type()}}
	switch p.Kind {
	case TraceInfo:
		t.addTraceInfo(c, &p.Info)
	case Timestamp:
		t.Add("timestamp", fmt.Sprintf("0x%x", p.Timestamp))
		t.Add("timestamp_bits", timestampBits(p.TimestampBytes))
	case Exception:
		t.addException(c, p)
	case Instrumentation:
		t.Add("el", p.Context.EL)
		t.Add("value", fmt.Sprintf("0x%x", p.Value))
	case NumberedMarker, UnnumberedMarker:
		t.Add("number", p.Marker)
	case Event:
		t.addEvents(p.Events)
	case Context, AddressContext, Address, SourceAddress, Q:
		t.addAddress(p)
		t.addContext(&p.Context)
	case ConditionalInstruction, ConditionalResult:
		t.addConditional(p)
	case Commit, Cancel:
		t.Add("elements", p.Count.Value)
	default: // no fields of its own
	}
	t.addCounts(p)
	if p.AtomCount > 0 {
		t.Add("atoms", p.atomString())
	}
	if p.Mispredict && p.Kind == Cancel {
		t.Add("mispredict", true)
	}
	return t.PacketText
}

// text is an unfinished decode.PacketText.
type text struct{ decode.PacketText }

// addCounts adds the counts of a packet that has some.
func (t *text) addCounts(p *Packet) {
	switch {
	case p.Kind == Q && p.HasCount:
		t.Add("instructions", p.Count.Value)
	case p.HasCount:
		t.Add("commits", p.Count.Value)
	}
	if p.HasCycles {
		t.Add("cycles", p.Cycles.Value)
	}
}

func (t *text) addTraceInfo(c *Config, s *TraceInfoSections) {
	info := s.Info.Value
	t.Add("info", fmt.Sprintf("0x%x", info))
	t.Add("cycle_counting", info&InfoCycleCounting != 0)
	if cond := info >> InfoCondShift & 7; cond != 0 {
		t.Add("cond", cond)
	}
	for _, bit := range []struct {
		name string
		mask uint32
		ete  bool
	}{{"loads_p0", InfoLoads, false}, {"stores_p0", InfoStores, false}, {"transaction", InfoTransaction, true}} {
		if info&bit.mask != 0 && bit.ete == c.ETE {
			t.Add(bit.name, true)
		}
	}
	for i, name := range []string{"", "p0_key", "speculative", "cycle_threshold", "window"} {
		if i > 0 && s.Has>>i&1 != 0 {
			t.Add(name, s.fields()[i].Value)
		}
	}
}

// returnNames say which address follows an exception.
var returnNames = [...]string{
	ReturnNone: "none", ReturnFollows: "return", ReturnIsTarget: "return_and_target", ReturnReserved: "reserved",
}

func (t *text) addException(c *Config, p *Packet) {
	t.Add("exception", p.Exception)
	if c.withoutReturn(p) {
		return
	}
	t.Add("address_follows", returnNames[p.Return])
	if p.Pending {
		t.Add("fault_pending", true)
	}
}

func (t *text) addEvents(events uint8) {
	for i := range 4 {
		if events>>i&1 != 0 {
			t.Add(fmt.Sprintf("event%d", i), true)
		}
	}
}

// addAddress adds the address: the whole address if all 64 bits were sent, otherwise the
// low bits as sent.
func (t *text) addAddress(p *Packet) {
	switch p.Form {
	case ExactMatch:
		t.Add("entry", p.Entry)
		return
	case ShortAddress, Long32:
		t.Add("address_low", fmt.Sprintf("0x%x", p.Address))
		t.Add("address_bits", p.AddressBits)
	case Long64:
		t.Add("address", fmt.Sprintf("0x%016x", p.Address))
	default:
		return
	}
	t.Add("is", decode.Flag(p.IS1, 1))
}

// worlds are the words for NSE and NS.
var worlds = [...]string{"secure", "non_secure", "root", "realm"}

func (t *text) addContext(x *ContextInfo) {
	if !x.Sent {
		return
	}
	t.Add("security", worlds[decode.Flag(x.NSE, 2)|decode.Flag(x.NS, 1)])
	t.Add("el", x.EL)
	t.Add("sf", x.SF)
	if x.HasVMID {
		t.Add("vmid", x.VMID)
	}
	if x.HasID {
		t.Add("context_id", x.ContextID)
	}
}

func (t *text) addConditional(p *Packet) {
	x := &p.Conditional
	if p.Kind == ConditionalInstruction {
		switch p.Format {
		case 1:
			t.Add("key", x.Key.Value)
		case 2:
			t.Add("elements", 1+x.Variant>>1)
			t.Add("same_key", x.Variant == 1)
		default:
			t.Add("elements", x.Elements+decode.Flag(x.SameKey, 1))
			t.Add("same_key", x.SameKey)
		}
		return
	}
	for i := range x.Results[:x.ResultCount] {
		r := &x.Results[i]
		t.Add(fmt.Sprintf("key%d", i), r.Key)
		t.Add(fmt.Sprintf("result%d", i), r.Value)
		t.Add(fmt.Sprintf("ci%d", i), r.CI)
	}
	switch p.Format {
	case 2:
		t.Add("key_step", x.KeyStep)
		t.Add("token", x.Variant)
	case 3:
		t.Add("tokens", fmt.Sprintf("0x%03x", x.Tokens))
	case 4:
		t.Add("token", x.Variant)
	}
}
