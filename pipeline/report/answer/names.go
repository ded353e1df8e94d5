package answer

import (
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/pipeline/report"
)

// Rows that stand for what has no name.
const (
	NoLine         = "(no source line)"
	OutsideProgram = "(outside of the program)"
)

// RowNoun is what rows stand for; where nothing has names they are instructions.
func RowNoun(named bool, by report.By) string {
	if !named {
		return "address"
	}
	return by.String()
}

// A Namer makes names short: of files as many last parts as tell them apart, of
// functions the file or the address only where several have one name.
type Namer struct {
	files map[string]string
	names map[string]int // how many rows have this function name
	pairs map[[2]string]int
	cores bool // rows of several cores
}

// NewNamer returns what names so many rows that are to be told apart.
func NewNamer(rows int, name func(row int) *report.Name) *Namer {
	n := &Namer{names: map[string]int{}, pairs: map[[2]string]int{}}
	paths, core := map[string]bool{}, map[string]bool{}
	for i := range rows {
		name := name(i)
		paths[name.File] = true
		core[name.Core] = core[name.Core] || name.Core != ""
		n.names[name.Function]++
		n.pairs[[2]string{name.Function, name.File}]++
	}
	n.cores = len(core) > 1
	n.files = shortPaths(paths)
	return n
}

// Row returns the name of a row.
func (n *Namer) Row(name *report.Name, by report.By) string {
	text := ""
	switch {
	case name.Function == "" && name.File == "" && name.Address == 0:
		return NoLine
	case name.Function == "" && name.File == "":
		text = name.Address.Hex()
	case by == report.ByFunction:
		text = n.function(name)
	default:
		text = n.Place(name)
	}
	if n.cores && name.Core != "" {
		text = name.Core + ": " + text
	}
	return text
}

func (n *Namer) function(name *report.Name) string {
	switch {
	case n.names[name.Function] == 1, name.Address == 0 && name.File == "":
		return name.Function
	case n.pairs[[2]string{name.Function, name.File}] == 1 && name.File != "":
		return name.Function + " (" + n.files[name.File] + ")"
	}
	return name.Function + " (" + name.Address.Hex() + ")"
}

// Place is FILE or FILE:LINE.
func (n *Namer) Place(name *report.Name) string {
	if name.Line == 0 {
		return n.files[name.File]
	}
	return n.files[name.File] + ":" + strconv.FormatUint(uint64(name.Line), 10)
}

// Exception is an exception where functions have names: [irq 14].
func Exception(name string) string { return "[" + name + "]" }

// Names are the columns of names, under a heading of screens.
func Names(title string, weight Weight, rows int, name func(row int) *report.Name, by report.By) []Column {
	n := NewNamer(rows, name)
	return append([]Column{{
		Title: title, Weight: weight, At: func(i int) Value { return Text(n.Row(name(i), by)) },
	}}, nameKeys(name)...)
}

// rowNames are the columns of names of rows that stand for something.
func rowNames(named bool, rows int, name func(row int) *report.Name, by report.By) []Column {
	weight := Path
	if by == report.ByFunction {
		weight = Name
	}
	return Names(strings.ToUpper(RowNoun(named, by)), weight, rows, name, by)
}

// nameKeys are the columns of names that programs read.
func nameKeys(name func(row int) *report.Name) []Column {
	return []Column{
		{Key: "core", At: func(i int) Value { return Text(name(i).Core) }},
		{Key: "function", At: func(i int) Value { return Text(name(i).Function) }},
		{Key: "address", At: func(i int) Value {
			n := name(i)
			return IfAny(n.Function != "" || n.File == "" && n.Address != 0, Text(n.Address.Hex()))
		}},
		{Key: "file", At: func(i int) Value { return Text(name(i).File) }},
		{Key: "line", At: func(i int) Value { return IfAny(name(i).Line != 0, Int(name(i).Line)) }},
	}
}

// shortPathParts is how many parts of a path are tried; more than that tells the rest
// of the path from others.
const shortPathParts = 6

// shortPaths returns, for each path, the fewest last parts that no other path has.
func shortPaths(paths map[string]bool) map[string]string {
	short := map[string]string{}
	for parts := 1; parts <= shortPathParts && len(short) < len(paths); parts++ {
		same := map[string]int{}
		for path := range paths {
			same[lastParts(path, parts)]++
		}
		for path := range paths {
			if end := lastParts(path, parts); short[path] == "" && same[end] == 1 {
				short[path] = end
			}
		}
	}
	for path := range paths {
		if short[path] == "" {
			short[path] = path
		}
	}
	return short
}

// lastParts returns the last parts of a path.
func lastParts(path string, parts int) string {
	at := len(path)
	for ; parts > 0; parts-- {
		slash := strings.LastIndexByte(path[:at], '/')
		if slash < 0 {
			return path
		}
		at = slash
	}
	return path[at+1:]
}
