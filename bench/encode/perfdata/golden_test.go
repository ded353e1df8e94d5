package perfdata

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

// Records to bytes, worked out by hand. "|" is where the trailer begins, or what follows the record.
var golden = []struct {
	name   string
	record Record
	sample SampleType
	want   string
}{
	{
		"MMAP of a process",
		(&Map{PID: 100, TID: 101, Address: 0x40_0000, Length: 0x2000, Offset: 0x1000, Prot: ProtExec, Name: "/bin/a"}).MMAP(),
		SampleTID | SampleTime,
		`01000000 0200 4000  64000000 65000000  0000400000000000 0020000000000000 0010000000000000  2f62696e2f610000
		| 07000000 08000000  0500000000000000`,
	},
	{
		"MMAP of data, with a name of eight letters",
		(&Map{PID: 100, TID: 100, Address: 0x40_0000, Length: 0x1000, Prot: ProtRead, Name: "/bin/abc"}).MMAP(), 0,
		`01000000 0220 3800  64000000 64000000  0000400000000000 0010000000000000 0000000000000000  2f62696e2f616263 0000000000000000`,
	},
	{
		"MMAP of the kernel",
		(&Map{
			PID: KernelPID, Address: 0xFFFF_8000_0801_0000, Length: 0x100_0000, Offset: 0xFFFF_8000_0801_0000, Prot: ProtExec,
			Name: "[k]_text",
		}).MMAP(), 0,
		`01000000 0100 3800  ffffffff 00000000  000001080080ffff 0000000100000000 000001080080ffff 5b6b5d5f74657874 0000000000000000`,
	},
	{
		"MMAP2 with an inode",
		(&Map{
			PID: 1, TID: 2, Address: 0x1000, Length: 0x2000, Offset: 0x3000, Major: 8, Minor: 1, Inode: 77, Generation: 3,
			Prot: ProtRead | ProtExec, Flags: 2, Name: "a",
		}).MMAP2(), 0,
		`0a000000 0200 5000  01000000 02000000  0010000000000000 0020000000000000 0030000000000000
		08000000 01000000 4d00000000000000 0300000000000000  05000000 02000000  6100000000000000`,
	},
	{
		"MMAP2 with a build ID",
		(&Map{PID: 1, TID: 2, Address: 0x1000, Length: 0x2000, BuildID: []byte{0xDE, 0xAD, 0xBE, 0xEF}, Prot: ProtExec, Name: "a"}).MMAP2(), 0,
		`0a000000 0240 5000  01000000 02000000  0010000000000000 0020000000000000 0000000000000000
		04 000000 deadbeef 00000000 00000000 00000000 00000000  04000000 00000000  6100000000000000`,
	},
	{"COMM", Comm(5, 6, "ls", false), 0, "03000000 0000 1800  05000000 06000000  6c73000000000000"},
	{"COMM by exec", Comm(5, 5, "ls", true), 0, "03000000 0020 1800  05000000 05000000  6c73000000000000"},
	{"FORK", Task{5, 4, 6, 3}.Fork(9), 0, "07000000 0000 2000  05000000 04000000 06000000 03000000  0900000000000000"},
	{"EXIT", Task{5, 4, 6, 3}.Exit(9), 0, "04000000 0000 2000  05000000 04000000 06000000 03000000  0900000000000000"},
	{
		"ITRACE_START, with all of a trailer", ITraceStart(5, 6),
		SampleIP | SamplePeriod | SampleTID | SampleTime | SampleID | SampleStreamID | SampleCPU | SampleIdentifier,
		`0c000000 0000 4000  05000000 06000000
		| 07000000 08000000  0500000000000000  0201000000000000  0201000000000000  0300000000000000  0201000000000000`,
	},
	{"SWITCH in", Switch(false), SampleCPU, "0e000000 0000 1000 | 0300000000000000"},
	{"SWITCH out", Switch(true), 0, "0e000000 0020 0800"},
	{"SWITCH_CPU_WIDE", SwitchCPUWide(true, 5, 6), 0, "0f000000 0020 1000  05000000 06000000"},
	{"AUX_OUTPUT_HW_ID", HardwareID(0x12), 0, "15000000 0000 1000  1200000000000000"},
	{"AUX_OUTPUT_HW_ID of a sink", SinkID(0x12, 0xA1B2C3D4), 0, "15000000 0000 1000  12d4c3b2a1000001"},
	{"LOST", Lost(2, 3), 0, "02000000 0000 1800  0200000000000000 0300000000000000"},
	{"LOST_SAMPLES", LostSamples(3), 0, "0d000000 0000 1000  0300000000000000"},
	{
		"KSYMBOL", KSymbol(0xFFFF_8000_0000_1000, 0x40, 1, 0, "bpf"), 0,
		"11000000 0000 2000  001000000080ffff  40000000 0100 0000  6270660000000000",
	},
	{
		"TEXT_POKE", TextPoke(0xFFFF_8000_0000_1000, []byte{0x1F, 0x20, 3, 0xD5}, []byte{1, 0, 0, 0x14}), 0,
		"14000000 0100 2000  001000000080ffff  0400 0400  1f2003d5 01000014 00000000",
	},
	{
		"TIME_CONV", Clock{1, 2, 3}.Record(), SampleTime,
		`4f000000 0000 3800  0100000000000000 0200000000000000 0300000000000000
		0000000000000000 ffffffffffffff00 01 01 000000000000`,
	},
	{"FINISHED_ROUND", FinishedRound(), SampleTime, "44000000 0000 0800"},
	{"FINISHED_INIT", FinishedInit(), SampleTime, "52000000 0000 0800"},
	{
		"HEADER_BUILD_ID", (&BuildID{PID: KernelPID, ID: []byte{0xDE, 0xAD}, Name: "/a"}).Record(), 0,
		`43000000 0280 6400  ffffffff  dead 000000000000000000000000000000000000 02 000000  2f61` + strings.Repeat("00", 62),
	},
	{
		"HEADER_BUILD_ID of earlier years", (&BuildID{PID: 3, Kernel: true, ID: []byte{0xDE, 0xAD}, Name: "/a", NoLength: true}).Record(), 0,
		`43000000 0100 6400  03000000  dead 000000000000000000000000000000000000 00 000000  2f61` + strings.Repeat("00", 62),
	},
	{
		"AUXTRACE_INFO, version 0",
		(&Metadata{CPUs: []CPU{{5, ETMv3, []uint64{1, 2, 3, 4, 9}}, {6, ETMv4, []uint64{1, 2, 3, 4, 5, 6, 7, 9}}}}).Record(), 0,
		`46000000 0000 a000  03000000 00000000  0000000000000000 0200000009000000 0000000000000000
		3030303030303030 0500000000000000  0100000000000000 0200000000000000 0300000000000000 0400000000000000
		4040404040404040 0600000000000000  0100000000000000 0200000000000000 0300000000000000 0400000000000000
		0500000000000000 0600000000000000 0700000000000000`,
	},
	{
		"AUXTRACE_INFO, version 2",
		(&Metadata{2, true, []CPU{{5, ETE, []uint64{1, UnusedID | 0x10, 3, 4, 5, 6, 7, 0x47715A13, 1}}}}).Record(), 0,
		`46000000 0000 8800  03000000 00000000  0200000000000000 0100000009000000 0100000000000000
		5050505050505050 0500000000000000 0900000000000000
		0100000000000000 1000008000000000 0300000000000000 0400000000000000 0500000000000000 0600000000000000
		0700000000000000 135a714700000000 0100000000000000`,
	},
}

// stamp is what the trailers of the golden records say.
var stamp = Stamp{PID: 7, TID: 8, Time: 5, CPU: 3, ID: 0x102}

func TestGolden(t *testing.T) {
	for _, tt := range golden {
		r := tt.record.At(stamp)
		b, err := r.append(nil, tt.sample)
		checkHex(t, tt.name, slices.Concat(b, r.Payload), tt.want)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func checkHex(t *testing.T, name string, got []byte, want string) {
	t.Helper()
	want = strings.Join(strings.Fields(strings.ReplaceAll(want, "|", "")), "")
	if h := hex.EncodeToString(got); h != want {
		t.Errorf("%s:\n%s, want\n%s", name, h, want)
	}
}

// What rings tell of trace of 16, 12 and 16 bytes: AUX by AUX where it is, AUXTRACE by AUXTRACE what
// was read, padded.
func TestRing(t *testing.T) {
	for _, tt := range []struct {
		name string
		ring Ring
		want [4]string
	}{
		{"of a CPU", Ring{Index: 1, CPU: 3, TID: NoCPU}, [4]string{
			"0b000000 0000 2000  0000000000000000 1000000000000000 0000000000000000",
			"0b000000 0000 2000  1000000000000000 0c00000000000000 0100000000000000",
			"47000000 0000 3000  2000000000000000 0000000000000000 0000000000000000  01000000 ffffffff 03000000 00000000",
			"0b000000 0000 2000  1c00000000000000 1000000000000000 0001000000000000",
		}},
		{"of a thread, in snapshots", Ring{CPU: NoCPU, TID: 8, Snapshot: true}, [4]string{
			"0b000000 0000 2000  1000000000000000 1000000000000000 0200000000000000",
			"0b000000 0000 2000  1c00000000000000 0c00000000000000 0300000000000000",
			"47000000 0000 3000  2000000000000000 0000000000000000 0000000000000000  00000000 08000000 ffffffff 00000000",
			"0b000000 0000 2000  2c00000000000000 1000000000000000 0201000000000000",
		}},
	} {
		r := tt.ring
		records := []Record{r.AUX(make([]byte, 16), 0), r.AUX(make([]byte, 12), AUXTruncated), r.Read(), r.AUX(make([]byte, 16), AUXRaw)}
		for i := range records {
			b, err := records[i].append(nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			checkHex(t, tt.name, b, tt.want[i])
		}
		if n := len(records[2].Payload); n != 28 {
			t.Errorf("%s: %d bytes read, want 28", tt.name, n)
		}
		if offset := order.Uint64(r.Read().Body[8:]); offset != 28 {
			t.Errorf("%s: then read from %d, want 28", tt.name, offset)
		}
	}
}

// Trace that nobody reads has a place in the ring.
func TestLose(t *testing.T) {
	r := Ring{CPU: 1, TID: NoCPU}
	lost := r.Lose(0x1000, 0)
	if at, size := order.Uint64(lost.Body), order.Uint64(lost.Body[8:]); at != 0 || size != 0x1000 {
		t.Errorf("0x%x bytes from 0x%x are lost, want 0x1000 from 0", size, at)
	}
	if at := order.Uint64(r.AUX([]byte{1}, 0).Body); at != 0x1000 {
		t.Errorf("what comes then is at 0x%x, want 0x1000", at)
	}
}

// A record's size has 16 bits.
func TestTooLong(t *testing.T) {
	r := Recording{Records: []Record{Comm(1, 1, strings.Repeat("x", 1<<16), false)}}
	if err := r.Write(new(strings.Builder)); err == nil || !strings.Contains(err.Error(), "record of type 3 has 65560 bytes") {
		t.Errorf("error %v", err)
	}
}
