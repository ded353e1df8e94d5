package port

// A grid is how samples lie in the bytes of a layout: after the header there are cells
// of one size, with one to three samples each.
type grid struct {
	head  int64 // bytes of the header
	cell  int   // bytes of a cell
	slots int   // samples in it
	bits  int   // of a slot: sample j of a cell is at bit j × bits of its number
	turn  int   // cells of which a record consists: a ring begins with a whole record
}

// grid returns how the samples lie in the layout of c.
func (c *Config) grid() grid {
	g := grid{slots: 1, bits: c.slotBits(), turn: 1}
	switch c.CaptureLayout {
	case LayoutETMS:
		g.head, g.cell = etmsHeaderBytes, SampleBytes
	case LayoutDump:
		g.head, g.cell = dumpHeaderBytes, dumpRecordBytes
	case LayoutDumpOld:
		g.head, g.cell = oldDumpHeaderBytes, dumpRecordBytes
	case LayoutETB, LayoutETBBE, LayoutETBv2Flat:
		g.cell, g.slots = 4, etbBits/g.bits
	case LayoutETB24:
		g.cell, g.slots = 3, etbBits/g.bits
	case LayoutBytes:
		g.cell = 1
	case LayoutDemux: // a record is two samples
		g.cell, g.turn = (g.bits+7)/8, 2
	case LayoutMux: // a sample is two records
		g.cell = 2 * ((g.bits/2 + 7) / 8)
	}
	return g
}

// etbBits is how many bits of a word of an ETB hold samples.
const etbBits = 24

// cells is how many whole cells a capture of size bytes has.
func (g grid) cells(size int64) int64 { return max(0, size-g.head) / int64(g.cell) }

// offset is the capture offset of cell i.
func (g grid) offset(i int64) int64 { return g.head + i*int64(g.cell) }

// slotOffset is where slot j of a cell is, from the start of the cell: at its first
// bit, whatever the order of the bytes (docs/etmv2.md §3.1).
func (g grid) slotOffset(j int) int { return j * g.bits / 8 }

// Offset returns the capture offset of sample i of a capture that is no ring.
func (c *Config) Offset(i int64) int64 {
	g := c.grid()
	return g.offset(i/int64(g.slots)) + int64(g.slotOffset(int(i%int64(g.slots))))
}

// RecordBytes returns the size of a record of the layout of c, with which a ring can
// begin, and how many samples it holds.
func (c *Config) RecordBytes() (bytes, samples int) {
	g := c.grid()
	return g.cell * g.turn, g.slots * g.turn
}
