package pipeline

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/probe"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A madeSample is a sample of the made-up protocol.
type madeSample struct {
	status  byte
	payload uint32
}

// shortRun is a sync to 0x1000 and two instructions there, between waits.
var shortRun = []madeSample{{sampleWait, 0}, {sampleWait, 0}, {sampleSync, 7}, {sampleExecute, 0x1000}, {sampleExecute, 0}, {sampleWait, 0}}

// padded returns samples in the layout that has a header.
func padded(samples []madeSample) []byte {
	b := make([]byte, sampleHeaderBytes)
	copy(b, "SMPL")
	binary.LittleEndian.PutUint32(b[4:], uint32(len(samples)))
	for _, s := range samples {
		b = append(b, 0, 0, 0, 0, s.status, 0, 0, 0)
		b = binary.LittleEndian.AppendUint32(b, s.payload)
	}
	return b
}

// sampleFiles writes a capture and program memory of it, and goes to their directory.
func sampleFiles(t *testing.T, trace []byte) {
	t.Helper()
	dir := t.TempDir()
	code := binary.LittleEndian.AppendUint32(nil, 0xe1a00000) // nop
	code = binary.LittleEndian.AppendUint32(code, 0xeafffffd) // b to the nop
	for name, b := range map[string][]byte{"trace.bin": trace, "code.bin": code} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

var sampleCode = []string{"code.bin@0x1000"}

// exportSamples exports trace.bin as the made-up protocol.
func exportSamples(t *testing.T, opt capture.Options) (*Summary, error) {
	t.Helper()
	opt.Images = sampleCode
	return Export(t.Context(), "trace.bin", "run", Options{
		Capture: opt, Level: schema.LevelInstructions, Workers: 2, Overwrite: true, Families: append(Protocols(), sampleFamily()),
	})
}

// A raw file that says what it is needs no --protocol. Offsets are those of its
// records; what is no record is overhead, and one that is cut off is a lost sample.
func TestSampleFile(t *testing.T) {
	sampleFiles(t, append(padded(shortRun), 0, 0, 0, 0, 1))
	if _, err := exportSamples(t, capture.Options{}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"instructions seq=0 byte_offset=52 address=4096",
		"instructions seq=1 byte_offset=64 address=4100",
		"losses byte_offset=16 bytes=2 reason=unsynced",
		"losses byte_offset=88 bytes=0 reason=truncated",
		"segments byte_offset=40 bytes=4 instructions=2",
		"sources protocol=samples unit=samples bytes=6 bytes_decoded=4 bytes_lost=2",
	}
	if got := rowsInWords(t, "run", want); !slices.Equal(got, want) {
		t.Errorf("rows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	ds, err := dataset.Open("run")
	if err != nil {
		t.Fatal(err)
	}
	if r, err := dataset.Check(t.Context(), "run", nil); err != nil || len(r.Problems) > 0 {
		t.Errorf("%v, %v", err, r)
	}
	b := ds.Manifest.Buffers[0]
	if b.Bytes != 93 || b.Streams["0x00"] != 48 || b.Overhead["layout"] != 40 || b.Overhead["incomplete"] != 5 {
		t.Errorf("buffer %+v", b)
	}
	if got := ds.Manifest.Sources[0].Registers["LAYOUT"]; got != "padded" {
		t.Errorf("LAYOUT is %q in the manifest", got)
	}
}

// What is wrong with a raw file, its layout or the command line, and what kind of
// error it is.
func TestSampleInputRefuses(t *testing.T) {
	bad := padded(shortRun)
	bad[sampleHeaderBytes+2*12] = 1
	long := padded(shortRun)
	long[4] = 200
	spoiled := padded(shortRun)
	spoiled[8] = 1
	for _, tt := range []struct {
		trace []byte
		opt   capture.Options
		want  string
		kind  func(error) bool
	}{
		{bad, capture.Options{}, "trace.bin: offset 0x28: padding is not zero", plainError},
		{long, capture.Options{}, "trace.bin: offset 0x4: 200 samples, but there is room for 6", plainError},
		{[]byte("short"), capture.Options{Protocol: "samples", Regs: []string{"LAYOUT=padded"}}, "trace.bin: has 5 bytes, but its header has 16", plainError},
		{spoiled, capture.Options{}, "trace.bin: its writer dropped payloads", isNothing},
		{bad, capture.Options{Framed: true}, "formatter frames never carry samples", isUsage},
		{bad, capture.Options{Regs: []string{"FLIP=high"}}, "known are none, low, auto", isUsage},
		{padded(shortRun), capture.Options{RingStart: new(int64(29))}, "29 is inside a record", isUsage},
	} {
		sampleFiles(t, tt.trace)
		_, err := exportSamples(t, tt.opt)
		if err == nil || !strings.Contains(err.Error(), tt.want) || !tt.kind(err) {
			t.Errorf("%+v: %v, want %s", tt.opt, err, tt.want)
		}
	}
}

func isUsage(err error) bool { return errors.Is(err, capture.ErrUsage) }

func isNothing(err error) bool {
	_, ok := errors.AsType[*NothingError](err)
	return ok
}

func plainError(err error) bool { return !isUsage(err) && !isNothing(err) }

// Settings that are left to be found are found before decoding, and named.
func TestSampleTune(t *testing.T) {
	flipped := slices.Clone(shortRun)
	for i := range flipped {
		flipped[i].status ^= 1
	}
	sampleFiles(t, padded(flipped))
	for words, want := range map[string]int64{"FLIP=low": 2, "FLIP=auto": 2, "FLIP=none": 0} {
		s, err := exportSamples(t, capture.Options{Regs: []string{words}})
		if want == 0 && isNothing(err) {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", words, err)
		}
		if s.Totals.Instructions != want {
			t.Errorf("%s: %d instructions, want %d", words, s.Totals.Instructions, want)
		}
		const note = "source trace.bin: of the settings on trial FLIP=low fits best, and is taken: 3 of 6 checks are right, 0 errors"
		if words == "FLIP=auto" && !slices.Contains(s.Notes, note) {
			t.Errorf("notes %q, want %s", s.Notes, note)
		}
	}
}

// A protocol that makes its own lines has one for each sample, or for a run of waits;
// offsets in them are those of the capture.
func TestSampleLines(t *testing.T) {
	sampleFiles(t, padded(shortRun))
	lines := func(opt PacketOptions) (got []string) {
		opt.families = append(Protocols(), sampleFamily())
		err := Packets(t.Context(), "trace.bin", opt, func(p PacketLine) error {
			got = append(got, fmt.Sprintf("%d+%d %s %s %x %s", p.Offset, p.Len, p.Type, p.Pins, p.Bytes, p.JSON()))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	want := []string{
		"16+2 wait 00  {}",
		`40+1 sync 07* 00100000 {"address":"0x00001000","at":"0x00000034"}`,
		"52+1 execute 00  {}",
		"64+1 execute 00  {}",
		"76+1 wait 00  {}",
	}
	if got := lines(PacketOptions{To: -1}); !slices.Equal(got, want) {
		t.Errorf("lines %q, want %q", got, want)
	}
	if got := lines(PacketOptions{From: 17, To: 64}); !slices.Equal(got, want[1:3]) {
		t.Errorf("lines from 17 to 64: %q", got)
	}
}

// In a snapshot, a source that frames never carry is not decoded where its buffer is
// in frames.
func TestSampleInFrames(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"snapshot.ini": "[snapshot]\nversion=1.0\n[device_list]\ndevice1=etm_0.ini\n[trace]\nmetadata=trace.ini\n",
		"etm_0.ini":    "[device]\nname=ETM_0\nclass=trace_source\ntype=SAMPLES1.0\n[regs]\nLAYOUT=padded\n",
		"trace.ini":    "[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=ETB_0\nfile=etb.bin\nformat=coresight\n[source_buffers]\nETM_0=ETB_0\n",
		"etb.bin":      "\x11" + strings.Repeat("\x00", 31),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Export(t.Context(), dir, filepath.Join(t.TempDir(), "run"), Options{Workers: 1, Families: append(Protocols(), sampleFamily())})
	const want = "source ETM_0 is samples, which formatter frames never carry, but buffer ETB_0 is in frames"
	if err == nil || !isNothing(err) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// manyRuns is shortRun a hundred times.
var manyRuns = slices.Repeat(shortRun, 100)

// A file of which nothing is known is read in every layout; one that fits is named,
// with what its samples are.
func TestSampleInspect(t *testing.T) {
	families := append(Protocols(), sampleFamily())
	noMagic := padded(manyRuns)
	noMagic[0] = 'X'
	for _, tt := range []struct {
		trace []byte
		opt   capture.Options
		line  string
	}{
		{noMagic, capture.Options{}, "tracelake export trace.bin -o run --protocol samples --reg LAYOUT=padded --image code.bin@0x1000"},
		{noMagic, capture.Options{Regs: []string{"FLIP=none"}}, "tracelake export trace.bin -o run --protocol samples --reg FLIP=none --reg LAYOUT=padded --image code.bin@0x1000"},
		{plainly(manyRuns), capture.Options{}, "tracelake export trace.bin -o run --protocol samples --reg LAYOUT=plain --image code.bin@0x1000"},
		{padded(manyRuns), capture.Options{}, "tracelake export trace.bin -o run --image code.bin@0x1000"},
	} {
		sampleFiles(t, tt.trace)
		tt.opt.Images = sampleCode
		in, err := inspectAs(t.Context(), "trace.bin", tt.opt, families)
		if err != nil {
			t.Fatal(err)
		}
		if len(in.Sources) != 1 || in.Sources[0].Sample == nil || !slices.Equal(in.Lines, []string{tt.line}) {
			t.Fatalf("lines %q, want %s; sources %+v", in.Lines, tt.line, in.Sources)
		}
		s := &in.Sources[0]
		if got, want := s.Statuses.String(), "wait 300, execute 200, sync 100"; got != want || s.Statuses.Marks != 100 || s.Unit != "samples" {
			t.Errorf("statuses %s, %d marks in %s, want %s, 100 in samples", got, s.Statuses.Marks, s.Unit, want)
		}
		if want := (probe.FIFOAgreement{Offsets: 100, OffsetsRight: 100}); *s.Sample.FIFO != want || s.Sample.Instructions != 200 {
			t.Errorf("FIFO %+v, want %+v; %d instructions", *s.Sample.FIFO, want, s.Sample.Instructions)
		}
	}
}

// plainly returns samples in the layout without header.
func plainly(samples []madeSample) (b []byte) {
	for _, s := range samples {
		b = append(b, s.status, 0, 0, 0)
		b = binary.LittleEndian.AppendUint32(b, s.payload)
	}
	return b
}

// Where nothing can be decoded, the samples are counted, and the option is named with
// which they can.
func TestSampleRemedy(t *testing.T) {
	inverted := slices.Clone(manyRuns)
	for i := range inverted {
		inverted[i].status ^= 1
	}
	for _, tt := range []struct {
		trace []byte
		regs  []string
		want  []string
	}{
		{
			plainly(slices.Repeat(shortRun[:2], 3)),
			nil,
			[]string{"no sample of 6 from which samples can be decoded (of the first 6 samples: wait 6; with TRACESYNC or a Trace FIFO Offset 0); check --reg LAYOUT=WORD"},
		},
		{padded(manyRuns), []string{"LAYOUT=plain"}, []string{"Offset 0): add --reg LAYOUT=padded"}},
		{plainly(inverted), nil, []string{"Offset 0): add --reg FLIP=low"}},
	} {
		sampleFiles(t, tt.trace)
		s, err := exportSamples(t, capture.Options{Protocol: "samples", Regs: tt.regs})
		text := fmt.Sprint(err)
		if err == nil {
			text = s.Sources[0].Reading.String()
		}
		for _, want := range tt.want {
			if !strings.Contains(text, want) {
				t.Errorf("%q, want %q", text, want)
			}
		}
	}
}
