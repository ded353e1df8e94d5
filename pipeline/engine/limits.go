package engine

const (
	// UnitBytes is the least size of a unit, except the last: large enough to make
	// a hand-over cheap, small enough to balance the load. Where the trace consists
	// of samples, it is as many samples: about as many instructions.
	UnitBytes = 32 << 10
	// unitParts is the most parts of a unit: of segments as short as a sample, which take
	// more memory than their bytes.
	unitParts = 1 << 10
	// PartBytes is how long a segment may be before it is decoded in parts,
	// one after another: it bounds the memory of a unit.
	PartBytes = 32 << 10
	// lookBytes is how far a splitter looks for cuts at a time.
	lookBytes = 64 << 10
	// ChunkBytes is the size of the memory that units of a stream share.
	ChunkBytes = 1 << 20
)

// decodedBytes is how much may wait to be stitched, for each worker, in bytes as
// [decode.Result.Bytes] counts them.
const decodedBytes = 24 << 20
