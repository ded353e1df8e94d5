package port

// A Width is how many TRACEPKT pins the port has: 4, 8 or 16.
type Width uint8

// A Config is how a trace port is configured, as far as ETMv1 and ETMv2 share it
// (docs/etmv2.md §2). It is immutable.
type Config struct {
	Version uint8 // 0x10 to 0x13, 0x20, 0x21: the major version in the high digit
	Width   Width
	// Layout is how the capture holds the samples.
	Layout Layout

	DataAddress, DataValue bool // data accesses have addresses, values (ETMCR[3:2])
	MonitorCPRT            bool // MCR and MRC are data accesses (ETMCR[1])
	BranchOutput           bool // direct branches have addresses too (ETMCR[8])
	CycleAccurate          bool // ETMCR[12]
	ContextIDBytes         int  // 0, 1, 2 or 4 (ETMCR[15:14])

	HighVectors bool // exception vectors at 0xFFFF0000, else at 0 (HIVECS)
	BigEndian   bool // data values have their high byte first (ENDIAN)
}

// A Layout is how a capture holds samples (docs/etmv2.md §3).
type Layout uint8

// The layouts.
const (
	LayoutETMS      Layout = iota // records of 4 bytes after a header
	LayoutETB                     // 32-bit words of an ETB, little-endian
	LayoutETBBE                   // the same, big-endian
	LayoutETB24                   // words of an ETB in 3 bytes
	LayoutETBv2Flat               // words of an ETB with all of PIPESTAT in the low bits (ETMv2)
	LayoutBytes                   // a byte a sample, of 4 pins
	LayoutDump                    // a file of OpenOCD's etm dump (ETMv1)
	LayoutDumpOld                 // the same, as written from 2007 to 2009
	LayoutDemux                   // raw pins of a demultiplexed port
	LayoutMux                     // raw pins of a multiplexed port
)

// Vectors is the address of the exception vectors.
func (c *Config) Vectors() uint32 {
	if c.HighVectors {
		return 0xFFFF0000
	}
	return 0
}

// TracesData reports whether the stream has data accesses.
func (c *Config) TracesData() bool { return c.DataAddress || c.DataValue }
