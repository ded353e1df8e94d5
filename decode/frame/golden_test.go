package frame

import (
	"bytes"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode"
)

// The frames of docs/containers.md §10, worked out by hand from ARM IHI 0029.
const (
	frameA  = "21 00 00 00 00 00 80 08 00 80 00 00 20 84 01 40"
	frameB  = "21 a1 a2 a3 23 a4 b0 b2 b4 b5 20 b7 21 a5 a6 14"
	frameC  = frameC1 + frameC2
	frameC1 = "21 c0 02 03 04 05 06 07 08 09 0a 0b 0c 0d 23 00"
	frameC2 = "10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 81"

	streamA   = "00 00 00 00 00 80 08 00 80 00 00 21 84"
	streamB10 = "a1 a2 a3 a4 a5 a6"
	streamB11 = "b0 b2 b5 b5 20 b7"
	streamC10 = "c0 02 03 04 05 06 07 08 09 0a 0b 0c 0d"
	streamC11 = "11 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1f"

	full  = "ff ff ff 7f"
	reset = full + full + full + full

	// streamT is a port's: A has an HSYNC after its 6th byte of data.
	streamT = full + "21 00 00 00 00 00 ff 7f 80 08 00 80 00 00 20 84 01 40" + full + frameB
)

func TestGoldenStreams(t *testing.T) {
	port := Layout{Sync: true}
	tests := []struct {
		name    string
		bytes   string
		layout  Layout
		id      uint8
		stream  string
		offsets []int64
		breaks  []int
	}{
		{"A", frameA, Layout{}, 0x10, streamA, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, nil},
		{"B", frameB, Layout{}, 0x10, streamB10, []int64{1, 2, 3, 5, 13, 14}, nil},
		{"B", frameB, Layout{}, 0x11, streamB11, []int64{6, 7, 8, 9, 10, 11}, nil},
		{"B, a source it does not have", frameB, Layout{}, 0x12, "", nil, nil},
		{"C", frameC, Layout{}, 0x10, streamC10, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, nil},
		{"C", frameC, Layout{}, 0x11, streamC11, []int64{16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30}, nil},
		{
			"T", "12 34 56" + streamT, port, 0x10, streamA + streamB10,
			[]int64{8, 9, 10, 11, 12, 15, 16, 17, 18, 19, 20, 21, 22, 30, 31, 32, 34, 42, 43},
			nil,
		},
		{"T", "12 34 56" + streamT, port, 0x11, streamB11, []int64{35, 36, 37, 38, 39, 40}, nil},
		{
			"R", frameA + reset + frameA,
			Layout{},
			0x10, streamA + streamA,
			[]int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45},
			[]int{13},
		},
		{"current ID is not carried over a reset", frameB + reset + frameA[3:] + "00", Layout{}, 0x10, streamB10,
			[]int64{1, 2, 3, 5, 13, 14}, nil},
		{
			"C in a ring that wraps between frames", frameC2 + frameC1,
			Layout{RingStart: 16},
			0x11, streamC11,
			[]int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14},
			nil,
		},
		{
			"B in a ring that wraps in the frame", "b0 b2 b4 b5 20 b7 21 a5 a6 14  21 a1 a2 a3 23 a4",
			Layout{RingStart: 10},
			0x10, streamB10,
			[]int64{11, 12, 13, 15, 7, 8},
			nil,
		},
		{
			"lost alignment: FSYNC inside a frame at an odd place", full + frameB + "21 a1 a2" + full + frameB, port, 0x11,
			streamB11 + streamB11,
			[]int64{10, 11, 12, 13, 14, 15, 33, 34, 35, 36, 37, 38},
			[]int{6},
		},
		{
			"lost alignment: FSYNC inside a frame at an even place", full + frameB + "21 a1" + full + frameB, port, 0x11,
			streamB11 + streamB11,
			[]int64{10, 11, 12, 13, 14, 15, 32, 33, 34, 35, 36, 37},
			[]int{6},
		},
		{
			"ID 7F in memory: that frame is dropped", frameB + "ff 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 00" + frameB,
			Layout{},
			0x11, streamB11 + streamB11,
			[]int64{6, 7, 8, 9, 10, 11, 38, 39, 40, 41, 42, 43},
			[]int{6},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := unhex(t, test.bytes)
			census(t, b, test.layout)
			for _, chunk := range []int{1, 7, 16, chunkBytes} {
				got := readAll(t, b, test.layout, test.id, chunk)
				if want := unhex(t, test.stream); !bytes.Equal(got.data, want) {
					t.Errorf("chunk %d: stream % x, want % x", chunk, got.data, want)
				}
				if !slices.Equal(got.offsets, test.offsets) {
					t.Errorf("chunk %d: offsets %v, want %v", chunk, got.offsets, test.offsets)
				}
				if !slices.Equal(got.breaks, test.breaks) {
					t.Errorf("chunk %d: breaks before %v, want %v", chunk, got.breaks, test.breaks)
				}
			}
		})
	}
}

func TestGoldenCensus(t *testing.T) {
	const zeros = "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
	const ones = "ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff"
	tests := []struct {
		name   string
		bytes  string
		layout Layout
		want   Overhead
		breaks []decode.CaptureOffset
	}{
		{"empty", "", Layout{}, Overhead{}, nil},
		{"A", frameA, Layout{}, Overhead{ID: 2, Aux: 1}, nil},
		{"B", frameB, Layout{}, Overhead{ID: 3, Aux: 1}, nil},
		{"R", frameA + reset + frameA, Layout{}, Overhead{ID: 4, Aux: 2, Sync: 16}, offsets(16)},
		{"eight FSYNCs are one reset", reset + frameA + reset + reset + frameA, Layout{}, Overhead{ID: 4, Aux: 2, Sync: 48},
			offsets(32)},
		{"T", "12 34 56" + streamT, Layout{Sync: true}, Overhead{ID: 5, Aux: 2, Sync: 10, Unaligned: 3}, nil},
		{"no FSYNC at all", frameA, Layout{Sync: true}, Overhead{Unaligned: 16}, nil},
		{
			"partial frame before an FSYNC at an odd place", full + frameB + "21 a1 a2" + full + frameB,
			Layout{Sync: true},
			Overhead{ID: 6, Aux: 2, Sync: 8, Unaligned: 3},
			offsets(20),
		},
		{
			"FF FF 7F is no FSYNC that began before", full + frameB + "21 a1 a2 a3 ff ff 7f" + full + frameB,
			Layout{Sync: true},
			Overhead{ID: 6, Aux: 2, Sync: 8, Unaligned: 7},
			offsets(20),
		},
		{"HSYNCs between frames", full + frameB + "ff 7f ff 7f" + frameB, Layout{Sync: true},
			Overhead{ID: 6, Aux: 2, Sync: 8}, nil},
		{"HSYNC in a frame that ends there", full + frameB + "21 a1 ff 7f a2", Layout{Sync: true},
			Overhead{ID: 3, Aux: 1, Sync: 6, Incomplete: 3}, nil},
		{"head", "00 01 02" + frameA, Layout{Offset: 3}, Overhead{ID: 2, Aux: 1, Unaligned: 3}, nil},
		{"last frame cut off", frameA + "21 00 00", Layout{}, Overhead{ID: 2, Aux: 1, Incomplete: 3}, nil},
		{"null data", "01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00", Layout{}, Overhead{ID: 1, Aux: 1, Padding: 14}, nil},
		{"before the first ID", zeros + frameA, Layout{}, Overhead{ID: 2, Aux: 2, Unknown: 15}, nil},
		{"one frame of zeros at the end is data", frameC + zeros, Layout{}, Overhead{ID: 2, Aux: 3}, nil},
		{"two are padding", frameC + zeros + zeros, Layout{}, Overhead{ID: 2, Aux: 4, Padding: 30}, nil},
		{"but not two before something else", frameC + zeros + zeros + frameC, Layout{}, Overhead{ID: 4, Aux: 6}, nil},
		{"zeros, then the rest of a frame", frameC + zeros + zeros + "00 00", Layout{},
			Overhead{ID: 2, Aux: 4, Padding: 30, Incomplete: 2}, nil},
		{"one frame of FF at the end", frameC + ones, Layout{}, Overhead{ID: 2, Aux: 3, Padding: 15}, nil},
		{"FF in the middle", frameC + ones + frameC, Layout{}, Overhead{ID: 4, Aux: 4, Unaligned: 16}, offsets(32)},
		{
			"no break where only a reserved ID had bytes",
			"ed 01 00 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 00" + "ff" + frameA[2:] + frameA,
			Layout{},
			Overhead{ID: 3, Aux: 2, Reserved: 14, Unaligned: 16},
			nil,
		},
		{"nothing but FF", ones + ones, Layout{}, Overhead{Aux: 2, Padding: 30}, nil},
		{
			// e1, f7 and fb are IDs 0x70, 0x7B and 0x7D, the last delayed (aux
			// bit 6). 0x70 has 01 … 07, 0x7B has 09 0a 0b 0d, 0x7D has 0e.
			"no sources", "e1 01 02 03 04 05 06 07 f7 09 0a 0b fb 0d 0e 40",
			Layout{},
			Overhead{ID: 3, Aux: 1, Reserved: 7, Flush: 4, Trigger: 1},
			nil,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := census(t, unhex(t, test.bytes), test.layout)
			if c.Overhead != test.want {
				t.Errorf("overhead\n got %+v\nwant %+v", c.Overhead, test.want)
			}
			if c.Breaks.N != int64(len(test.breaks)) || !slices.Equal(c.Breaks.First, test.breaks) {
				t.Errorf("breaks %+v, want %v", c.Breaks, test.breaks)
			}
			for id, n := range c.ReservedIDs {
				if n != 0 && id != 0x70 && id != 0x76 {
					t.Errorf("%d bytes of reserved ID %#02x", n, id)
				}
			}
		})
	}
}

func TestTriggers(t *testing.T) {
	b := unhex(t, "e1 01 02 03 04 05 06 07 f7 09 0a 0b fb 0d 0e 40")
	if got := readAll(t, b, Layout{}, TriggerID, 16); !slices.Equal(got.offsets, []int64{14}) {
		t.Errorf("triggers at %v, want 14", got.offsets)
	}
}
