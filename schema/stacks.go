package schema

// This file has the tables of call stacks, which are rebuilt from what was executed: who
// called whom, which task ran, and how long calls and exceptions took.

var taskColumn = Column{Name: "task", Type: Int32, Doc: "The task it is of, in tasks of the same source."}

// Stacks has the call tree of each task. A sum over own columns is that of the source.
var Stacks = Table{
	Name: "stacks", Row: "node of the call tree of a task: a path of functions from its root",
	Written: ByDefault, PerSource: true,
	Example: "SELECT task, depth, coalesce(name, hex8(s.address)) AS function, calls, instructions, total_instructions " +
		"FROM stacks s LEFT JOIN functions f ON f.dataset = s.dataset AND f.function = s.function ORDER BY " +
		"total_instructions DESC LIMIT 10;",
	Key: []string{"stack"},
	Columns: []Column{
		sourceColumn,
		{
			Name: "stack", Type: Int32, Rising: true,
			Doc: "Number of the node in its source, from 0, by first use: a parent has a lower one than its children.",
		},
		{Name: "parent", Type: Int32, Nullable: true, Doc: "The stack it goes on from; NULL for a root."},
		rises(taskColumn),
		{
			Name: "depth", Type: Int32,
			Doc: "Frames on the path, this one too: a root has 1. An exception is a frame, its handler another.",
		},
		{
			Name: "function", Type: Int32, Nullable: true,
			Doc: "The function, in functions of the core; NULL for an exception, and for code that no function has.",
		},
		{
			Name: "address", Type: Uint64, Hex: true,
			Doc: "Address of its first instruction; where no function has the code, the one that was entered; 0 for an " +
				"exception.",
		},
		{
			Name: "entry", Type: Enum, Names: StackEntryNames,
			Doc: "How it came to be there: root, where the stack of the task, or of a handler, begins; call; tail, the " +
				"function before it, which was called, or another one that took its place, branched to it or ran on into it; " +
				"exception, no function, but the exception that its child handles: asynchronous ones are roots; other, no " +
				"function, but all that its parent called after there were too many paths.",
		},
		{
			Name: "exception", Type: Enum, Nullable: true, Names: ExceptionTypeNames,
			Doc: "Type of the exception; NULL for functions.",
		},
		{Name: "number", Type: Uint16, Nullable: true, Doc: "Number of the exception, as in exceptions; NULL for functions."},
		{Name: "calls", Type: Int64, Doc: "How often it was entered."},
		{Name: "instructions", Type: Int64, Doc: "Instructions of the function itself on this path."},
		{Name: "cycles", Type: Int64, Nullable: true, Unit: "cycles", Doc: "Cycles of those; NULL without cycle accuracy."},
		{
			Name: "total_instructions", Type: Int64,
			Doc: "Instructions of it and of all paths that go on from it.",
		},
		{
			Name: "total_cycles", Type: Int64, Nullable: true, Unit: "cycles",
			Doc: "Cycles of those; NULL without cycle accuracy.",
		},
		{
			Name: "shortest", Type: Int64, Nullable: true,
			Doc: "What the shortest call took that returned, with what it called, without exceptions and other tasks: cycles " +
				"if the source counts them, else instructions; NULL if none returned.",
		},
		{Name: "longest", Type: Int64, Nullable: true, Doc: "What the longest call took, likewise; NULL if none returned."},
		{
			Name: "longest_seq", Type: Int64, Nullable: true,
			Doc: "Ordinal of the first instruction of the first of the longest; NULL as longest.",
		},
		{Name: "not_ended", Type: Int64, Doc: "Of the calls: how often the return, or the call itself, was not seen."},
	},
}

// Tasks has the stacks that took turns.
var Tasks = Table{
	Name: "tasks", Row: "task, or handlers of an asynchronous exception: stacks of their own",
	Written: ByDefault, PerSource: true,
	Example: "SELECT source, task, name, origin, switches, instructions FROM tasks ORDER BY instructions DESC;",
	Key:     []string{"task"},
	Columns: []Column{
		sourceColumn,
		{
			Name: "task", Type: Int32, Rising: true,
			Doc: "Number of the task in its source, from 0, in order of their first instruction.",
		},
		{
			Name: "name", Type: String,
			Doc: "Name as given at export; else that of its root, or where that calls indirectly what nine tenths of the task " +
				"are in, of that; without a function its address. #2: another task of that name. Of handlers: [irq 14]. " +
				"(callers not seen): stacks after gaps, of functions that have callers, of which none was seen.",
		},
		{
			Name: "root", Type: String, Nullable: true,
			Doc: "The function at the bottom of its stack, where most of it is; NULL of handlers, and of several stacks.",
		},
		contextColumn,
		{Name: "first_seq", Type: Int64, Rising: true, Doc: "Ordinal, in its source, of its first instruction."},
		{Name: "switches", Type: Int64, Doc: "How often control came to it from another task."},
		{
			Name: "ambiguous", Type: Int64,
			Doc: "Of those: how often another task could have been meant, which waited at the same address.",
		},
		{
			Name: "joined", Type: Int64,
			Doc: "How often a stack after a gap was taken to go on one from before it, since it returned to an address there.",
		},
		{
			Name: "instructions", Type: Int64,
			Doc: "Instructions executed in it, synchronous exceptions too. Those of tasks are all that were executed.",
		},
		{Name: "cycles", Type: Int64, Nullable: true, Unit: "cycles", Doc: "Cycles of those; NULL without cycle accuracy."},
		{
			Name: "origin", Type: Enum, Names: TaskOriginNames,
			Doc: "How it was found: start, trace began in it; gap, it ran after a gap; new, control went to an address that " +
				"no stack returns to; exception, it is the handlers of an asynchronous exception.",
		},
		{
			Name: "stack_drift", Type: Int64,
			Doc: "How often the instruction that executed was of another function than the one on top, which then took its " +
				"place.",
		},
	},
}

// CallTimes has how long calls took, by function.
var CallTimes = Table{
	Name: "call_times", Row: "function and duration of calls that returned: exact up to 63, from there on 32 to an octave",
	Written: ByDefault, PerSource: true,
	Example: "SELECT source, hex8(address) AS address, sum(calls) AS calls, max(at_most) AS longest FROM call_times GROUP BY " +
		"ALL ORDER BY longest DESC LIMIT 10;",
	Key: []string{"address", "at_least"},
	Columns: []Column{
		sourceColumn,
		{
			Name: "function", Type: Int32, Nullable: true,
			Doc: "The function, in functions of the core; NULL for code that no function has.",
		},
		{
			Name: "address", Type: Uint64, Hex: true, Rising: true,
			Doc: "Address of its first instruction; where no function has the code, the one that was entered.",
		},
		{
			Name: "at_least", Type: Int64,
			Doc: "Shortest duration that the row counts, with what it called, without exceptions and other tasks: cycles if " +
				"the source counts them, else instructions.",
		},
		{Name: "at_most", Type: Int64, Doc: "Longest duration that the row counts."},
		{Name: "calls", Type: Int64, Doc: "How many calls, and tail calls."},
	},
}

// Calls has each call of a function that its caller, and its return, are known of.
var Calls = Table{
	Name: "calls", Row: "call, or tail call, of a function, in order of its end",
	Written: ByDefault, PerSource: true,
	Example: "SELECT source, stack, count(*) AS calls, max(instructions) AS longest, arg_max(seq, instructions) AS at " +
		"FROM calls GROUP BY ALL ORDER BY longest DESC LIMIT 10;",
	Key: []string{"call"},
	Columns: []Column{
		sourceColumn,
		{
			Name: "call", Type: Int64, Rising: true,
			Doc: "Number of the row in its source, from 0; the first are those that ended first. Of more than 65,536 calls the longest " +
				"are rows, unless the table was asked for.",
		},
		{Name: "seq", Type: Int64, Rising: true, Doc: "Ordinal, in its source, of its first instruction."},
		{
			Name: "end_seq", Type: Int64, Nullable: true, Rising: true,
			Doc: "Ordinal of the first instruction after it; NULL if it was open when trace ended.",
		},
		{Name: "stack", Type: Int32, Doc: "The node of the call tree that was entered, in stacks of the same source."},
		{Name: "entry", Type: Enum, Names: StackEntryNames, Doc: "Whether it is a call, or a tail call."},
		epochColumn(epochDoc, false),
		cycleColumn("Cycles from the start of the epoch to its first instruction; NULL without cycle accuracy."),
		{
			Name: "end_cycle", Type: Int64, Nullable: true, Unit: "cycles", Rising: true,
			Doc: "Cycles from the start of the epoch to its end; NULL without cycle accuracy, and if it ended in another epoch.",
		},
		{
			Name: "instructions", Type: Int64,
			Doc: "Instructions in it and in what it called, without exceptions and other tasks.",
		},
		{Name: "own_instructions", Type: Int64, Doc: "Of those: without what it called."},
		{
			Name: "cycles", Type: Int64, Nullable: true, Unit: "cycles",
			Doc: "Cycles of instructions; NULL without cycle accuracy.",
		},
		{
			Name: "own_cycles", Type: Int64, Nullable: true, Unit: "cycles",
			Doc: "Cycles of own_instructions; NULL without cycle accuracy.",
		},
		{
			Name: "end", Type: Enum, Names: CallEndNames,
			Doc: "How it ended: return; exception, the exception returned in whose handler it was called; switch, another " +
				"task had its turn, and it never returned; gap, what came then was lost; open, trace ended in it.",
		},
	},
}

// ExceptionSpans has how long each exception took.
var ExceptionSpans = Table{
	Name: "exception_spans", Row: "exception entry of a source that executed anything, in order of its end",
	Written: ByDefault, PerSource: true,
	Example: "SELECT e.type, e.number, count(*) AS entries, median(s.instructions) AS median, max(s.instructions) AS " +
		"longest FROM exception_spans s JOIN exceptions e USING (dataset, source, ordinal) GROUP BY ALL ORDER BY entries " +
		"DESC;",
	Key: []string{"span"},
	Columns: []Column{
		sourceColumn,
		{
			Name: "span", Type: Int64, Rising: true,
			Doc: "Number of the row in its source, from 0; the first are those that ended first.",
		},
		{Name: "seq", Type: Int64, Rising: true, Doc: "Ordinal, in its source, of the first instruction after the entry."},
		rises(segmentColumn),
		{
			Name: "byte_offset", Type: Int64, Unit: "bytes", Rising: true,
			Doc: "Position, in the capture, of the first byte of the packet that reports the entry.",
		},
		{Name: "ordinal", Type: Int64, Rising: true, Doc: "The row in exceptions that it is of."},
		{
			Name: "stack", Type: Int32, Nullable: true,
			Doc: "The node of the call tree that it interrupted, in stacks of the same source; NULL if nothing executed is " +
				"known of that, or of the handler.",
		},
		{
			Name: "end_seq", Type: Int64, Nullable: true, Rising: true,
			Doc: "Ordinal of the first instruction after it; NULL if it was open when trace ended.",
		},
		{
			Name: "end", Type: Enum, Names: CallEndNames,
			Doc: "How it ended: return; exception, one in which it was nested returned; switch, it went on in another task; " +
				"gap, what came then was lost; open, trace ended in it.",
		},
		{Name: "instructions", Type: Int64, Nullable: true, Doc: "Instructions from entry to end; NULL if it was open."},
		{
			Name: "cycles", Type: Int64, Nullable: true, Unit: "cycles",
			Doc: "Cycles from entry to end; NULL without cycle accuracy, and if another epoch began.",
		},
		{
			Name: "ticks", Type: Int64, Nullable: true, Unit: "ticks",
			Doc: "Timestamp before its end less the one before its entry (sources.timestamp_hz); NULL where either is not known.",
		},
	},
}

// StackEntry is how a function came to be on a stack.
type StackEntry uint8

// The entries, in the order of the enum column `stacks.entry`.
const (
	StackRoot      StackEntry = iota // it was there when the stack began; of an exception: its handler
	StackCall                        // it was called
	StackTail                        // it took the place of another: a tail call
	StackException                   // no function, but an exception
	StackOther                       // no function, but what was called beyond the limit of paths
)

// StackEntryNames are the values of the enum column `stacks.entry`.
var StackEntryNames = []string{"root", "call", "tail", "exception", "other"}

func (e StackEntry) String() string { return StackEntryNames[e] }

// A Frame is what a node of `stacks` is of, without what was executed in it.
type Frame struct {
	Entry     StackEntry
	Address   Address
	Exception Null[ExceptionType]
	Number    Null[uint16]
}

// What is shown of nodes that are of no function.
const (
	EntryNotSeen = "entry not seen" // an exception of which only the return was seen
	OtherPaths   = "(other)"        // StackOther
)

// TaskOrigin is how a task was found.
type TaskOrigin uint8

// The origins, in the order of the enum column `tasks.origin`.
const (
	TaskStart     TaskOrigin = iota // trace began in it
	TaskGap                         // it ran after a gap in the trace: it may be one from before
	TaskNew                         // control went where no stack explains
	TaskException                   // it is the handlers of an exception
)

// TaskOriginNames are the values of the enum column `tasks.origin`.
var TaskOriginNames = []string{"start", "gap", "new", "exception"}

func (o TaskOrigin) String() string { return TaskOriginNames[o] }

// CallEnd is how a call, or an exception, ended.
type CallEnd uint8

// The ends, in the order of the enum columns `calls.end` and `exception_spans.end`.
const (
	CallReturn    CallEnd = iota // it returned
	CallException                // the exception that it was called in returned
	CallSwitch                   // another task had its turn: an exception left for that, a call never returned
	CallGap                      // what came after it was lost
	CallOpen                     // the trace ended
)

// CallEndNames are the values of the enum columns `calls.end` and
// `exception_spans.end`.
var CallEndNames = []string{"return", "exception", "switch", "gap", "open"}

func (e CallEnd) String() string { return CallEndNames[e] }
