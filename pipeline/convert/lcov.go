package convert

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/pipeline/report"
)

// LCOV writes a tracefile (geninfo(1), "FILES"). Lines have the executions of that
// instruction which ran most often; a conditional branch is a block of two branches,
// taken and not taken. test is the name of the test, "" if it has none.
func LCOV(w io.Writer, test string, files []report.SourceFile, p *Paths) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "TN:%s\n", testName(test))
	for i := range files {
		writeLCOV(b, &files[i], p)
	}
	return b.Flush()
}

// testName replaces what the name of a test cannot have.
func testName(label string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, label)
}

// writeLCOV writes the record of a file.
func writeLCOV(b *bufio.Writer, f *report.SourceFile, p *Paths) {
	fmt.Fprintf(b, "SF:%s\n", clean(p.Find(f.Path)))
	hit := 0
	for _, x := range f.Functions {
		fmt.Fprintf(b, "FN:%d,%s\n", x.Line, clean(x.Name))
	}
	for _, x := range f.Functions {
		fmt.Fprintf(b, "FNDA:%d,%s\n", x.Executions, clean(x.Name))
		hit += one(x.Executions > 0)
	}
	fmt.Fprintf(b, "FNF:%d\nFNH:%d\n", len(f.Functions), hit)
	hit = 0
	for _, x := range f.Branches {
		for outcome, n := range []int64{x.Taken, x.NotTaken} {
			taken := "-"
			if x.Reached {
				taken = strconv.FormatInt(n, 10)
			}
			fmt.Fprintf(b, "BRDA:%d,%d,%d,%s\n", x.Line, x.Ordinal, outcome, taken)
			hit += one(n > 0)
		}
	}
	fmt.Fprintf(b, "BRF:%d\nBRH:%d\n", 2*len(f.Branches), hit)
	hit = 0
	for _, x := range f.Lines {
		fmt.Fprintf(b, "DA:%d,%d\n", x.Number, x.Executions)
		hit += one(x.Executions > 0)
	}
	fmt.Fprintf(b, "LF:%d\nLH:%d\nend_of_record\n", len(f.Lines), hit)
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}
