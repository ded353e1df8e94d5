package schema

import (
	"fmt"
	"slices"
	"strconv"
)

// Version is the version of the public format: tables, columns, enums, names.
// It changes when a query that ran before may no longer run.
const Version = 2

// oldestVersion is the first version of the format. Readers still know it.
const oldestVersion = 1

// ParseVersion returns the schema version that the metadata of a file has. It
// fails if this package does not know it.
func ParseVersion(s string) (int, error) {
	v, err := strconv.Atoi(s)
	if err != nil || v < oldestVersion || v > Version {
		return 0, fmt.Errorf("has schema version %q, this program reads %d to %d", s, oldestVersion, Version)
	}
	return v, nil
}

// An Integer is a type of numbers in files.
type Integer struct {
	Bits   int8
	Signed bool
}

// Integer returns how files of a schema version store the numbers of c. It fails
// if c has none.
func (c *Column) Integer(version int) (i Integer, ok bool) {
	if version == 1 {
		return c.integer1()
	}
	switch c.Type {
	case Uint8, Uint16, Int32:
		return Integer{32, true}, true
	case Uint32, Uint63, Int64:
		return Integer{64, true}, true
	default:
		return Integer{}, false
	}
}

// unsigned32 are the columns that have become Int32 in version 2.
var unsigned32 = []string{"code_block"}

// integer1 is Integer of version 1: of the width that the range of values needs,
// and unsigned if none is negative. What was Uint63 had all of 64 bits, and a row
// of `blocks` up to 64 instructions.
func (c *Column) integer1() (i Integer, ok bool) {
	switch c.Type {
	case Uint8:
		return Integer{8, false}, true
	case Uint16:
		return Integer{16, false}, true
	case Uint32:
		return Integer{32, false}, true
	case Uint63:
		return Integer{64, false}, true
	case Int32:
		return Integer{32, !slices.Contains(unsigned32, c.Name)}, true
	case Int64:
		return Integer{64, true}, true
	default:
		return Integer{}, false
	}
}
