package pipeline

import "fmt"

// DefaultMaxRows is how many rows of `instructions` or of `blocks` a dataset has
// at most, if nothing else is said. No intact trace of a terabyte makes as many,
// but a megabyte over straight code of 60,000 instructions could.
const DefaultMaxRows = 100_000_000_000

// A RowsError says that a dataset would have too many rows.
type RowsError struct {
	Most int64
}

func (e *RowsError) Error() string {
	return fmt.Sprintf("the dataset would have more than %d rows: is this the program that ran? --max-rows N allows more", e.Most)
}

// A rowLimit counts the rows of `instructions` or `blocks` of an export before
// they are made.
type rowLimit struct {
	most, rows int64
}

// take counts n more rows. It fails with a [*RowsError] if they are too many.
func (l *rowLimit) take(n int64) error {
	if l == nil {
		return nil
	}
	if n > l.most-l.rows {
		return &RowsError{l.most}
	}
	l.rows += n
	return nil
}
