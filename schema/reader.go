package schema

// A Reader reads the rows of a part, in order and in bounded memory. It is for
// one goroutine.
type Reader interface {
	// Next returns the rows that follow, at least one and at most BatchRows, or
	// io.EOF after the last. The batch belongs to the reader: the caller may use
	// and change it until the next call. After an error the reader must not be
	// used.
	Next() (*Batch, error)
}
