package pipeline

// jobBytes is how much may wait to be encoded, for each worker, in bytes as [rows.Job]
// counts them.
const jobBytes = 16 << 20

// rehashBytes is how long a file of trace data may be to be hashed again after it
// was read: longer ones take long to write.
const rehashBytes = 64 << 20

// maxPerByte is how many instructions a byte of trace may come to before the user
// is asked whether the program is the right one.
const maxPerByte = 1000

// DefaultMaxRows is how many rows of `instructions` or of `blocks` a dataset has
// at most, if nothing else is said. No intact trace of a terabyte makes as many,
// but a megabyte over straight code of 60,000 instructions could.
const DefaultMaxRows = 100_000_000_000

// DefaultMaxCalls is how many rows of `calls` a source has unless the table was asked for.
const DefaultMaxCalls = 4_000_000

// How much of a capture is looked at where all of it would take too long.
const (
	// inspectBytes is how much of each buffer.
	inspectBytes = 64 << 20
	// sampleBytes is how much of each source is decoded.
	sampleBytes = 1 << 20
	// attemptBytes is how much of each source is decoded in each other way.
	attemptBytes = 256 << 10
	// attemptSegments is after how many segments of samples an attempt ends: in a wrong
	// layout each sample may begin one.
	attemptSegments = 4 << 10
	// attemptChunk is the size of the memory that it is read into.
	attemptChunk = 64 << 10
	// doubtBytes is how much of that is looked at packet by packet.
	doubtBytes = 16 << 10
	// inspectMissing is how many ranges of missing memory are named.
	inspectMissing = 5
)
