package port

import (
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/decode"
)

// ReadHeader returns what reads the header of files of a major version: what a raw file
// says of itself (see [decode.Family]).
func ReadHeader(major uint8) func(head []byte, size int64, given decode.Registers) ([]decode.RegisterValue, bool,
	error) {
	return func(head []byte, size int64, given decode.Registers) ([]decode.RegisterValue, bool, error) {
		if isETMS(head) {
			return readETMS(major, head, size)
		}
		// The words of a trace buffer can look like the header of a dump.
		if word, ok := given.Lookup("LAYOUT"); ok && !Layout(word).isDump() {
			return nil, false, nil
		}
		if layout, ok := dumpLayout(head, size); ok && layout.has(major) {
			return readDump(layout, head)
		}
		return nil, false, nil
	}
}

func readETMS(major uint8, head []byte, size int64) ([]decode.RegisterValue, bool, error) {
	h, err := parseETMS(head, size)
	if err != nil {
		return nil, false, err
	}
	return []decode.RegisterValue{
		{Name: "LAYOUT", Value: uint64(LayoutETMS)},
		{Name: "ETMVERSION", Value: uint64(h.number)},
		{Name: "PORTSIZE", Value: uint64(h.width)},
		{Name: "ETMCR", Value: uint64(h.etmcr)},
	}, h.number>>4 == major, nil
}

func readDump(layout Layout, head []byte) ([]decode.RegisterValue, bool, error) {
	etmcr := dumpETMCR(layout, head)
	if size := etmcr >> etmcrPortSizeShift & 7; size >= uint32(len(widths)) {
		return nil, false, &FormatError{
			Layout: layout, Offset: 4, Problem: fmt.Sprintf("port size %d in bits 6:4 is none (0, 1 and 2 are 4, 8 and 16 pins)",
				size),
			Remedy: "OpenOCD writes no such dump: check the file",
		}
	}
	return []decode.RegisterValue{{Name: "LAYOUT", Value: uint64(layout)}, {Name: "ETMCR", Value: uint64(etmcr)}}, true,
		nil
}

// isVersion reports whether n is a known ETMVERSION.
func isVersion(n uint8) bool {
	newest, ok := newestMinor[n>>4]
	return ok && n&0xF <= newest
}

// isWidth reports whether a port can have w pins.
func isWidth(w Width) bool { return slices.Contains(widths, w) }
