package probe

// How much of a capture is looked at where all of it would take too long.
const (
	// inspectBytes is how much of each buffer.
	inspectBytes = 64 << 20
	// sampleBytes is how much of each source is decoded.
	sampleBytes = 1 << 20
	// trialBytes is how much of each source is decoded with other settings.
	trialBytes = 256 << 10
	// trialSegments is after how many segments of samples a trial ends: in a wrong
	// layout each sample may begin one.
	trialSegments = 4 << 10
	// trialChunk is the size of the memory that it is read into.
	trialChunk = 64 << 10
	// undefinedBytes is how much of that is looked at packet by packet.
	undefinedBytes = 16 << 10
	// inspectMissing is how many ranges of missing memory are named.
	inspectMissing = 5
)
