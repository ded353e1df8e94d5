package schema

import (
	"fmt"
	"strconv"
)

// Version is the version of the public format: tables, columns, enums, names.
// It changes when a query that ran before may no longer run.
const Version = 3

// CheckVersion fails unless s is the schema version of this package, as the metadata of a
// file has it. Files of another version have other columns.
func CheckVersion(s string) error {
	if s != strconv.Itoa(Version) {
		return fmt.Errorf("has schema version %q, this program reads %d", s, Version)
	}
	return nil
}

// Bits returns how many bits files have of each number of c, which is signed. It fails if c has
// no numbers.
func (c *Column) Bits() (bits int, ok bool) {
	switch c.Type {
	case Uint8, Uint16, Int32:
		return 32, true
	case Uint32, Uint63, Uint64, Int64:
		return 64, true
	default:
		return 0, false
	}
}
