package rows

import "fmt"

// A LimitError says that a dataset would have too many rows.
type LimitError struct {
	Most int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("the dataset would have more than %d rows: is this the program that ran? --max-rows N allows more",
		e.Most)
}

// A Limit counts the rows of `instructions` or `blocks` of an export before they
// are made.
type Limit struct {
	Most int64
	rows int64
}

// take counts n more rows. It fails with a [*LimitError] if they are too many.
func (l *Limit) take(n int64) error {
	if l == nil {
		return nil
	}
	if n > l.Most-l.rows {
		return &LimitError{l.Most}
	}
	l.rows += n
	return nil
}
