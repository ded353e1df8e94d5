package schema

// A Reader reads the rows of a part, in order and in bounded memory. It is for
// one goroutine.
type Reader interface {
	// Next returns the rows that follow, at least one and at most BatchRows, or
	// io.EOF behind the last. The batch is the reader's: it holds until the
	// next call, and may be written to until then. After an error the reader is
	// of no use.
	Next() (*Batch, error)
}
