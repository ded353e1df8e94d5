package perfdata

import "errors"

// Beginnings of a file, in either byte order (§1).
const (
	magic        = "PERFILE2"
	magicSwapped = "2ELIFREP"
)

// Detect reports whether a file begins as perf.data does, in either byte order, piped or not.
func Detect(head []byte) bool {
	return len(head) >= len(magic) && (string(head[:len(magic)]) == magic || string(head[:len(magic)]) == magicSwapped)
}

// Read reads a recording: one part, or those of a directory: data, then data.0, data.1 and so on.
// It reads no trace. Its error is an [*Error], but where reading fails.
func Read(parts []Part) (*File, error) { return nil, errors.New("not built") }
