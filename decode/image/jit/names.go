package jit

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// A Name is that of code at an address.
type Name struct {
	Address schema.Address
	Size    uint64 // in bytes
	Name    string
}

// maxLine is how long a line of a perf-PID.map may be, in bytes.
const maxLine = 1 << 16

// ReadNames reads a perf-PID.map: lines of address, size, both in hex, and a name. It returns the
// names by address, and how many lines are none, as threads leave that write at once. Of one address
// the later line holds, since code is made where other code was. A last line without its end is
// left out: the runtime was about to write it.
func ReadNames(f image.File) (names []Name, bad int, err error) {
	lines := bufio.NewScanner(io.NewSectionReader(f.Data, 0, f.Size))
	lines.Buffer(nil, maxLine)
	lines.Split(wholeLines)
	for lines.Scan() {
		if name, ok := parseName(lines.Text()); ok {
			names = append(names, name)
		} else {
			bad++
		}
	}
	if err := lines.Err(); err != nil {
		return nil, bad, fmt.Errorf("read %s: %w", f.Name, err)
	}
	slices.Reverse(names)
	slices.SortStableFunc(names, func(a, b Name) int { return cmp.Compare(a.Address, b.Address) })
	return slices.CompactFunc(names, func(a, b Name) bool { return a.Address == b.Address }), bad, nil
}

// wholeLines splits at newlines, and leaves out what follows the last one.
func wholeLines(data []byte, atEOF bool) (int, []byte, error) {
	if atEOF && !slices.Contains(data, '\n') {
		return len(data), nil, nil
	}
	return bufio.ScanLines(data, atEOF)
}

func parseName(line string) (Name, bool) {
	address, rest, _ := strings.Cut(line, " ")
	size, name, ok := strings.Cut(rest, " ")
	a, err := strconv.ParseUint(strings.TrimPrefix(address, "0x"), 16, 64)
	s, err2 := strconv.ParseUint(strings.TrimPrefix(size, "0x"), 16, 64)
	return Name{Address: schema.Address(a), Size: s, Name: name}, ok && err == nil && err2 == nil
}
