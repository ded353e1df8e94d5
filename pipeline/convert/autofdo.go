package convert

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/tracelake/tracelake/pipeline/report/profile"
)

// AutoFDO writes a sample profile in the text format of LLVM (llvm/ProfileData/SampleProfReader.h):
// for each function its name, total and entries, and below it executions by line from its
// declaration on, with what the line called; then functions that were inlined, likewise.
func AutoFDO(w io.Writer, s *profile.Samples) error {
	b := bufio.NewWriter(w)
	for i := range s.Functions {
		f := &s.Functions[i]
		fmt.Fprintf(b, "%s:%d:%d\n", symbol(f.Name), f.Total, f.Entries)
		writeSamples(b, f, " ")
	}
	return b.Flush()
}

// writeSamples writes the lines of a function.
func writeSamples(b *bufio.Writer, f *profile.FunctionSamples, indent string) {
	for _, l := range f.Lines {
		fmt.Fprintf(b, "%s%d: %d", indent, l.Offset, l.Count)
		for _, t := range l.Targets {
			fmt.Fprintf(b, " %s:%d", symbol(t.Name), t.Count)
		}
		fmt.Fprintln(b)
	}
	for i := range f.Inlined {
		x := &f.Inlined[i]
		fmt.Fprintf(b, "%s%d: %s:%d\n", indent, x.Offset, symbol(x.Name), x.Total)
		writeSamples(b, &x.FunctionSamples, indent+" ")
	}
}

// symbol returns a name that the format can hold: without spaces and colons, and with no digit
// first, which compilers do not make.
func symbol(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == ':' || unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, clean(name))
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return "_" + name
	}
	return name
}
