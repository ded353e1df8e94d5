package schema

// Tables returns the tables of the public format, in the order they are
// documented in.
func Tables() []*Table {
	return []*Table{
		&Instructions, &Blocks, &BlockRuns, &CodeBlocks, &Exceptions, &CycleCounts, &Timestamps, &Contexts,
		&DataAccesses, &Events, &Losses, &Segments, &Sources, &Images,
		&Epochs, &Counts, &Edges, &Stacks, &Tasks, &Calls, &CallTimes, &ExceptionSpans,
		&Code, &Functions, &Lines, &Symbols, &Packets,
	}
}

// Answers returns the tables that sum up what ran and name it. A truth has none of
// them, but that of some has stacks and tasks: it has no program file, and says nothing twice.
func Answers() []*Table {
	return []*Table{
		&Epochs, &Counts, &Edges, &Stacks, &Tasks, &Calls, &CallTimes, &ExceptionSpans,
		&Code, &Functions, &Lines, &Symbols,
	}
}

// FindTable returns the table of that name, or nil.
func FindTable(name string) *Table {
	for _, t := range Tables() {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// Columns that several tables share.
var (
	sourceColumn = Column{
		Name: "source", Type: Uint8,
		Doc: "CoreSight trace ID; 0 for a raw dump.",
	}
	segmentColumn = Column{
		Name: "segment", Type: Int32, Nullable: true,
		Doc: "Ordinal of the segment in its source, from 0; NULL before the first cut.",
	}
	offsetColumn = Column{
		Name: "byte_offset", Type: Int64, Unit: "bytes", Rising: true,
		Doc: "Position, in the capture, of the first byte of the packet that reports the row; (seq, byte_offset) orders " +
			"rows across tables.",
	}
	isaColumn = Column{
		Name: "isa", Type: Enum, Names: ISANames,
		Doc: "Instruction set.",
	}
	timestampColumn = Column{
		Name: "timestamp", Type: Uint63, Nullable: true, Unit: "ticks", Rising: true,
		Doc: "Last timestamp traced before it, as a count (its frequency is sources.timestamp_hz); NULL if there was none, " +
			"if not all of its bits are known, or if it is 2⁶³ or more (event timestamp_out_of_range).",
	}
	contextColumn = Column{
		Name: "context_id", Type: Uint32, Nullable: true,
		Doc: "Context ID; NULL until it is known.",
	}
	vmidColumn = Column{
		Name: "vmid", Type: Uint32, Nullable: true,
		Doc: "Virtual machine ID; NULL until it is known.",
	}
	securityColumn = Column{
		Name: "security", Type: Enum, Nullable: true, Names: SecurityNames,
		Doc: "Security state and mode; NULL if the trace does not say.",
	}
	levelColumn = Column{
		Name: "exception_level", Type: Uint8, Nullable: true, Since: 4,
		Doc: "Exception level; NULL but for ETMv4 and ETE, and in profile M.",
	}
	transactionColumn = Column{
		Name: "transaction", Type: Bool, Nullable: true, Since: 4,
		Doc: "True: in a transaction; NULL but for ETE.",
	}
)

// keys returns the columns every table with a place in the trace begins with,
// before those that are its own.
func keys(seq string, own ...Column) []Column {
	return keysBut(Column{Name: "seq", Type: Int64, Rising: true, Doc: seq}, own...)
}

// byCut returns the columns of a table that has a few rows of a segment: its ordinal is
// worth storing as differences.
func byCut(columns []Column) []Column {
	columns[KeySegment] = rises(columns[KeySegment])
	return columns
}

// rises returns a column that several tables share, for one in which its values mostly rise.
func rises(c Column) Column {
	c.Rising = true
	return c
}

// keysBut returns those columns with a seq of its own kind.
func keysBut(seq Column, own ...Column) []Column {
	return append([]Column{
		sourceColumn,
		seq,
		segmentColumn,
		offsetColumn,
	}, own...)
}

// seqAfter is what `seq` means where a row is no instruction.
const seqAfter = "Ordinal, in its source, of the first instruction after it: the one with this seq comes next, the " +
	"one with seq - 1 came before."

func epochColumn(doc string, nullable bool) Column {
	return Column{Name: "epoch", Type: Int32, Nullable: nullable, Doc: doc}
}

func cycleColumn(doc string) Column {
	return Column{Name: "cycle", Type: Int64, Nullable: true, Unit: "cycles", Rising: true, Doc: doc}
}

const (
	epochDoc = "Cycle epoch, from 0: within one, the distance between any two cycles is known; a new one starts where " +
		"it is lost."
	cycleAtDoc = "Cycles from the start of the epoch to this point; NULL without cycle accuracy."
)

// Instructions is the flat level: everything that was executed.
var Instructions = Table{
	Name: "instructions", Row: "instruction, whether it passed its condition or not",
	Written: ByDefault, Level: LevelInstructions, PerSource: true,
	Example: "SELECT hex8(address) AS address, n FROM (SELECT address, count(*) AS n FROM instructions GROUP BY " +
		"address) ORDER BY n DESC LIMIT 10;",
	Columns: keys("Ordinal in its source, from 0, without holes.",
		Column{Name: "address", Type: Uint64, Hex: true, Doc: "Address of the instruction."},
		Column{Name: "size", Type: Uint8, Unit: "bytes", Doc: "Length of the instruction: 2 or 4."},
		isaColumn,
		Column{
			Name: "opcode", Type: Uint32, Hex: true,
			Doc: "The instruction as fetched; a 32-bit T32 one has its first halfword in the high half.",
		},
		Column{Name: "kind", Type: Enum, Names: KindNames, Doc: "Class of the instruction, by its opcode alone."},
		Column{
			Name: "executed", Type: Bool, Nullable: true,
			Doc: "True: it passed its condition, which for a branch means that it was taken; false: it failed; NULL: the " +
				"trace does not say (PFT: between waypoints).",
		},
		Column{
			Name: "cycles", Type: Uint32, Nullable: true, Unit: "cycles",
			Doc: "Cycles spent up to this instruction since the previous count; NULL, never 0, where the trace gives no count " +
				"(PFT counts waypoints only).",
		},
		epochColumn(epochDoc, false),
		cycleColumn("Cycles from the start of the epoch up to and including this instruction; NULL where cycles is."),
		timestampColumn, contextColumn, vmidColumn, securityColumn, levelColumn, transactionColumn,
	),
}

// Blocks is the compact level: what was executed, as runs through code blocks.
var Blocks = Table{
	Name: "blocks", Row: "straight run of executed instructions",
	Written: ByDefault, Level: LevelBlocks, PerSource: true,
	Example: "SELECT code_block, first, instructions, outcome, count(*) AS runs FROM blocks GROUP BY ALL ORDER BY runs " +
		"DESC LIMIT 10;",
	Columns: keys("Ordinal, in its source, of the first instruction of the run.",
		Column{Name: "code_block", Type: Int32, Doc: "The block that was run through, in code_blocks of the same source."},
		Column{Name: "instructions", Type: Uint16, Doc: "How many instructions of the block ran: 1 to 63."},
		Column{Name: "first", Type: Uint16, Doc: "Position in the block of the first that ran."},
		Column{
			Name: "failed", Type: Uint63, Nullable: true,
			Doc: "Bit i is set if instruction i of the run failed its condition; NULL: the protocol reports only the outcome " +
				"of the last one (PFT).",
		},
		Column{
			Name: "outcome", Type: Enum, Names: OutcomeNames,
			Doc: "Outcome of the last instruction: executed is true for taken and passed, false for not_taken, branch or not, " +
				"NULL for unknown.",
		},
		Column{
			Name: "cycles", Type: Uint32, Nullable: true, Unit: "cycles",
			Doc: "Cycles spent up to the end of the run since the previous count; NULL, never 0, where the trace gives no count.",
		},
		epochColumn(epochDoc, false),
		cycleColumn("Cycles from the start of the epoch up to and including the run; NULL where cycles is."),
		timestampColumn, contextColumn, vmidColumn, securityColumn,
		Column{
			Name: "run", Type: Int32, Nullable: true,
			Doc: "The row in block_runs, of the same source, that has its code_block, first, instructions and outcome: to " +
				"group by it is fast; NULL where no export wrote it.",
		},
		levelColumn, transactionColumn,
	),
}

// BlockRuns is the dimension of [Blocks] by which to group them: each way that a block
// was run through once.
var BlockRuns = Table{
	Name: "block_runs", Row: "way that a code block was run through: block, first instruction, length and outcome",
	Written: ByDefault, Level: LevelBlocks, PerSource: true,
	Example: "SELECT address, sum(n) AS times FROM (SELECT run, count(*) AS n FROM blocks WHERE source = 16 GROUP BY " +
		"run) JOIN (FROM block_runs WHERE source = 16) USING (run) JOIN code_blocks USING (dataset, source, code_block) " +
		"WHERE position >= first AND position < first + instructions GROUP BY address ORDER BY times DESC LIMIT 10; -- of " +
		"source 0x10",
	Columns: []Column{
		sourceColumn,
		{Name: "run", Type: Int32, Doc: "Number of the row in its source, from 0, by first use."},
		{Name: "code_block", Type: Int32, Doc: "The block that was run through, in code_blocks of the same source."},
		{Name: "first", Type: Uint16, Doc: "Position in the block of the first instruction that ran."},
		{Name: "instructions", Type: Uint16, Doc: "How many instructions of the block ran: 1 to 63."},
		{Name: "outcome", Type: Enum, Names: OutcomeNames, Doc: "Outcome of the last instruction."},
	},
}

// CodeBlocks is the dimension of [Blocks]: the instructions of each block once.
var CodeBlocks = Table{
	Name: "code_blocks", Row: "instruction of a code block",
	Written: ByDefault, Level: LevelBlocks, PerSource: true,
	Example: "SELECT hex8(min(address)) AS first, count(*) AS instructions, last(kind ORDER BY position) AS ends_with " +
		"FROM code_blocks GROUP BY dataset, source, code_block;",
	Columns: []Column{
		sourceColumn,
		{Name: "code_block", Type: Int32, Doc: "Number of the block in its source, from 0, by first use."},
		{Name: "position", Type: Uint16, Doc: "Position of the instruction in the block, from 0."},
		{Name: "address", Type: Uint64, Hex: true, Doc: "Address of the instruction."},
		{Name: "size", Type: Uint8, Unit: "bytes", Doc: "Length of the instruction: 2 or 4."},
		isaColumn,
		{
			Name: "opcode", Type: Uint32, Hex: true,
			Doc: "The instruction as fetched; a 32-bit T32 one has its first halfword in the high half.",
		},
		{Name: "kind", Type: Enum, Names: KindNames, Doc: "Class of the instruction, by its opcode alone."},
	},
}

// Exceptions has what interrupted the flow, and where the trace says so, its
// return.
var Exceptions = Table{
	Name: "exceptions", Row: "exception entry or explicit return",
	Written: ByDefault, PerSource: true,
	Example: "SELECT type, number, count(*) AS entries FROM exceptions WHERE event = 'entry' GROUP BY ALL ORDER BY " +
		"entries DESC;",
	Columns: byCut(keys(seqAfter,
		Column{
			Name: "ordinal", Type: Int64, Rising: true,
			Doc: "Order in its source, from 0: a return and a tail-chained entry can share seq and byte_offset.",
		},
		Column{Name: "event", Type: Enum, Names: ExceptionEventNames, Doc: "Entry, or a return that the trace reports."},
		Column{Name: "number", Type: Uint16, Nullable: true, Doc: "Exception number as traced; NULL for a return."},
		Column{
			Name: "type", Type: Enum, Nullable: true, Names: ExceptionTypeNames,
			Doc: "Canonical type, the same for all protocols; v7-M external interrupts are irq with their number; NULL for a " +
				"return.",
		},
		Column{
			Name: "return_address", Type: Uint64, Hex: true, Nullable: true,
			Doc: "Preferred return address; NULL if it is not known.",
		},
		Column{
			Name: "target", Type: Uint64, Hex: true, Nullable: true,
			Doc: "Address the exception was taken to; NULL if it is not known, and for a return.",
		},
		Column{
			Name: "resume", Type: Uint8, Nullable: true,
			Doc: "Resume field of v7-M: how far an interrupted load or store multiple got; NULL if not traced.",
		},
		Column{
			Name: "cycles", Type: Uint32, Nullable: true, Unit: "cycles",
			Doc: "Count in the packet of an entry, which is of no instruction: of what ran since the last waypoint, and of the " +
				"entry itself; NULL if it has none, and for a return.",
		},
		rises(epochColumn(epochDoc, false)),
		cycleColumn(cycleAtDoc),
		timestampColumn, contextColumn, vmidColumn, securityColumn, levelColumn,
	)),
}

// CycleCounts is the ledger of cycles: every traced cycle is in one row.
var CycleCounts = Table{
	Name: "cycle_counts", Row: "packet (or group of atoms) with a cycle count",
	Written: WithRows, PerSource: true,
	Example: "SELECT source, epoch, sum(cycles)::BIGINT AS cycles FROM cycle_counts GROUP BY ALL ORDER BY source, epoch;",
	Columns: keys("Ordinal, in its source, of the last instruction that the count includes; else of the first "+
		"instruction after it.",
		epochColumn(epochDoc+" NULL for a count that lies before the epoch its packet opens.", true),
		Column{
			Name: "cycles", Type: Int64, Nullable: true, Unit: "cycles",
			Doc: "Cycles in this packet; NULL: the packet says unknown.",
		},
		cycleColumn("Cycles from the start of the epoch up to and including this count; NULL where epoch or cycles is."),
		Column{
			Name: "kind", Type: Enum, Names: CountKindNames,
			Doc: "The packet it is in; packet: one with nothing but counts; gap: one that comes after the restart of trace " +
				"but counts the time before it.",
		},
		Column{
			Name: "late", Type: Bool,
			Doc: "True: the count comes later in the trace than the instructions it applies before; seq is where it applies, " +
				"byte_offset where it was traced.",
		},
	),
}

// Timestamps has the timestamps as traced.
var Timestamps = Table{
	Name: "timestamps", Row: "timestamp packet",
	Written: ByDefault, PerSource: true,
	Example: "SELECT source, seq, timestamp - lag(timestamp) OVER (PARTITION BY dataset, source ORDER BY byte_offset) " +
		"AS ticks FROM timestamps;",
	Columns: keys(seqAfter,
		Column{
			Name: "timestamp", Type: Uint63, Nullable: true, Unit: "ticks", Rising: true,
			Doc: "Value, decoded from Gray code where need be (its frequency is sources.timestamp_hz); NULL while bits of it " +
				"were never sent, and if it is 2⁶³ or more (event timestamp_out_of_range).",
		},
		Column{
			Name: "known_bits", Type: Uint8, Unit: "bits",
			Doc: "How many low bits of the traced value are known; 48 or 64: all.",
		},
		epochColumn(epochDoc, false),
		cycleColumn(cycleAtDoc),
	),
}

// Contexts has the changes of what instructions run in.
var Contexts = Table{
	Name: "contexts", Row: "first known context, then each change of context_id, vmid, security or exception_level",
	Written: ByDefault, PerSource: true,
	Example: "SELECT source, seq, context_id, lead(seq) OVER (PARTITION BY dataset, source ORDER BY seq, byte_offset) - " +
		"seq AS instructions FROM contexts;",
	Columns: byCut(keys(seqAfter, contextColumn, vmidColumn, securityColumn,
		Column{
			Name: "isa", Type: Enum, Nullable: true, Names: ISANames,
			Doc: "Instruction set; NULL if only data is traced.",
		},
		levelColumn,
	)),
}

// DataAccesses has the data that instructions, and exceptions of v7-M, moved, in
// the order in which the trace completed it.
var DataAccesses = Table{
	Name: "data_accesses", Row: "data transfer: of a load or store multiple, one for each word",
	Written: WhenTraced, PerSource: true,
	Example: "SELECT hex8(address) AS address, n FROM (SELECT address, count(*) AS n FROM data_accesses WHERE access = " +
		"'write' GROUP BY address) ORDER BY n DESC LIMIT 10;",
	Columns: keysBut(
		Column{
			Name: "seq", Type: Int64, Nullable: true, Rising: true,
			Doc: "Ordinal, in its source, of the instruction that made it: the one with this seq (push: the first of the " +
				"handler); NULL if there is none to name.",
		},
		Column{
			Name: "position", Type: Uint16,
			Doc: "Which transfer of the instruction (or of the group, without one) it is, from 0.",
		},
		Column{
			Name: "address", Type: Uint64, Hex: true, Nullable: true,
			Doc: "Address of its first byte; NULL for register transfers, and if it is not traced or not all of its bits are " +
				"known.",
		},
		Column{
			Name: "value", Type: Uint63, Nullable: true,
			Doc: "Value, before sign extension; NULL if it is not traced or was lost.",
		},
		Column{
			Name: "size", Type: Uint8, Nullable: true, Unit: "bytes",
			Doc: "Length of the transfer: 1, 2 or 4 (a doubleword is two transfers); NULL if the instruction is not known.",
		},
		Column{
			Name: "access", Type: Enum, Nullable: true, Names: AccessNames,
			Doc: "How it accesses memory, read if it comes to the core; push and pop are the stack frames of exceptions; NULL " +
				"if the instruction is not known.",
		},
		Column{
			Name: "tag", Type: Uint8, Nullable: true,
			Doc: "Tag of the value if it was to come later (out of order); NULL for all others.",
		},
		Column{
			Name: "state", Type: Enum, Names: DataStateNames,
			Doc: "What became of it in the trace; value and position of suppressed, aborted and cancelled ones are not certain.",
		},
	),
}

// Events has what else happened at a point of the trace.
var Events = Table{
	Name: "events", Row: "anything else that happened at a point",
	Written: ByDefault, PerSource: true,
	Example: "SELECT event, count(*) AS n, min(byte_offset) AS first_at FROM events GROUP BY event ORDER BY n DESC;",
	Columns: byCut(keys(seqAfter,
		Column{Name: "event", Type: Enum, Names: EventNames, Doc: "What happened."},
		Column{Name: "address", Type: Uint64, Hex: true, Nullable: true, Doc: "Address it is about; NULL if there is none."},
		Column{Name: "detail", Type: String, Nullable: true, Doc: "More in words; NULL if there is no more."},
	)),
}

// Losses has the bytes that were not understood. Those of a source sum to its
// bytes_lost.
var Losses = Table{
	Name: "losses", Row: "stretch of bytes not understood",
	Written: Always, PerSource: true,
	Example: "SELECT source, reason, count(*) AS losses, max(bytes) AS longest FROM losses GROUP BY ALL;",
	Columns: byCut(keys(seqAfter,
		Column{
			Name: "bytes", Type: Int64, Unit: "bytes",
			Doc: "Bytes of the stream that were lost (samples where sources.unit says so).",
		},
		Column{Name: "reason", Type: Enum, Names: LossReasonNames, Doc: "Why."},
		Column{
			Name: "detail", Type: String, Nullable: true,
			Doc: "The header, or the rule that was broken; NULL if the reason says all.",
		},
	)),
}

// Segments has the stretches of a stream that can be decoded alone.
var Segments = Table{
	Name: "segments", Row: "segment: the stream from one cut to the next",
	Written: Always, PerSource: true,
	Example: "SELECT source, segment, instructions / bytes AS instructions_per_byte FROM segments WHERE bytes > 0 ORDER " +
		"BY bytes_lost DESC LIMIT 10;",
	Columns: byCut(keys("Ordinal, in its source, of its first instruction.",
		Column{Name: "bytes", Type: Int64, Unit: "bytes", Doc: "Bytes of the stream (samples where sources.unit says so)."},
		Column{Name: "bytes_decoded", Type: Int64, Unit: "bytes", Doc: "Bytes in packets that were understood."},
		Column{Name: "bytes_lost", Type: Int64, Unit: "bytes", Doc: "Bytes not understood: bytes less bytes_decoded."},
		Column{
			Name: "bytes_unplaced", Type: Int64, Unit: "bytes",
			Doc: "Of the decoded: bytes of instructions that have no row, as their address or the memory there is not known.",
		},
		Column{Name: "instructions", Type: Int64, Doc: "Instructions in it."},
		Column{Name: "exceptions", Type: Int64, Doc: "Exception entries in it."},
		Column{
			Name: "address", Type: Uint64, Hex: true, Nullable: true,
			Doc: "Address in the I-sync it begins with; NULL if only data is traced.",
		},
		Column{Name: "reason", Type: Enum, Names: ISyncReasonNames, Doc: "Reason of that I-sync."},
		Column{
			Name: "stream_offset", Type: Int64, Nullable: true, Unit: "bytes", Rising: true,
			Doc: "Length of the stream before it (samples where sources.unit says so). This and the columns after it are what " +
				"decoding needs to begin here: what is known right before its I-sync. All are NULL in a truth.",
		},
		Column{Name: "epoch", Type: Int32, Nullable: true, Doc: "Cycle epoch open before it; NULL if none was."},
		Column{
			Name: "cycle", Type: Int64, Nullable: true, Unit: "cycles", Rising: true,
			Doc: "Cycles of that epoch before it; NULL without cycle accuracy.",
		},
		Column{
			Name: "ordinal", Type: Int64, Nullable: true, Rising: true,
			Doc: "Ordinal of the next row of exceptions; NULL as stream_offset.",
		},
		as(timestampColumn, "Last timestamp before it; NULL as in other tables."),
		as(contextColumn, "Context ID in the last row of contexts before it; NULL until it is known."),
		as(vmidColumn, "Virtual machine ID in that row; NULL until it is known."),
		as(securityColumn, "Security state and mode in that row; NULL if there is none."),
		Column{
			Name: "carried", Type: JSON, Nullable: true,
			Doc: "What else crosses from the segment before, as a JSON object; NULL if nothing does.",
		},
		Column{
			Name: "decode_from", Type: Int32, Nullable: true, Rising: true,
			Doc: "Segment at which decoding has to begin for the rows of this one: this one, or one before it that it still " +
				"changes; NULL as stream_offset.",
		},
		Column{
			Name: "stack", Type: Int32, Nullable: true,
			Doc: "The node of the call tree, in stacks of the same source, that its first instruction is executed in; NULL if " +
				"it has none, and without stacks.",
		},
		as(levelColumn, "Exception level in the last row of contexts; NULL as there."),
	)),
}

// as returns a column that several tables share, which this one describes in its own words.
func as(c Column, doc string) Column {
	c.Doc = doc
	return c
}

// Sources has the totals of each source.
var Sources = Table{
	Name: "sources", Row: "source that was configured or seen",
	Written: Always,
	Example: "SELECT source, name, status, bytes_decoded / nullif(bytes, 0) AS decoded FROM sources;",
	Columns: []Column{
		sourceColumn,
		{Name: "name", Type: String, Nullable: true, Doc: "Name in the snapshot; NULL if it has none."},
		{Name: "protocol", Type: String, Nullable: true, Doc: "Trace protocol: pft, etmv3 …; NULL if it is not known."},
		{Name: "version", Type: String, Nullable: true, Doc: "Version of the protocol, as 1.1; NULL if it is not known."},
		{Name: "core", Type: String, Nullable: true, Doc: "Core that is traced; NULL if it is not known."},
		{Name: "buffer", Type: String, Nullable: true, Doc: "Trace buffer the stream is in; NULL if it has no name."},
		{
			Name: "status", Type: Enum, Names: SourceStatusNames,
			Doc: "What became of it; decoded: its decoder ran, even if it decoded nothing.",
		},
		{Name: "unit", Type: Enum, Names: SourceUnitNames, Doc: "What bytes count, here and in segments and losses."},
		{Name: "bytes", Type: Int64, Unit: "bytes", Doc: "Length of the stream: bytes_decoded and bytes_lost together."},
		{Name: "bytes_decoded", Type: Int64, Unit: "bytes", Doc: "Bytes in packets that were understood."},
		{Name: "bytes_lost", Type: Int64, Unit: "bytes", Doc: "Bytes not understood: the sum of its losses."},
		{
			Name: "bytes_unplaced", Type: Int64, Unit: "bytes",
			Doc: "Of the decoded: bytes of instructions that have no row, as their address or the memory there is not known.",
		},
		{Name: "segments", Type: Int64, Doc: "Rows in segments."},
		{Name: "instructions", Type: Int64, Doc: "Instructions in all."},
		{Name: "exceptions", Type: Int64, Doc: "Exception entries in all."},
		{Name: "losses", Type: Int64, Doc: "Rows in losses."},
		{
			Name: "timestamp_hz", Type: Uint63, Nullable: true, Unit: "Hz",
			Doc: "Frequency of the timestamps, as given at export, else as the snapshot says; NULL if neither does.",
		},
		{
			Name: "cycle_hz", Type: Uint63, Nullable: true, Unit: "Hz",
			Doc: "Frequency of the core clock, as given at export; NULL if it was not.",
		},
		{Name: "registers", Type: JSON, Doc: "Trace registers used, as a JSON object of name and value."},
		{
			Name: "branch_checks", Type: Int64, Nullable: true,
			Doc: "Branch packets that were compared with the program; NULL if none could be, as without a decoder.",
		},
		{
			Name: "branch_agrees", Type: Int64, Nullable: true,
			Doc: "Of those: packets that come where the program branches indirectly, carry an exception, or repeat the target " +
				"of the branch before; NULL as branch_checks.",
		},
		{
			Name: "isync_checks", Type: Int64, Nullable: true,
			Doc: "Periodic I-syncs whose position was compared with the one that the program had reached; NULL as branch_checks.",
		},
		{
			Name: "isync_agrees", Type: Int64, Nullable: true,
			Doc: "Of those: I-syncs at that position; NULL as branch_checks.",
		},
		{
			Name: "decoded_share", Type: Float64, Nullable: true,
			Doc: "Share of the bytes that were decoded: bytes_decoded / bytes; NULL without bytes.",
		},
		{
			Name: "placed_share", Type: Float64, Nullable: true,
			Doc: "Share of the decoded bytes that are no unplaced ones: (bytes_decoded - bytes_unplaced) / bytes_decoded; " +
				"NULL if nothing was decoded.",
		},
		{
			Name: "agreement", Type: Float64, Nullable: true,
			Doc: "Share of branch addresses and periodic synchronisations that agree with the program: (branch_agrees + isync_agrees) / " +
				"(branch_checks + isync_checks); NULL without checks. Below 0.9 another program ran.",
		},
	},
}

// Images has the program memory the trace was followed in, and the executable
// sections of the program files that name it.
var Images = Table{
	Name: "images", Row: "region of program memory, or executable section of a program file",
	Written: Always,
	Example: "SELECT image, role, file, hex8(address) AS first, hex8(address + bytes - 1) AS last, match FROM images " +
		"ORDER BY image;",
	Columns: []Column{
		{Name: "file", Type: String, Doc: "Name of the file it is from, without its folder."},
		{Name: "sha256", Type: String, Doc: "SHA-256 of that file, in hex."},
		{Name: "build_id", Type: String, Nullable: true, Doc: "Build ID in the ELF file, in hex; NULL if it has none."},
		{Name: "address", Type: Uint64, Hex: true, Doc: "Address of its first byte."},
		{Name: "bytes", Type: Int64, Unit: "bytes", Doc: "Length."},
		{Name: "space", Type: String, Nullable: true, Doc: "Memory space, as S, N, H; NULL: any."},
		{Name: "core", Type: String, Nullable: true, Doc: "Core it belongs to; NULL: every core."},
		{Name: "image", Type: Int32, Doc: "Ordinal of the row, from 0."},
		{
			Name: "role", Type: Enum, Names: ImageRoleNames,
			Doc: "What it is for: memory was followed, symbols name what ran.",
		},
		{
			Name: "match", Type: Float64, Nullable: true,
			Doc: "Of the distinct addresses executed in a section of role symbols: the share whose opcode is equal; NULL for " +
				"memory, and if nothing was executed in it.",
		},
		{
			Name: "code_sha256", Type: String, Nullable: true,
			Doc: "SHA-256, in hex, of all executable sections of the program file, by address: equal programs have the same; " +
				"NULL for memory.",
		},
	},
}

// Packets has the packets themselves.
var Packets = Table{
	Name: "packets", Row: "packet",
	Written: OnRequest, PerSource: true,
	Example: "SELECT byte_offset, hex(bytes) AS bytes, type, fields FROM packets ORDER BY source, byte_offset LIMIT 40;",
	Columns: keys(seqAfter,
		Column{Name: "type", Type: String, Doc: "Type, in the words of the protocol's specification."},
		Column{Name: "bytes", Type: Bytes, Doc: "The packet as traced, header first."},
		Column{Name: "fields", Type: JSON, Doc: "Its fields, as a JSON object of name and value."},
	),
}
