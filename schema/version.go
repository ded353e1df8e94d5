package schema

import (
	"fmt"
	"strconv"
)

// Version is the version of the public format: tables, columns, enums, names.
// It changes when a query that ran before may no longer run.
const Version = 4

// OldestVersion is the oldest version whose rows are read. In files of a version before that
// of a column ([Column.Since]) all rows of the column are NULL.
const OldestVersion = 3

// ParseVersion returns the schema version that the metadata of a file has. It fails if this
// package does not read the rows of such a file.
func ParseVersion(s string) (int, error) {
	v, err := strconv.Atoi(s)
	if err != nil || v < OldestVersion || v > Version {
		return 0, fmt.Errorf("has schema version %q, this program reads %d to %d", s, OldestVersion, Version)
	}
	return v, nil
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
