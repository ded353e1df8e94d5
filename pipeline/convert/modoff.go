package convert

import (
	"bufio"
	"fmt"
	"io"

	"github.com/tracelake/tracelake/pipeline/report"
)

// outsideModule names what no program file has; its offsets are addresses.
const outsideModule = "memory"

// ModOff writes a line MODULE+OFFSET, in hexadecimal, for each covered instruction, as
// the plugins read that paint coverage into disassemblers. Offsets are from the first
// executable section of a program file, which is the image base there.
func ModOff(w io.Writer, modules []report.Module) error {
	b := bufio.NewWriter(w)
	for _, m := range modules {
		name := clean(m.File)
		if name == "" {
			name = outsideModule
		}
		fmt.Fprintf(b, "# %s", name)
		if m.Core != "" {
			fmt.Fprintf(b, " of core %s", clean(m.Core))
		}
		fmt.Fprintf(b, ": offsets are from %s\n", m.Base.Hex())
		for _, address := range m.Addresses {
			fmt.Fprintf(b, "%s+%x\n", name, address-m.Base)
		}
	}
	return b.Flush()
}
