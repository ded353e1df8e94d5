package schema

import (
	"fmt"
	"slices"
)

// ISA is the instruction set of an instruction or an address.
type ISA uint8

// The instruction sets, in the order of the enum column `isa`.
const (
	A32 ISA = iota
	T32
	T32EE // ThumbEE
	Jazelle
	A64
)

// ISANames are the values of the enum column `isa`.
var ISANames = []string{"a32", "t32", "t32ee", "jazelle", "a64"}

func (i ISA) String() string { return ISANames[i] }

// Kind is the class of an instruction, by its opcode alone.
type Kind uint8

// The kinds, in the order of the enum column `kind`.
const (
	KindOther           Kind = iota
	KindBranch               // direct branch without link; CBZ, LE, ENTERX, LEAVEX too
	KindCall                 // BL, BLX immediate
	KindIndirect             // any write to the PC not named below: TBB, BXJ, BR, HB, HBP …
	KindIndirectCall         // BLX register, BLR, HBL, HBLP
	KindReturn               // BX lr, MOV pc,lr, RET, loads of the PC from the stack
	KindExceptionReturn      // ERET, RFE, LDM ^ with PC, flag-setting data processing to PC
	KindBarrier              // ISB, DSB, DMB and their CP15 forms
	KindSVC
	KindSMC
	KindHVC
	KindBKPT // BRK of A64 too
	KindUDF
)

// KindNames are the values of the enum column `kind`.
var KindNames = []string{
	"other", "branch", "call", "indirect", "indirect_call", "return", "exception_return",
	"barrier", "svc", "smc", "hvc", "bkpt", "udf",
}

func (k Kind) String() string { return KindNames[k] }

// Outcome is what the trace says about the last instruction of a run.
type Outcome uint8

// The outcomes, in the order of the enum column `outcome`.
const (
	Unknown  Outcome = iota // executed is NULL
	Taken                   // a branch that was executed
	NotTaken                // failed its condition, branch or not
	Passed                  // executed, not a branch
)

// OutcomeNames are the values of the enum column `outcome`.
var OutcomeNames = []string{"unknown", "taken", "not_taken", "passed"}

func (o Outcome) String() string { return OutcomeNames[o] }

// Security is the security state and mode instructions ran in.
type Security uint8

// The security states, in the order of the enum column `security`.
const (
	Secure Security = iota
	NonSecure
	Hyp
	Root // of the Realm Management Extension, as is Realm
	Realm
)

// SecurityNames are the values of the enum column `security`.
var SecurityNames = []string{"secure", "non_secure", "hyp", "root", "realm"}

func (s Security) String() string { return SecurityNames[s] }

// ExceptionEvent distinguishes an exception entry from an explicit return.
type ExceptionEvent uint8

// The exception events, in the order of the enum column `exceptions.event`.
const (
	ExceptionEntry ExceptionEvent = iota
	ExceptionReturn
)

// ExceptionEventNames are the values of the enum column `exceptions.event`.
var ExceptionEventNames = []string{"entry", "return"}

// ExceptionType is the canonical type of an exception, whatever its number in a
// protocol.
type ExceptionType uint8

// The exception types, in the order of the enum column `exceptions.type`.
const (
	ExcReset ExceptionType = iota
	ExcUndefined
	ExcSVC
	ExcPrefetchAbort
	ExcDataAbort
	ExcAsyncDataAbort
	ExcIRQ
	ExcFIQ
	ExcSMC
	ExcHyp
	ExcDebug
	ExcThumbEE
	ExcJazelle
	ExcGeneric
	ExcReserved
	ExcNMI
	ExcHardFault
	ExcMemManage
	ExcBusFault
	ExcUsageFault
	ExcDebugMonitor
	ExcPendSV
	ExcSysTick
	ExcCall // SVC, HVC or SMC: which one is not known
	ExcTrap
	ExcSystemError
	ExcDebugInstruction // breakpoint, software step
	ExcDebugData        // watchpoint
	ExcAlignment        // of the PC or the stack pointer
	ExcHVC
	ExcImplementation // implementation defined
	ExcSecureFault
	ExcLazyFP // lazy stacking of floating-point registers
	ExcLockup
)

// ExceptionTypeNames are the values of the enum column `exceptions.type`.
var ExceptionTypeNames = []string{
	"reset", "undefined", "svc", "prefetch_abort", "data_abort", "async_data_abort", "irq", "fiq",
	"smc", "hyp", "debug", "thumbee", "jazelle", "generic", "reserved", "nmi", "hard_fault",
	"mem_manage", "bus_fault", "usage_fault", "debug_monitor", "pendsv", "systick",
	"call", "trap", "system_error", "debug_instruction", "debug_data", "alignment", "hvc", "impdef",
	"secure_fault", "lazy_fp", "lockup",
}

func (t ExceptionType) String() string { return ExceptionTypeNames[t] }

// ExceptionText is an exception in words, as far as type and number are known: irq 14, irq, unknown 14, unknown.
func ExceptionText(t Null[ExceptionType], number Null[uint16]) string {
	text := "unknown"
	if t.OK {
		text = t.V.String()
	}
	if number.OK {
		text += fmt.Sprintf(" %d", number.V)
	}
	return text
}

// CountKind is the kind of packet that reported cycles.
type CountKind uint8

// The kinds of count, in the order of the enum column `cycle_counts.kind`.
const (
	CountAtom      CountKind = iota
	CountBranch              // branch address
	CountISync               // the count in an I-sync packet
	CountTimestamp           // the count in a timestamp packet
	CountPacket              // a packet of counts only
	CountGap                 // a count traced after the restart of trace that it precedes
)

// CountKindNames are the values of the enum column `cycle_counts.kind`.
var CountKindNames = []string{"atom", "branch", "isync", "timestamp", "packet", "gap"}

// EventKind is what happened at a point of the stream.
type EventKind uint8

// The events, in the order of the enum column `events.event`.
const (
	EventTraceOn             EventKind = iota // trace (re)starts
	EventOverflow                             // trace restarts after a FIFO overflow
	EventDebugExit                            // trace restarts at the exit from debug state
	EventTrigger                              // trigger packet, or trigger ID of the formatter
	EventUnmapped                             // no program memory at the address
	EventInconsistent                         // stream and program contradict each other
	EventDiscontinuity                        // the input broke: 4×FSYNC, lost frame alignment
	EventJazelle                              // Jazelle state: its code cannot be decoded
	EventTimestampUnknown                     // a timestamp packet with the value 0
	EventClockChange                          // the timestamp clock changed its frequency
	EventCancelled                            // an instruction that was traced was not executed
	EventNoAddress                            // instructions were traced whose address is not known
	EventSplitInstruction                     // one half of an instruction was traced, the other half was not
	EventCountUnexpected                      // a cycle count that belongs to no restart of trace
	EventBadISync                             // an I-sync that must not occur: its address is not used
	EventDataUnmatched                        // an out-of-order data value without a pending transfer
	EventTimestampOutOfRange                  // a timestamp of 2⁶³ or more: its row has NULL, the event the number
	EventDiscard                              // tracing ended while instructions were speculative: they are not known
	EventTransactionStart
	EventTransactionCommit
	EventTransactionFail // what the transaction did is undone
	EventInstrumentation // a value that software wrote into the trace
	EventQUnresolved     // instructions ran whose path is not traced
)

// EventNames are the values of the enum column `events.event`.
var EventNames = []string{
	"trace_on", "overflow", "debug_exit", "trigger", "unmapped", "inconsistent", "discontinuity",
	"jazelle", "timestamp_unknown", "clock_change", "cancelled", "no_address", "split_instruction",
	"count_unexpected", "bad_isync", "data_unmatched", "timestamp_out_of_range", "discard",
	"transaction_start", "transaction_commit", "transaction_fail", "instrumentation", "q_unresolved",
}

func (e EventKind) String() string { return EventNames[e] }

// Restarts says whether trace starts at the event, or starts again.
func (e EventKind) Restarts() bool {
	return e == EventTraceOn || e == EventOverflow || e == EventDebugExit
}

// IsGap says whether call stacks may begin anew after the event, as nothing is known of what led to the next
// instruction. Where trace was off, and went on where it stopped, they go on.
func (e EventKind) IsGap() bool {
	switch e {
	case EventInconsistent, EventDiscontinuity, EventUnmapped, EventNoAddress, EventBadISync, EventJazelle,
		EventDiscard, EventTransactionFail, EventQUnresolved:
		return true
	}
	return e.Restarts()
}

// Access is how a data transfer accesses memory, or a coprocessor's register.
type Access uint8

// The accesses, in the order of the enum column `data_accesses.access`.
const (
	AccessRead Access = iota
	AccessWrite
	AccessPush // of the stack frame, at an exception (v7-M)
	AccessPop  // of the stack frame, at its return (v7-M)
)

// AccessNames are the values of the enum column `data_accesses.access`.
var AccessNames = []string{"read", "write", "push", "pop"}

func (a Access) String() string { return AccessNames[a] }

// DataState is what became of a data transfer in the trace.
type DataState uint8

// The states, in the order of the enum column `data_accesses.state`.
const (
	DataInOrder        DataState = iota // traced with its instruction
	DataOutOfOrder                      // its value came later
	DataOutOfOrderLost                  // its value was to come later, and never came
	DataNotTraced                       // a transfer the trace leaves out
	DataStoreFailed                     // a store exclusive that failed
	DataSuppressed                      // data of its instruction was dropped: positions are not certain
	DataAborted                         // its instruction aborted: what was traced is not valid
	DataCancelled                       // its instruction was cancelled
)

// DataStateNames are the values of the enum column `data_accesses.state`.
var DataStateNames = []string{
	"in_order", "out_of_order", "out_of_order_lost", "not_traced", "store_failed", "suppressed",
	"aborted", "cancelled",
}

func (s DataState) String() string { return DataStateNames[s] }

// LossReason says why bytes were not understood.
type LossReason uint8

// The reasons of a loss, in the order of the enum column `losses.reason`.
const (
	LossUnsynced       LossReason = iota // before the first cut
	LossReservedHeader                   // a header the protocol reserves, to the next cut
	LossBadPacket                        // an impossible packet, to the next cut
	LossTruncated                        // a packet cut off by the end of the stream
	LossDiscontinuity                    // from a break of the input to the next cut
	LossSplice                           // the old half of a ring follows without sync
	LossUnsupported                      // no decoder for the protocol, or registers missing
	LossUnconfigured                     // a source nobody configured
)

// LossReasonNames are the values of the enum column `losses.reason`.
var LossReasonNames = []string{
	"unsynced", "reserved_header", "bad_packet", "truncated", "discontinuity", "splice",
	"unsupported", "unconfigured",
}

func (r LossReason) String() string { return LossReasonNames[r] }

// ISyncReason is why an I-sync packet was sent.
type ISyncReason uint8

// The reasons of an I-sync, in the order of the enum column `segments.reason`
// and of the reason field of PFT and ETMv3.
const (
	ISyncPeriodic ISyncReason = iota
	ISyncTraceOn
	ISyncOverflow
	ISyncDebugExit
)

// ISyncReasonNames are the values of the enum column `segments.reason`.
var ISyncReasonNames = []string{"periodic", "trace_on", "overflow", "debug_exit"}

func (r ISyncReason) String() string { return ISyncReasonNames[r] }

// SourceStatus is what became of a source.
type SourceStatus uint8

// The statuses, in the order of the enum column `sources.status`.
const (
	StatusDecoded      SourceStatus = iota // its decoder ran, however little came of it
	StatusEmpty                            // no bytes, whatever the protocol
	StatusUnsupported                      // no decoder, or registers missing
	StatusUnconfigured                     // bytes of a source nobody configured
)

// SourceStatusNames are the values of the enum column `sources.status`.
var SourceStatusNames = []string{"decoded", "empty", "unsupported", "unconfigured"}

func (s SourceStatus) String() string { return SourceStatusNames[s] }

// SourceUnit is what the lengths of a source count.
type SourceUnit uint8

// The units, in the order of the enum column `sources.unit`.
const (
	UnitBytes   SourceUnit = iota
	UnitSamples            // samples of the trace port that do not fill whole bytes (ETMv1, ETMv2)
)

// SourceUnitNames are the values of the enum column `sources.unit`.
var SourceUnitNames = []string{"bytes", "samples"}

func (u SourceUnit) String() string { return SourceUnitNames[u] }

// ImageRole is what an image is for.
type ImageRole uint8

// The roles, in the order of the enum column `images.role`.
const (
	RoleMemory  ImageRole = iota // memory that the trace was followed in
	RoleSymbols                  // a section of a program file, for names and lines
)

// ImageRoleNames are the values of the enum column `images.role`.
var ImageRoleNames = []string{"memory", "symbols"}

func (r ImageRole) String() string { return ImageRoleNames[r] }

// EdgeKind is the kind of an edge: the [Kind] of the instruction that it leaves,
// or EdgeException.
type EdgeKind uint8

// EdgeException is the kind of an edge from an interrupted instruction to the
// handler. All other edges have the code of a [Kind].
const EdgeException = EdgeKind(KindUDF + 1)

// EdgeKindNames are the values of the enum column `edges.kind`.
var EdgeKindNames = append(slices.Clone(KindNames), "exception")

func (k EdgeKind) String() string { return EdgeKindNames[k] }

// EdgeOutcome is what the trace reports of the instruction that an edge leaves. It
// has the code of an [Outcome].
type EdgeOutcome uint8

// The outcomes, in the order of the enum column `edges.outcome`.
const (
	EdgeUnknown EdgeOutcome = iota
	EdgeTaken
	EdgeNotTaken
)

// EdgeOutcomeNames are the values of the enum column `edges.outcome`.
var EdgeOutcomeNames = []string{"unknown", "taken", "not_taken"}

func (o EdgeOutcome) String() string { return EdgeOutcomeNames[o] }

// FunctionOrigin is what the extent of a function was found by.
type FunctionOrigin uint8

// The origins, in the order of the enum column `functions.origin`.
const (
	OriginSymbol  FunctionOrigin = iota // a function symbol with a size
	OriginUnsized                       // a function symbol without a size, as of assembler code
	OriginLabel                         // a symbol without a type, where no function is
	OriginDWARF                         // a subprogram in the debugging information
)

// FunctionOriginNames are the values of the enum column `functions.origin`.
var FunctionOriginNames = []string{"symbol", "unsized", "label", "dwarf"}

func (o FunctionOrigin) String() string { return FunctionOriginNames[o] }

// SymbolKind is what a symbol names.
type SymbolKind uint8

// The kinds, in the order of the enum column `symbols.kind`.
const (
	SymbolFunction SymbolKind = iota
	SymbolObject
	SymbolLabel // without a type
)

// SymbolKindNames are the values of the enum column `symbols.kind`.
var SymbolKindNames = []string{"function", "object", "label"}

func (k SymbolKind) String() string { return SymbolKindNames[k] }

// SymbolBinding is how far a symbol is visible.
type SymbolBinding uint8

// The bindings, in the order of the enum column `symbols.binding`.
const (
	BindingLocal SymbolBinding = iota
	BindingGlobal
	BindingWeak
)

// SymbolBindingNames are the values of the enum column `symbols.binding`.
var SymbolBindingNames = []string{"local", "global", "weak"}

func (b SymbolBinding) String() string { return SymbolBindingNames[b] }
