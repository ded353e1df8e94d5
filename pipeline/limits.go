package pipeline

const (
	// unitBytes is how much of a stream a unit holds at least, but for the
	// last: enough to make a hand-over cheap, little enough to balance.
	unitBytes = 64 << 10
	// partBytes is how long a segment may be before it is decoded in parts,
	// one after another: it bounds the memory of a unit.
	partBytes = 64 << 10
	// chunkBytes is the size of the memory that units of a stream share.
	chunkBytes = 1 << 20
)

// What waits in memory, in bytes as [job] and [decode.Result] count them.
const (
	// runGroupBytes is where a row group of runs ends that takes up much for its
	// rows, as of a stream with an I-sync every ten bytes; rowGroupBytes where
	// one of any other table does.
	runGroupBytes = 24 << 20
	rowGroupBytes = 15 << 20
	// jobBytes is how much more may wait to be encoded, for each worker.
	jobBytes = 16 << 20
	// decodedBytes is how much may wait to be stitched, for each worker.
	decodedBytes = 24 << 20
)

// What may wait for a cancel: beyond, one finds nothing. Rows reported after the
// last instruction count, and the bytes of the stream that report them.
const (
	pendingRows  = 65536
	pendingBytes = 4 << 20
)

// How much of a capture is looked at where all of it would take too long.
const (
	// inspectBytes is how much of each buffer.
	inspectBytes = 64 << 20
	// sampleBytes is how much of each source is decoded.
	sampleBytes = 1 << 20
	// inspectMissing is how many ranges of missing memory are named.
	inspectMissing = 5
)
