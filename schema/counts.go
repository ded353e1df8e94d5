package schema

// This file has the tables that sum up what was executed. Their sizes depend on
// the code that ran, not on the length of the capture.

// Counts has how often each address was executed. An address is covered if it ran
// other than failing its condition: executed + unknown > 0.
var Counts = Table{
	Name: "counts", Row: "source, address and instruction set of executed instructions",
	Written: Always, PerSource: true,
	Example: "SELECT hex8(address) AS address, executed, failed, unknown FROM counts ORDER BY executed DESC LIMIT 10;",
	Key:     []string{"address", "isa"},
	Columns: []Column{
		sourceColumn,
		{Name: "address", Type: Uint64, Hex: true, Rising: true, Doc: "Address of the instruction."},
		isaColumn,
		{Name: "executed", Type: Int64, Doc: "How often it passed its condition."},
		{Name: "failed", Type: Int64, Doc: "How often it failed its condition."},
		{
			Name: "unknown", Type: Int64,
			Doc: "How often it ran where the trace does not say whether it passed (PFT: between waypoints).",
		},
		{Name: "first_seq", Type: Int64, Doc: "Ordinal, in its source, of the first time."},
		{Name: "timed", Type: Int64, Doc: "How often it ran in an epoch that has cycles: the divisor for cycles each."},
		{
			Name: "cycles", Type: Int64, Nullable: true, Unit: "cycles",
			Doc: "Sum of its own cycles; NULL if the trace gives it none (PFT counts waypoints only).",
		},
		{
			Name: "cycles_spread", Type: Float64, Nullable: true, Unit: "cycles",
			Doc: "Cycles with the cost of each run spread evenly over its instructions; NULL if no run of it has a cost.",
		},
	},
}

// Epochs has what packets counted, whatever tables there are beside it: the sums of
// `cycle_counts`.
var Epochs = Table{
	Name: "epochs", Row: "source, cycle epoch and kind of packet with a cycle count",
	Written: Always, PerSource: true,
	Example: "SELECT source, sum(cycles - gap_cycles)::BIGINT AS executed, sum(gap_cycles)::BIGINT AS gaps FROM epochs GROUP " +
		"BY ALL ORDER BY source;",
	Key: []string{"epoch", "kind"},
	Columns: []Column{
		sourceColumn,
		rises(epochColumn(epochDoc, false)),
		{
			Name: "kind", Type: Enum, Names: CountKindNames,
			Doc: "The packet the counts are in, as in cycle_counts; gap: all counts that lie before the epoch, and have none " +
				"there.",
		},
		{Name: "counts", Type: Int64, Doc: "How many counts there are: rows of cycle_counts."},
		{Name: "unknown", Type: Int64, Doc: "Of those: whose packet says unknown."},
		{Name: "cycles", Type: Int64, Unit: "cycles", Doc: "Sum of the others."},
		{
			Name: "gap_cycles", Type: Int64, Unit: "cycles",
			Doc: "Of those: passed while trace was off, so that they belong to no function and no task: counts of restarts, and " +
				"packets of cycles alone before one.",
		},
	},
}

// Edges has how often control went from one instruction to another.
var Edges = Table{
	Name: "edges", Row: "source, pair of addresses, kind and outcome of a step that is not simply to the next instruction",
	Written: Always, PerSource: true,
	Example: "SELECT hex8(from_address) AS caller, hex8(to_address) AS callee, n FROM edges WHERE kind IN ('call', " +
		"'indirect_call') AND outcome <> 'not_taken' ORDER BY n DESC LIMIT 10;",
	Key: []string{"from_address", "to_address", "kind", "outcome"},
	Columns: []Column{
		sourceColumn,
		{Name: "from_address", Type: Uint64, Hex: true, Rising: true, Doc: "Address of the instruction that it leaves."},
		{
			Name: "to_address", Type: Uint64, Hex: true,
			Doc: "Address of the next instruction of the source; where an exception cuts in, its return address.",
		},
		{
			Name: "kind", Type: Enum, Names: EdgeKindNames,
			Doc: "Kind of the instruction that it leaves; exception: from what was interrupted to the handler.",
		},
		{
			Name: "outcome", Type: Enum, Names: EdgeOutcomeNames,
			Doc: "Whether that instruction passed its condition; taken for exceptions.",
		},
		{Name: "n", Type: Int64, Doc: "How often."},
		{
			Name: "cycles", Type: Int64, Nullable: true, Unit: "cycles",
			Doc: "Sum of the own cycles of the instruction that it leaves; NULL if the trace gives it none.",
		},
	},
}
