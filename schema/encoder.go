package schema

// An Encoder turns batches of one table into a row group of a file format. It
// is for one goroutine at a time; many encoders may run in parallel.
type Encoder interface {
	// BatchRows is how many rows all batches but the last of a row group should
	// have: what is not known row by row may come in longer ones.
	BatchRows() int
	// Append adds the rows of b, and keeps nothing of it. It may change it.
	Append(b *Batch) error
	// Finish returns what was appended and readies the encoder for the next
	// row group. The result does not share memory with the encoder.
	Finish() (Chunks, error)
	// Reset drops what was appended. The encoder keeps its memory.
	Reset()
}

// Chunks is an encoded row group, for a [File] of the format and table it was
// made for.
type Chunks interface {
	Rows() int64
}

// A File is a part that is being written, by one goroutine. After an error it
// must not be used.
type File interface {
	// WriteRowGroup appends a row group.
	WriteRowGroup(Chunks) error
	// Close completes the file, also one without rows. It does not close the
	// underlying writer.
	Close() error
}
