package port

import (
	"encoding/binary"
	"fmt"
)

// Files of OpenOCD's command "etm dump", big-endian (docs/etmv2.md §3.3). The new
// header is capture status, ETMCR, number of samples; the old one has portmode and
// tracemode in place of ETMCR.
const (
	dumpHeaderBytes    = 12
	oldDumpHeaderBytes = 16
	dumpRecordBytes    = 12 // pipestat, packet, flags

	dumpSync    = 1 << 0 // flag: TRACESYNC
	dumpTrigger = 1 << 1 // flag: the sample was TR, pipestat is the status it replaced

	oldPortFields = 3<<16 | 7<<etmcrPortSizeShift // of portmode, as in ETMCR
	oldContextID  = 4                             // shift, in tracemode

	// dumpCaptureCompleted is the capture status of a dump that is written.
	dumpCaptureCompleted = 4
)

// oldBits are the bits of the old header that have other places in ETMCR.
var oldBits = []struct {
	field      int // 1: portmode, 2: tracemode
	bit, etmcr uint32
}{
	{1, 1 << 12, 1 << 13}, // half-rate clocking
	{2, 1 << 0, etmcrDataValue},
	{2, 1 << 1, etmcrDataAddress},
	{2, 1 << 8, etmcrCycleAccurate},
	{2, 1 << 9, etmcrBranchOutput},
}

// dumpField returns field i of a header.
func dumpField(head []byte, i int) uint32 { return binary.BigEndian.Uint32(head[4*i:]) }

// dumpLayout returns which dump a file of size bytes is, if it is one.
func dumpLayout(head []byte, size int64) (Layout, bool) {
	if size <= oldDumpHeaderBytes || len(head) < oldDumpHeaderBytes {
		return 0, false
	}
	for _, l := range []Layout{LayoutDump, LayoutDumpOld} {
		if checkDump(l, head, size) == nil {
			return l, true
		}
	}
	return 0, false
}

// checkDump checks that the header of a dump fits the size of the file.
func checkDump(layout Layout, head []byte, size int64) error {
	header := dumpHeader(layout)
	fail := func(at int, problem string) error {
		return &FormatError{
			Layout: layout, Offset: int64(at), Problem: problem,
			Remedy: fmt.Sprintf("a dump of n samples has %d + 12n bytes, one of before 2010 %d + 12n: check that the file is "+
				"whole", dumpHeaderBytes, oldDumpHeaderBytes),
		}
	}
	if len(head) < header || size < int64(header) {
		return fail(len(head), fmt.Sprintf("the file ends within its header of %d bytes", header))
	}
	depth := int64(dumpField(head, header/4-1))
	if want := int64(header) + depth*dumpRecordBytes; want != size {
		return fail(header-4, fmt.Sprintf("%d samples make a file of %d bytes, but it has %d", depth, want, size))
	}
	return nil
}

// dumpHeader is the size of the header of a dump.
func dumpHeader(layout Layout) int {
	if layout == LayoutDumpOld {
		return oldDumpHeaderBytes
	}
	return dumpHeaderBytes
}

// dumpETMCR returns ETMCR as the header of a dump has it.
func dumpETMCR(layout Layout, head []byte) uint32 {
	if layout == LayoutDump {
		return dumpField(head, 1)
	}
	etmcr := dumpField(head, 1)&oldPortFields | dumpField(head, 2)>>oldContextID&3<<etmcrContextIDShift
	for _, b := range oldBits {
		if dumpField(head, b.field)&b.bit != 0 {
			etmcr |= b.etmcr
		}
	}
	return etmcr
}

// appendDumpHeader appends the header of a dump.
func appendDumpHeader(dst []byte, layout Layout, etmcr, samples uint32) []byte {
	fields := []uint32{dumpCaptureCompleted, etmcr, samples}
	if layout == LayoutDumpOld {
		fields = []uint32{dumpCaptureCompleted, etmcr & oldPortFields, etmcr >> etmcrContextIDShift & 3 << oldContextID,
			samples}
		for _, b := range oldBits {
			if etmcr&b.etmcr != 0 {
				fields[b.field] |= b.bit
			}
		}
	}
	for _, f := range fields {
		dst = binary.BigEndian.AppendUint32(dst, f)
	}
	return dst
}

// dumpSample returns the sample of a record.
func dumpSample(b []byte, w Width) Sample {
	status, packet, flags := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint32(b[8:])
	if flags&dumpTrigger != 0 {
		status = StatusTR
	}
	return NewSample(uint8(status&7), flags&dumpSync != 0, uint16(packet)&w.mask())
}

// appendDumpRecord appends the record of a sample.
func appendDumpRecord(dst []byte, s Sample, w Width) []byte {
	status, packet, flags := uint32(s.Status()&7), uint32(s.Packet()&w.mask()), uint32(0)
	if s.Sync() {
		flags |= dumpSync
	}
	if status == StatusTR {
		flags |= dumpTrigger
		status = packet & 7
	}
	dst = binary.BigEndian.AppendUint32(dst, status)
	dst = binary.BigEndian.AppendUint32(dst, packet)
	return binary.BigEndian.AppendUint32(dst, flags)
}
