package convert

import (
	"bufio"
	"fmt"
	"io"

	"github.com/tracelake/tracelake/pipeline/report/profile"
)

// Profgen writes the unsymbolized profile of llvm-profgen (llvm/tools/llvm-profgen/PerfReader.cpp): the
// number of ranges, a line FIRST-LAST:COUNT for each, the number of branches, a line FROM->TO:COUNT for
// each. Addresses are hexadecimal and those of the ELF file.
func Profgen(w io.Writer, r *profile.Ranges) error {
	b := bufio.NewWriter(w)
	write := func(all []profile.Between, separator string) {
		fmt.Fprintln(b, len(all))
		for _, x := range all {
			fmt.Fprintf(b, "%x%s%x:%d\n", uint64(x.From), separator, uint64(x.To), x.Count)
		}
	}
	write(r.Ranges, "-")
	write(r.Branches, "->")
	return b.Flush()
}
