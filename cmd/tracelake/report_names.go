package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/pipeline/report"
)

// Rows that stand for what has no name.
const (
	noLine         = "(no source line)"
	outsideProgram = "(outside of the program)"
)

// rowNoun is what rows stand for; where nothing has names they are instructions.
func rowNoun(named bool, by report.By) string {
	if !named {
		return "address"
	}
	return by.String()
}

// A namer makes names short: of files as many last parts as tell them apart, of
// functions the file or the address only where several have one name.
type namer struct {
	files map[string]string
	names map[string]int // how many rows have this function name
	pairs map[[2]string]int
	cores bool // rows of several cores
}

func newNamer(names []report.Name) *namer {
	n := &namer{names: map[string]int{}, pairs: map[[2]string]int{}}
	paths, core := map[string]bool{}, map[string]bool{}
	for _, name := range names {
		paths[name.File] = true
		core[name.Core] = core[name.Core] || name.Core != ""
		n.names[name.Function]++
		n.pairs[[2]string{name.Function, name.File}]++
	}
	n.cores = len(core) > 1
	n.files = shortPaths(paths)
	return n
}

// row returns the name of a row.
func (n *namer) row(name *report.Name, by report.By) string {
	text := ""
	switch {
	case name.Function == "" && name.File == "" && name.Address == 0:
		return noLine
	case name.Function == "" && name.File == "":
		text = fmt.Sprintf("0x%08x", name.Address)
	case by == report.ByFunction:
		text = n.function(name)
	default:
		text = n.place(name)
	}
	if n.cores && name.Core != "" {
		text = name.Core + ": " + text
	}
	return text
}

func (n *namer) function(name *report.Name) string {
	switch {
	case n.names[name.Function] == 1, name.Address == 0 && name.File == "":
		return name.Function
	case n.pairs[[2]string{name.Function, name.File}] == 1 && name.File != "":
		return name.Function + " (" + n.files[name.File] + ")"
	}
	return fmt.Sprintf("%s (0x%08x)", name.Function, name.Address)
}

// place is FILE or FILE:LINE.
func (n *namer) place(name *report.Name) string {
	if name.Line == 0 {
		return n.files[name.File]
	}
	return n.files[name.File] + ":" + strconv.FormatUint(uint64(name.Line), 10)
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
