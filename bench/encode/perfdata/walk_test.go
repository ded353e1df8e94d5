package perfdata

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// variants are recordings of one story in all formats.
var variants = []struct {
	name    string
	session Session
	change  func(r *Recording)
}{
	{"version 0", Session{}, nil},
	{"version 1", Session{Version: 1}, nil},
	{"version 2", Session{Version: 2, HardwareIDs: true}, nil},
	{"version 2, by sink", Session{Version: 2, HardwareIDs: true, Sinks: true}, nil},
	{"threads", Session{Version: 1, PerThread: true}, nil},
	{"snapshots", Session{Version: 1, Snapshot: true}, nil},
	{"snapshots of a small ring", Session{Version: 1, Snapshot: true, RingBytes: 32}, nil},
	{"snapshots of threads", Session{Version: 1, Snapshot: true, PerThread: true}, nil},
	{"simpleperf", Session{Version: 1, Simpleperf: true}, nil},
	{"attributes of 64 bytes", Session{Version: 1}, func(r *Recording) { r.AttrBytes = 64 }},
	{"attributes of 136 bytes", Session{Version: 1}, func(r *Recording) { r.AttrBytes = 136 }},
	{"no trailers", Session{Version: 1}, func(r *Recording) { r.SampleType = 0 }},
	{"compressed", Session{Version: 1}, func(r *Recording) { r.Compression = Compressed }},
	{"compressed since 6.16", Session{Version: 1}, func(r *Recording) { r.Compression = Compressed2 }},
	{"piped", Session{Version: 1}, func(r *Recording) { r.Piped = true }},
	{"piped, compressed", Session{Version: 1}, func(r *Recording) { r.Piped, r.Compression = true, Compressed }},
	{"interrupted", Session{Version: 1}, func(r *Recording) { r.Interrupted = true }},
}

// storyTrace is the trace of a run: whole frames, so that any length is a multiple of 16.
func storyTrace(n byte) []byte { return bytes.Repeat([]byte{0x21, n}, 8*int(n)) }

// storyRuns are what is traced in the story.
var storyRuns = []Run{
	{CPU: 1, PID: 100, TID: 100, Trace: storyTrace(1)},
	{CPU: 1, PID: 101, TID: 101, Trace: storyTrace(2), Flags: AUXTruncated},
	{CPU: 3, PID: 101, TID: 102, Trace: storyTrace(3)},
	{CPU: 1, PID: 100, TID: 100, Trace: storyTrace(4)[:60]},
	{CPU: 3, PID: 100, TID: 100, Trace: nil},
}

// story tells all that a session may tell.
func story(t *testing.T, s *Session) *Recording {
	t.Helper()
	for i, n := range []int{3, 1} {
		c := CPU{n, ETMv4, []uint64{0xC1, 0x10 + uint64(i), 0x28000EA1, 0x4100F423, 0x488, 0, 0xCC}}
		if err := s.AddCPU(c, uint32(n)); err != nil {
			t.Fatal(err)
		}
	}
	id := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}
	const text = 0xFFFF_8000_0801_0000
	s.MapKernel(Map{Address: text, Length: 0x100_0000, Offset: text, Prot: ProtExec, Name: "[kernel.kallsyms]_text"})
	s.Present(Map{PID: 90, TID: 90, Address: 0x1000, Length: 0x1000, Prot: ProtRead, Name: "/bin/old"})
	s.Exec(100, "one")
	s.Map(Map{
		PID: 100, TID: 100, Address: 0x40_0000, Length: 0x2000, Offset: 0x1000, Prot: ProtRead | ProtExec, Flags: 2,
		Name: "/bin/one", BuildID: id,
	})
	s.Map(Map{
		PID: 100, TID: 100, Address: 0x50_0000, Length: 0x2000, Offset: 0x1000, Prot: ProtExec, Flags: 2,
		Name: "/bin/two", Major: 8, Minor: 1, Inode: 77, Generation: 3,
	})
	s.Fork(101, 100)
	s.Thread(101, 102, "worker")
	told := func(cpu uint32) Stamp { return Stamp{PID: 101, TID: 102, CPU: cpu, ID: tellEvent} }
	for i, r := range storyRuns {
		if i == 2 {
			s.Read()
		}
		s.Trace(r)
		s.Add(Switch(true), Stamp{PID: r.PID, TID: r.TID, CPU: r.CPU, ID: tellEvent})
	}
	s.Add(SwitchCPUWide(true, 5, 6), told(3))
	s.Add(Lost(tellEvent, 5), told(3))
	s.Add(LostSamples(6), told(3))
	s.Add(TextPoke(text+0x10, []byte{1, 2, 3, 4}, []byte{5, 6, 7, 8}), told(0))
	s.Add(KSymbol(0xFFFF_8000_0A00_1000, 0x100, 1, 0, "bpf_prog"), told(0))
	s.Exit(101)
	s.BuildID(BuildID{PID: KernelPID, ID: id, Name: "/bin/one"})
	s.BuildID(BuildID{PID: KernelPID, Kernel: true, ID: id[:8], Name: "[kernel.kallsyms]"})
	r, err := s.Recording()
	if err != nil {
		t.Fatal(err)
	}
	r.Records = slices.Concat([]Record{Clock{1, 2, 3}.Record(), FinishedInit()}, r.Records)
	return r
}

// written is the recording of the story in a variant.
func written(t *testing.T, session Session, change func(r *Recording)) (*Recording, []byte) {
	t.Helper()
	r := story(t, &session)
	if change != nil {
		change(r)
	}
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	return r, b.Bytes()
}

// A walk is what a file has, read as the format's description says (perf's own: see [TestPerfLists]).
type walk struct {
	t        *testing.T
	file     []byte
	sample   uint64
	records  []walked
	features map[int][]byte
	zstd     bytes.Buffer // all compressed bytes
}

// walked is a record, with its header and where it is: -1 in a compressed one.
type walked struct {
	at      int
	kind    uint32
	b       []byte
	payload []byte
}

func (w *walk) u64(at int) uint64 { return order.Uint64(w.file[at:]) }

func walkFile(t *testing.T, file []byte) *walk {
	t.Helper()
	w := &walk{t: t, file: file, features: map[int][]byte{}}
	if string(file[:8]) != "PERFILE2" {
		t.Fatalf("magic %q", file[:8])
	}
	switch w.u64(8) {
	case 16:
		w.data(16, len(file))
	case 104:
		w.whole()
	default:
		t.Fatalf("a header of %d bytes", w.u64(8))
	}
	return w
}

// whole walks what is no pipe.
func (w *walk) whole() {
	entry, at, size := int(w.u64(16)), int(w.u64(24)), int(w.u64(32))
	if size == 0 || size%entry != 0 || int(order.Uint32(w.file[at+4:])) != entry-16 {
		w.t.Errorf("%d bytes of attributes, of %d, and of size %d", size, entry, order.Uint32(w.file[at+4:]))
	}
	for i := at; i < at+size; i += entry {
		w.attr(w.file[i : i+entry-16])
		ids, n := int(w.u64(i+entry-16)), int(w.u64(i+entry-8))
		if ids < 104 || ids+n > at || n%8 != 0 || n == 0 {
			w.t.Errorf("IDs at %d, %d bytes; attributes at %d", ids, n, at)
		}
	}
	start, n := int(w.u64(40)), int(w.u64(48))
	if start != at+size {
		w.t.Errorf("data at %d, attributes end at %d", start, at+size)
	}
	if n == 0 { // interrupted
		n = len(w.file) - start
	}
	w.data(start, start+n)
	w.sections(start + n)
}

func (w *walk) attr(a []byte) {
	w.sample = order.Uint64(a[24:])
	if order.Uint64(a[40:])>>18&1 == 0 {
		w.sample = 0
	}
}

// sections walks what is behind the data: nothing, or features without gaps.
func (w *walk) sections(at int) {
	next := -1
	for bit := range 256 {
		if w.file[72+bit/8]>>(bit%8)&1 == 0 {
			continue
		}
		offset, n := int(w.u64(at)), int(w.u64(at+8))
		if next >= 0 && offset != next {
			w.t.Errorf("feature %d at %d, want %d", bit, offset, next)
		}
		w.features[bit] = w.file[offset : offset+n]
		next = offset + n
		at += 16
	}
	if end := max(next, at); end != len(w.file) {
		w.t.Errorf("features end at %d of %d", end, len(w.file))
	}
}

// data walks records.
func (w *walk) data(at, end int) {
	for at < end {
		size := int(order.Uint16(w.file[at+6:]))
		r := walked{at: at, kind: order.Uint32(w.file[at:]), b: w.file[at : at+size]}
		at += size
		switch r.kind {
		case TypeHeaderAttr:
			w.attr(r.b[8:])
			continue
		case TypeHeaderFeature:
			w.features[int(order.Uint64(r.b[8:]))] = r.b[16:]
			continue
		case TypeAUXTrace:
			n := int(order.Uint64(r.b[8:]))
			if size != 48 || n%8 != 0 {
				w.t.Errorf("AUXTRACE of %d bytes, with trace of %d", size, n)
			}
			r.payload = w.file[at : at+n]
			at += n
		case TypeCompressed:
			w.unpack(r.b[8:])
			continue
		case TypeCompressed2:
			w.unpack(r.b[16 : 16+order.Uint64(r.b[8:])])
			if size%8 != 0 {
				w.t.Errorf("COMPRESSED2 of %d bytes", size)
			}
			continue
		}
		w.records = append(w.records, r)
	}
	if at != end {
		w.t.Errorf("records end at %d, data at %d", at, end)
	}
}

// unpack adds the records of a compressed one, and those before that it completes.
func (w *walk) unpack(b []byte) {
	before := w.plain()
	w.zstd.Write(b)
	all := w.plain()
	if len(all) <= len(before) {
		w.t.Errorf("compressed record without records")
	}
	known := 0
	for _, r := range w.records {
		if r.at < 0 {
			known += len(r.b)
		}
	}
	for b := all[known:]; len(b) >= 8 && int(order.Uint16(b[6:])) <= len(b); {
		n := int(order.Uint16(b[6:]))
		w.records = append(w.records, walked{at: -1, kind: order.Uint32(b), b: b[:n]})
		b = b[n:]
	}
}

// plain is all that was compressed so far: one stream that has no end.
func (w *walk) plain() []byte {
	d, err := zstd.NewReader(bytes.NewReader(w.zstd.Bytes()), zstd.WithDecoderConcurrency(1))
	if err != nil {
		w.t.Fatal(err)
	}
	defer d.Close()
	b, err := io.ReadAll(d)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		w.t.Fatal(err)
	}
	return b
}

// Each format holds the records of the story, in their order, and nothing else.
func TestFormats(t *testing.T) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			r, b := written(t, v.session, v.change)
			w := walkFile(t, b)
			if w.sample != uint64(r.SampleType) {
				t.Errorf("sample type 0x%x, want 0x%x", w.sample, r.SampleType)
			}
			all := r.all()
			if len(w.records) != len(all) {
				t.Fatalf("%d records, want %d", len(w.records), len(all))
			}
			for i, got := range w.records {
				want, err := all[i].append(nil, r.SampleType)
				if err != nil || !bytes.Equal(got.b, want) || !bytes.HasPrefix(got.payload, all[i].Payload) || len(got.payload)-len(all[i].Payload) > 7 {
					t.Errorf("record %d: %x with %d bytes, want %x with %d", i, got.b, len(got.payload), want, len(all[i].Payload))
				}
			}
			w.checkFeatures(r)
		})
	}
}

// checkFeatures demands the features that there have to be.
func (w *walk) checkFeatures(r *Recording) {
	if _, ok := w.features[FeatureHostname]; ok == r.Interrupted {
		w.t.Errorf("features %d", len(w.features))
	}
	if r.Interrupted || r.Piped {
		return
	}
	index := w.features[FeatureAUXTrace]
	var want []byte
	for _, x := range w.records {
		if x.kind == TypeAUXTrace {
			want = append(want, words(uint64(x.at), 48)...)
		}
	}
	if !r.Simpleperf {
		want = append(words(uint64(len(want)/16)), want...)
	}
	if !bytes.Equal(index, want) {
		w.t.Errorf("index %x, want %x", index, want)
	}
	if _, ok := w.features[FeatureCompressed]; ok != (r.Compression != Uncompressed) {
		w.t.Errorf("feature COMPRESSED: %v", ok)
	}
	if h := w.features[FeatureHostname]; string(bytes.TrimRight(h[4:], "\x00")) != "bench" || len(h) != 4+int(order.Uint32(h)) {
		w.t.Errorf("host name %q", h)
	}
}

// Each AUX leads to the trace of its run: by its offset, in the AUXTRACE of its CPU or thread.
func TestTrace(t *testing.T) {
	for _, v := range variants {
		_, b := written(t, v.session, v.change)
		w := walkFile(t, b)
		n := 0
		for _, r := range w.records {
			if r.kind != TypeAUX {
				continue
			}
			run := storyRuns[n]
			n++
			got := w.run(&r, run.CPU, run.TID)
			want := run.Trace
			if most := v.session.RingBytes; most > 0 && len(want) > most {
				want = want[len(want)-most:]
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s: run %d is %x, want %x", v.name, n, got, want)
			}
			if flags := order.Uint64(r.b[24:]); flags&^AUXOverwrite != run.Flags || flags&AUXOverwrite != 0 != v.session.Snapshot {
				t.Errorf("%s: run %d has flags 0x%x", v.name, n, flags)
			}
		}
		if n != len(storyRuns) {
			t.Errorf("%s: %d runs, want %d", v.name, n, len(storyRuns))
		}
	}
}

// run is the trace of an AUX record.
func (w *walk) run(aux *walked, cpu, tid uint32) []byte {
	for _, x := range w.records {
		if x.kind != TypeAUXTrace {
			continue
		}
		offset, size := order.Uint64(aux.b[8:]), order.Uint64(aux.b[16:])
		if order.Uint64(aux.b[24:])&AUXOverwrite != 0 {
			size = min(size, order.Uint64(x.b[8:]))
			offset -= size
		}
		from := order.Uint64(x.b[16:])
		ringTID, ringCPU := order.Uint32(x.b[36:]), order.Uint32(x.b[40:])
		mine := ringCPU == cpu || ringCPU == NoCPU && ringTID == tid
		if mine && offset >= from && offset+size <= from+uint64(len(x.payload)) {
			return x.payload[offset-from:][:size]
		}
	}
	return nil
}

// A directory has the file, and more records in others.
func TestWriteDir(t *testing.T) {
	for _, kind := range []Compression{Uncompressed, Compressed} {
		r := story(t, &Session{Version: 1})
		r.Compression = kind
		stream := func(x Record) bool { return x.Type < firstUser && x.Stamp.CPU == 3 }
		third := slices.DeleteFunc(slices.Clone(r.Records), func(x Record) bool { return !stream(x) })
		r.Records = slices.DeleteFunc(r.Records, stream)
		dir := t.TempDir()
		if err := r.WriteDir(dir, nil, third); err != nil {
			t.Fatal(err)
		}
		w := walkFile(t, read(t, dir, "data"))
		if len(w.records) != len(r.Records)+1 || !bytes.Equal(w.features[FeatureDirFormat], words(1)) {
			t.Errorf("%d records, want %d; format %x", len(w.records), len(r.Records)+1, w.features[FeatureDirFormat])
		}
		if b := read(t, dir, "data.0"); len(b) != 0 {
			t.Errorf("%d bytes without records", len(b))
		}
		more := walk{t: t, file: read(t, dir, "data.1"), features: map[int][]byte{}}
		more.data(0, len(more.file))
		if len(more.records) != len(third) || len(third) == 0 {
			t.Errorf("%d records, want %d", len(more.records), len(third))
		}
	}
}

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A CPU has one trace unit.
func TestOtherRegisters(t *testing.T) {
	var s Session
	for i, want := range []string{"", "", "CPU 4 has trace units with registers [0x1 0x2] and [0x1 0x3]"} {
		err := s.AddCPU(CPU{4, ETMv3, []uint64{1, 2 + uint64(i/2)}}, 0)
		if got := fmt.Sprint(err); (err == nil) != (want == "") || !strings.Contains(got, want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
