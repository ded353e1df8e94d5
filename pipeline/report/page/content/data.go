package content

import "github.com/tracelake/tracelake/schema"

// Data is what tables and pictures of a page are drawn from, as JSON in its data block.
// Tables are columns of one length. An index is -1 where there is none; a percentage is text,
// as reports print it without its sign, "" of nothing. Names are fit to be shown. What a
// page leaves out is nil. Small numbers are uint16, as JSON writes bytes as text.
//
// What `report --json` has too, has its key there, or that of its figure in Unit: `own` is its `cycles` or
// `instructions`, `total` its `total_cycles` or `total_instructions`. A figure, which has `count` and `of`
// there, is two columns. Cycles are rounded to whole ones.
type Data struct {
	Unit   string `json:"unit"`   // of what was spent: "cycles" or "instructions"
	Spent  int64  `json:"spent"`  // in all, in that unit
	Cycles bool   `json:"cycles"` // cycle counts were traced
	// functions have names; else they are stretches of addresses, and there are no percentages
	Named      bool        `json:"named"`
	Files      *Files      `json:"files"`
	Functions  Functions   `json:"functions"`
	Tasks      *Tasks      `json:"tasks"`
	Source     *Source     `json:"source"`
	Flame      *Flame      `json:"flame"`
	Times      []Time      `json:"times"` // of the sources of one dataset
	Exceptions *Exceptions `json:"exceptions"`
	Before     *Before     `json:"before,omitempty"` // nil: the page is of one run
}

// Before is what functions did in the earlier run that the page is compared with, and what changed. Columns
// are of Functions, and nil where these have no names now or before. Of another program functions
// are matched by name and file.
type Before struct {
	Name        string    `json:"name"`
	SameProgram bool      `json:"same_program"`
	Unit        string    `json:"shares_of"`     // of Own and Change: "cycles" if all of both runs has them, else "instructions"
	Gained      []int64   `json:"gained"`        // `new` of coverage: instructions that ran now and not before; of another program 1 for the function
	Lost        []int64   `json:"lost"`          // likewise, that ran before and not now
	Own         []int64   `json:"own"`           // before, in that unit; -1: there was no such function
	Change      []float64 `json:"change_points"` // by how many percentage points its share of all is more
}

// Extent is how much of things is covered, in instructions: of Of Covered ran, and Reached were there to run
// but always failed their condition.
type Extent struct {
	Covered []int64  `json:"covered"`
	Reached []int64  `json:"reached_only"`
	Of      []int64  `json:"of"`
	Percent []string `json:"percent"` // Covered of Of
}

// Work is what things took, in the unit of [Data].
type Work struct {
	Own   []int64  `json:"own"`
	Share []string `json:"share"` // Own in percent of all that was spent
}

// Files are the source files with code, most spent first. Their rows are from `lines`, at
// inline depth 0.
type Files struct {
	Path []string `json:"path"`
	Extent
	Lines        []int64  `json:"lines"` // source lines with code
	LinesCovered []int64  `json:"lines_covered"`
	Outcomes     []int64  `json:"outcomes"` // of conditional branches, two each
	OutcomesSeen []int64  `json:"outcomes_covered"`
	Why          []string `json:"why"` // instructions of it were missed; "": none were
	Work
	Gained []int64 `json:"gained,omitempty"` // as in Before; left out if that is of another program
	Lost   []int64 `json:"lost,omitempty"`
}

// Functions are those of the program, most spent first. Without names they are stretches of
// executed addresses, and Group has the first address of the page of 4 KB that each is in.
type Functions struct {
	Name    []string         `json:"name"`
	Core    []string         `json:"core,omitempty"` // left out if there is one program for all
	Address []schema.Address `json:"address"`
	File    []int32          `json:"file"` // in Files, of its declaration; -1
	Line    []uint32         `json:"line"` // 0: not known
	Group   []schema.Address `json:"group,omitempty"`
	Extent
	Branches []int64  `json:"branches"`           // conditional ones
	Both     []int64  `json:"branches_both_ways"` // of those: seen to go both ways
	Why      []string `json:"why"`                // instructions of it were missed; "": none were
	Entries  []int64  `json:"entries"`            // how often it was entered
	Work
	All []int64 `json:"total"` // with callees, recursion once, in the unit of Data; nil: not known
	// Worst is its longest calls that returned, five at most and of most functions one, the longest first: how long it took,
	// in the unit of Data, index in Data.Times, and start on that axis; the index is -1 if it is on none. nil: not known.
	Worst [][][3]int64 `json:"worst"`
	// Shortest and Median are how long its calls took that returned, in the unit of Data; -1: none did; nil: not known.
	Shortest []int64  `json:"shortest"`
	Median   []int64  `json:"median"`
	IPC      []string `json:"ipc,omitempty"` // instructions per cycle, "1.23"; "" without cycles. Left out if no cycle was traced
}

// Tasks are the tasks and the handlers of asynchronous exceptions, most spent first.
type Tasks struct {
	Name     []string `json:"name"`
	Source   []string `json:"source"`   // that it ran on; "" if there is one for all
	Why      []string `json:"why"`      // it is called so
	Switches []int64  `json:"switches"` // how often it was switched to
	Work
	// Longest is how long its longest turn took, in the unit of Data, from when it ran until another task did, with exceptions
	// that returned to it; the index in Data.Times, and the start on that axis; -1: it is on none. Out is what switched it
	// out most often: an exception, another task, or a gap; OutTimes how often that did, of how often anything
	// did. All are nil if no time is drawn.
	Longest  [][3]int64 `json:"longest,omitempty"`
	Out      []string   `json:"out,omitempty"`
	OutTimes [][2]int64 `json:"out_times,omitempty"`
}

// Source is the lines of the source files.
type Source struct {
	Files []SourceFile `json:"files"`
	// Hottest is the index in Files of that with the hottest line, and the index of the
	// line in its Seen; -1: nothing ran.
	Hottest [2]int32 `json:"hottest"`
}

// A SourceFile is the lines of a file.
type SourceFile struct {
	File int32    `json:"file"`           // in Data.Files
	Text []string `json:"text,omitempty"` // its lines, from line 1; nil: there is no text
	Seen Lines    `json:"seen"`
	// lines with code of which nothing was reached: the first, then each less the one before
	NotSeen []uint32     `json:"not_seen"`
	Code    *Code        `json:"code,omitempty"`    // nil: the page is to hold no code
	Changes *LineChanges `json:"changes,omitempty"` // nil: there are none, or the page is of one run
}

// LineChanges are lines of which instructions ran now and not before, or before and not now.
type LineChanges struct {
	Number []uint32 `json:"number"` // the first, then each less the one before
	Gained []int64  `json:"gained"` // instructions
	Lost   []int64  `json:"lost"`   // likewise
}

// Lines are lines that were reached, by number.
type Lines struct {
	Number []uint32 `json:"number"` // the first, then each less the one before
	State  []uint16 `json:"state"`  // 0: covered; 1: reached, never passed
	Count  []int64  `json:"count"`  // executions of that instruction which ran most often
	Heat   []int64  `json:"heat"`   // sum over the instructions, in the unit of Data
	// Branches are the conditional branches of each line, by address: how often taken, not
	// taken, and unknown. Predicated are its other conditional instructions: how often passed, failed, and unknown.
	Branches   [][][3]int64 `json:"branches"`
	Predicated [][][3]int64 `json:"predicated"`
}

// Code is the instructions of the lines of a file, by line, core and address, as `report disasm` has
// them. Of a file without text it is those of lines that were reached.
type Code struct {
	Line    []uint32 `json:"line"`    // the first, then each less the one before
	Address []int64  `json:"address"` // likewise
	Opcode  []string `json:"opcode"`  // in hexadecimal
	Kind    []string `json:"kind"`    // as the column `code.kind` has it, with the target of a direct branch
	Count   []int64  `json:"count"`   // executions
	Heat    []int64  `json:"heat"`    // in the unit of Data
	// Outcome is how often an instruction was taken or passed, not taken or failed, and unknown; [] of what
	// has no choice.
	Outcome [][]int64 `json:"outcome"`
}

// Flame is the call trees of all tasks, added up. A node is a path of frames; its parent comes
// before it, its tasks are nodes without parent.
type Flame struct {
	Frames Frames  `json:"frames"`
	Parent []int32 `json:"parent"` // how many nodes before; 0: none
	Frame  []int32 `json:"frame"`  // in Frames
	Calls  []int64 `json:"calls"`  // how often it was called or entered
	// What a node took with all that it called; what it took itself is what is left of that
	// without its children.
	Instructions []int64 `json:"instructions"`
	Cycles       []int64 `json:"cycles"` // nil: not all sources count them
	// Change is by how many percentage points the share of a path of names is more than in the earlier run, 0 of
	// spans too short to be drawn one by one; left out if there is none, or one of the runs has no call stacks.
	Change     []float64 `json:"change,omitempty"`
	ChangeUnit string    `json:"change_unit,omitempty"` // of what shares are: "cycles" or "instructions"
}

// Frames are what nodes of call trees are of.
type Frames struct {
	Name     []string `json:"name"`     // in the data block "" where it is that of Function
	Function []int32  `json:"function"` // in Functions; -1
	// 0: a function, 1: a task, 2: an exception, 3: spans too short to be drawn one by one
	Kind []uint16 `json:"kind"`
}

// A Time is what a source did in order of time, from 0 to Length. All places and lengths on its axis are in Unit.
type Time struct {
	Name   string `json:"name"` // of the source
	Unit   string `json:"unit"` // of the axis: "cycles" or "instructions"
	Length int64  `json:"length"`
	Hz     uint64 `json:"hz,omitempty"` // cycles in a second; left out if that is not known
	Frames Frames `json:"frames"`       // its tasks first, in the order of their first turn
	// Spans are in order of their start, outer ones first: a task at depth 0, its frames
	// above it. Spans that are shorter than 1/4,000 of the one below are merged where they
	// follow one another, into one of kind 3.
	Depth  []uint16 `json:"depth"`
	Frame  []int32  `json:"frame"`
	Start  []int64  `json:"start"` // the first, then each less the one before
	Took   []int64  `json:"took"`
	Lanes  []Lane   `json:"lanes"`
	Gaps   []int64  `json:"gaps"` // where each is on the axis
	Off    Off      `json:"off"`  // what of it was not traced
	Growth Growth   `json:"growth"`
	Ledger Ledger   `json:"ledger"`
	Detail *Detail  `json:"detail"` // nil: none was asked for, or there are no rows of instructions
}

// A Ledger says what ran in buckets of an axis: of any range from an edge of theirs to another it has the figures. Edges
// are at instructions whose time rows of the dataset say. Each bucket has Count shares, which follow one another in
// Doer, Took and Entries.
type Ledger struct {
	Seq []int64 `json:"seq"` // of the first instruction of each bucket, and after the last; each less the one before
	At  []int64 `json:"at"`  // where that is on the axis; likewise

	Count   []int64 `json:"count"`
	Doer    []int32 `json:"doer"` // in Task, Exception and Function; each but the first of a bucket less the one before
	Took    []int64 `json:"took"`
	Entries []int64 `json:"entries"` // of Exception

	// What can run, as frames; -1: none. Where nothing was traced all are -1.
	Task      []int32 `json:"task"`      // or the asynchronous exception whose handlers run
	Exception []int32 `json:"exception"` // the innermost
	Function  []int32 `json:"function"`  // of kind 3: one that took less than others
}

// A Detail is the instructions that were executed around points that the page offers to show, in
// windows. Those of all windows follow one another in Code, Cycles and Outcome.
type Detail struct {
	Seq   []int64 `json:"seq"`   // of the first instruction of each window
	Count []int64 `json:"count"` // of its instructions
	From  []int64 `json:"from"`  // where the first one is on the axis; -1: on none
	Until []int64 `json:"until"` // where what comes after the last one is

	Code   []int32 `json:"code"`   // of each instruction: index in what follows
	Cycles []int64 `json:"cycles"` // since the count before; -1: it has no count
	// Outcome is 0 of what has none, 1: taken, 2: not taken, 3: passed, 4: failed, 5: not recorded.
	Outcome []uint16 `json:"outcome"`

	Address  []schema.Address `json:"address"`
	Opcode   []string         `json:"opcode"` // in hexadecimal; "": the page is to hold no code
	Kind     []string         `json:"kind"`   // as the column `instructions.kind` has it
	Function []int32          `json:"function"`
	File     []int32          `json:"file"` // in Files, of its line; -1
	Line     []uint32         `json:"line"`
}

// A Lane is when tasks of one name ran, or exceptions of one kind.
type Lane struct {
	Name      string  `json:"name"`
	Exception bool    `json:"exception"`
	Start     []int64 `json:"start"` // the first, then each less the one before
	Took      []int64 `json:"took"`  // 0: it was seen, but nothing that it executed
	Turns     int64   `json:"turns"` // or entries; spans may be merged
	All       int64   `json:"all"`   // of the axis
}

// Off is when nothing was traced, though cycles were counted.
type Off struct {
	Start []int64 `json:"start"` // the first, then each less the one before
	Took  []int64 `json:"took"`
}

// Growth is how many instructions of the program had been executed, as trace went on: steps
// on the axis of the time.
type Growth struct {
	At    []int64 `json:"at"` // each less the one before
	Count []int64 `json:"count"`
}

// Exceptions are how long exceptions took, each in its Unit, those entered most often first.
type Exceptions struct {
	Name    []string `json:"name"`
	Unit    []string `json:"unit"` // "cycles", "ticks" or "instructions"
	Entries []int64  `json:"entries"`
	Median  []int64  `json:"median"` // -1: no end was seen
	P99     []int64  `json:"p99"`    // -1: fewer than 100
	Longest []int64  `json:"longest"`
	Unended []int64  `json:"unended"`
	Nested  []int64  `json:"nested"` // how many others the deepest one was in; -1: not known
	Share   []string `json:"share"`  // what was executed in them, in percent of all on their core; "": not known
	// Handler is the function that most of that was executed in, "" if it is not known, and HandledBy its index in
	// Functions, -1 if it is none of these.
	Handler   []string `json:"handler"`
	HandledBy []int32  `json:"handled_by"`
	// MedianBefore and LongestBefore are of the earlier run, in the same unit; -1: not known.
	MedianBefore  []int64 `json:"median_before,omitempty"`
	LongestBefore []int64 `json:"longest_before,omitempty"`
	// Worst is the longest that ended, five at most, the longest first: how long it took, index in Data.Times, start and
	// length on that axis; the index is -1 if it is on none.
	Worst [][][4]int64 `json:"worst"`
	// Each has all durations of fewer than 20, ascending, else a histogram.
	Each      [][]int64   `json:"each"`
	Histogram []Histogram `json:"histogram"`
}

// A Histogram counts durations between edges, of which it has one more than counts.
type Histogram struct {
	Log    bool      `json:"log"` // edges are in geometric proportion
	Edges  []float64 `json:"edges"`
	Counts []int64   `json:"counts"`
}

// differences makes of each number but the first its difference to the one before.
func differences[N int64 | uint32](list []N) {
	for i := len(list) - 1; i > 0; i-- {
		list[i] -= list[i-1]
	}
}
