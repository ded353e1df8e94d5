package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/schema"
)

// LineCounts are the lines of a source file that the program has code of, by number.
type LineCounts struct {
	Path  string // as the compiler names it, with slashes
	Lines []LineCount
}

// A LineCount is what ran of a line.
type LineCount struct {
	Number       uint32
	Code         Tally   // its instructions
	Executions   int64   // of that instruction of it which ran most often
	Instructions int64   // executions of all its instructions, those that failed their condition too
	Cycles       float64 // likewise
	Branches     []LineBranch
	Predicated   []LineBranch // taken is that the instruction passed
	Unknown      int64        // predicated instructions whose outcome was unknown at least once
}

// A LineBranch is how often a conditional branch went which way, or a predicated instruction passed and failed.
type LineBranch struct {
	Address                  schema.Address
	Taken, NotTaken, Unknown int64
}

// Lines returns the source files of the program, by path. Excluded code is not in them.
func (m *Merged) Lines() []LineCounts {
	lines := make([]LineCount, len(m.places.lines))
	for _, x := range m.code() {
		if x.line != none && x.exclusion == none {
			lines[x.line].add(x)
		}
	}
	files := make([]LineCounts, len(m.places.files))
	for i := range lines {
		if lines[i].Code.Of > 0 {
			at := m.places.lines[i]
			lines[i].Number = at.number
			files[at.file].Path = m.places.files[at.file]
			files[at.file].Lines = append(files[at.file].Lines, lines[i])
		}
	}
	files = slices.DeleteFunc(files, func(f LineCounts) bool { return len(f.Lines) == 0 })
	for i := range files {
		slices.SortFunc(files[i].Lines, func(x, y LineCount) int { return cmp.Compare(x.Number, y.Number) })
	}
	slices.SortFunc(files, func(x, y LineCounts) int { return strings.Compare(x.Path, y.Path) })
	return files
}

// add adds an instruction of the line.
func (l *LineCount) add(x *instruction) {
	l.Code.add(x)
	l.Executions = max(l.Executions, x.passed())
	l.Instructions += x.reached()
	l.Cycles += x.cycles
	switch {
	case !x.conditional || !x.counted():
	case x.branches():
		l.Branches = append(l.Branches, LineBranch{x.address, x.executed, x.failed, x.unknown})
	default:
		l.Predicated = append(l.Predicated, LineBranch{x.address, x.executed, x.failed, x.unknown})
		l.Unknown += one(x.unknown > 0)
	}
}
