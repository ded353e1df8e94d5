package port

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// The header of a sample file, little-endian (docs/etmv2.md §3.4).
const (
	etmsMagic       = "ETMS"
	etmsFormat      = 1
	etmsHeaderBytes = 16

	etmsFormatAt  = 4
	etmsVersionAt = 5
	etmsWidthAt   = 6
	etmsFlagsAt   = 7
	etmsETMCRAt   = 8
	etmsSamplesAt = 12

	etmsDropped = 1 << 0 // flag: without the droppable samples
)

// An etmsHeader is the header of a sample file.
type etmsHeader struct {
	number  uint8 // of the version
	width   Width
	dropped bool
	etmcr   uint32
	samples uint32 // 0: to the end of the file
}

func isETMS(head []byte) bool { return bytes.HasPrefix(head, []byte(etmsMagic)) }

// parseETMS reads the header of a file of size bytes.
func parseETMS(head []byte, size int64) (etmsHeader, error) {
	fail := func(at int64, format string, args ...any) (etmsHeader, error) {
		return etmsHeader{}, &FormatError{
			Layout: LayoutETMS, Offset: at, Problem: fmt.Sprintf(format, args...),
			Remedy: "docs/etmv2.md §3.4 has the format",
		}
	}
	if !isETMS(head) {
		return etmsHeader{}, &FormatError{
			Layout: LayoutETMS, Problem: fmt.Sprintf("%q is expected, but the file has %q", etmsMagic, head[:min(len(head),
				len(etmsMagic))]),
			Remedy: "tracelake inspect FILE finds the layout, --reg LAYOUT=WORD names it",
		}
	}
	if len(head) < etmsHeaderBytes {
		return fail(int64(len(head)), "the file ends within its header of %d bytes", etmsHeaderBytes)
	}
	h := etmsHeader{
		number: head[etmsVersionAt], width: Width(head[etmsWidthAt]), dropped: head[etmsFlagsAt]&etmsDropped != 0,
		etmcr: binary.LittleEndian.Uint32(head[etmsETMCRAt:]), samples: binary.LittleEndian.Uint32(head[etmsSamplesAt:]),
	}
	switch {
	case head[etmsFormatAt] != etmsFormat:
		return fail(etmsFormatAt, "format %d is expected, but the file has %d", etmsFormat, head[etmsFormatAt])
	case !isVersion(h.number):
		return fail(etmsVersionAt, "version 0x%02X is none: 0x10 to 0x13, 0x20 and 0x21 are", h.number)
	case !isWidth(h.width):
		return fail(etmsWidthAt, "a port of %d pins is none: 4, 8 and 16 are", h.width)
	case head[etmsFlagsAt]&^etmsDropped != 0:
		return fail(etmsFlagsAt, "bits 7:1 of the flags are reserved, but the file has 0x%02X", head[etmsFlagsAt])
	case h.samples != 0 && h.size() != size:
		return fail(etmsSamplesAt, "%d samples make a file of %d bytes, but it has %d", h.samples, h.size(), size)
	}
	return h, nil
}

// size is the size of a file with the samples of h.
func (h *etmsHeader) size() int64 { return etmsHeaderBytes + int64(h.samples)*SampleBytes }

func (h *etmsHeader) append(dst []byte) []byte {
	dst = append(dst, etmsMagic...)
	flags := byte(0)
	if h.dropped {
		flags = etmsDropped
	}
	dst = append(dst, etmsFormat, h.number, byte(h.width), flags)
	dst = binary.LittleEndian.AppendUint32(dst, h.etmcr)
	return binary.LittleEndian.AppendUint32(dst, h.samples)
}

// reservedBits are the bits of a record that are of no pin, or of none that the
// protocol or a port of w pins has.
func reservedBits(major uint8, w Width) Sample {
	bits := Sample(0xFFE0) | Sample(^w.mask())<<16
	if major == 1 {
		return bits | 1<<3
	}
	return bits | traceSync
}

// checkReserved checks that the records have none of the reserved bits; at is the
// capture offset of the first.
func checkReserved(records []byte, reserved Sample, at int64) error {
	two := uint64(reserved)<<32 | uint64(reserved)
	i := 0
	for i+2*SampleBytes <= len(records) && binary.LittleEndian.Uint64(records[i:])&two == 0 {
		i += 2 * SampleBytes
	}
	for ; i < len(records); i += SampleBytes {
		if s := At(records[i:]); s&reserved != 0 {
			return &FormatError{
				Layout: LayoutETMS, Offset: at + int64(i),
				Problem: fmt.Sprintf("the sample 0x%08X has reserved bits set, of 0x%08X", uint32(s), uint32(reserved)),
				Remedy:  "correct what wrote the file, or its version and port size (docs/etmv2.md §3.4)",
			}
		}
	}
	return nil
}

// clearBits clears bits of all records.
func clearBits(records []byte, bits Sample) {
	if bits == 0 {
		return
	}
	for i := 0; i < len(records); i += SampleBytes {
		binary.LittleEndian.PutUint32(records[i:], uint32(At(records[i:])&^bits))
	}
}
