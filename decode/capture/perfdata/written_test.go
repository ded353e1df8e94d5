package perfdata

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	writer "github.com/tracelake/tracelake/bench/encode/perfdata"
)

// A form is how a recording is made and written, by a writer that shares nothing with this reader
// but the text that describes the format.
type form struct {
	session writer.Session
	change  func(r *writer.Recording)
	notes   int
}

var forms = map[string]form{
	"version 0":       {},
	"version 1":       {session: writer.Session{Version: 1}},
	"IDs of hardware": {session: writer.Session{Version: 2, HardwareIDs: true}},
	"IDs of sinks":    {session: writer.Session{Version: 2, HardwareIDs: true, Sinks: true}},
	"threads":         {session: writer.Session{Version: 1, PerThread: true}},
	"threads, IDs":    {session: writer.Session{Version: 2, PerThread: true, HardwareIDs: true}},
	"snapshots":       {session: writer.Session{Version: 1, Snapshot: true}},
	"simpleperf":      {session: writer.Session{Version: 1, Simpleperf: true}, change: func(r *writer.Recording) { r.Simpleperf = true }},
	"piped":           {change: func(r *writer.Recording) { r.Piped = true }},
	"interrupted":     {change: func(r *writer.Recording) { r.Interrupted = true }, notes: 1},
	"compressed":      {change: func(r *writer.Recording) { r.Compression = writer.Compressed }},
	"compressed2":     {change: func(r *writer.Recording) { r.Compression, r.Piped = writer.Compressed2, true }},
	"interrupted, compressed": {change: func(r *writer.Recording) {
		r.Compression, r.Interrupted = writer.Compressed, true
	}, notes: 1},
	"old attributes": {change: func(r *writer.Recording) { r.AttrBytes = 64 }},
	"new attributes": {change: func(r *writer.Recording) { r.AttrBytes = 136 }},
}

// What the writer recorded is read, whatever the form: runs of three threads on two CPUs, with
// what they mapped.
func TestWritten(t *testing.T) {
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			runs := recordStory(t, &form.session)
			r, err := form.session.Recording()
			if err != nil {
				t.Fatal(err)
			}
			if form.change != nil {
				form.change(r)
			}
			var b bytes.Buffer
			if err := r.Write(&b); err != nil {
				t.Fatal(err)
			}
			checkWritten(t, &form, runs, part("perf.data", b.Bytes()))
		})
	}
}

// A directory has the records of one CPU in a file, and those of the other in another.
func TestWrittenDirectory(t *testing.T) {
	form := form{session: writer.Session{Version: 1}}
	runs := recordStory(t, &form.session)
	r, err := form.session.Recording()
	if err != nil {
		t.Fatal(err)
	}
	var streams [2][]writer.Record
	for _, rec := range r.Records {
		i := rec.Stamp.CPU
		if rec.Type == writer.TypeAUXTrace {
			i = uint32(rec.Body[32])
		}
		streams[i] = append(streams[i], rec)
	}
	r.Records = nil
	dir := filepath.Join(t.TempDir(), "perf.data")
	if err := r.WriteDir(dir, streams[0], streams[1]); err != nil {
		t.Fatal(err)
	}
	var parts []Part
	for _, name := range []string{"data", "data.0", "data.1"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part(name, b))
	}
	checkWritten(t, &form, runs, parts...)
}

// recordStory has a session record some runs, and returns them.
func recordStory(t *testing.T, s *writer.Session) []writer.Run {
	t.Helper()
	for cpu := range 2 {
		id := uint64(0x10 + 2*cpu)
		c := writer.CPU{Number: cpu, Magic: writer.ETMv4, Parameters: []uint64{0x40, id, 3, 4, 5, 6, 7}}
		if err := s.AddCPU(c, uint32(0x100+cpu)); err != nil {
			t.Fatal(err)
		}
	}
	random := rand.New(rand.NewPCG(3, 5))
	s.MapKernel(writer.Map{Address: 0xFFFF_8000_0000_0000, Length: 1 << 24, Prot: writer.ProtExec, Name: "[kernel.kallsyms]_text"})
	s.BuildID(writer.BuildID{PID: writer.KernelPID, Kernel: true, ID: []byte{0xAB, 0xCD}, Name: "[kernel.kallsyms]"})
	s.Exec(100, "one")
	s.Map(writer.Map{PID: 100, TID: 100, Address: 0x400000, Length: 0x1000, Offset: 0x2000, Prot: writer.ProtExec, Name: "/bin/one", BuildID: []byte{1, 2, 3}})
	s.Fork(101, 100)
	s.Thread(101, 102, "worker")
	var runs []writer.Run
	for i := range 40 {
		b := make([]byte, 16*(1+random.IntN(20)))
		for j := range b {
			b[j] = byte(random.Uint32())
		}
		tid := uint32(100 + random.IntN(3))
		run := writer.Run{CPU: uint32(random.IntN(2)), PID: min(tid, 101), TID: tid, Trace: b}
		if i%7 == 0 {
			run.Flags = writer.AUXTruncated
		}
		s.Trace(run)
		runs = append(runs, run)
		if i%5 == 4 {
			s.Read()
		}
	}
	s.Exit(101)
	return runs
}

// checkWritten checks that a file has the runs, and what else [recordStory] recorded.
func checkWritten(t *testing.T, form *form, runs []writer.Run, parts ...Part) {
	t.Helper()
	f, err := Read(parts)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Notes) != form.notes {
		t.Errorf("notes %q", f.Notes)
	}
	checkAccount(t, f)
	var want, got []string
	for _, run := range runs {
		id, sink, cpu := 0x10+2*run.CPU, uint32(0), int(run.CPU)
		if form.session.Sinks {
			sink = 0x100 + run.CPU
		}
		if form.session.PerThread && !form.session.HardwareIDs { // the trailer has no CPU
			id, cpu = 0, -1
		}
		flags := run.Flags
		if form.session.Snapshot {
			flags |= writer.AUXOverwrite
		}
		want = append(want, fmt.Sprintf("CPU %d, %d/%d, ID %#x of %#x, flags %d: %x", cpu, run.PID, run.TID, id, sink, flags, run.Trace))
	}
	for _, p := range f.Pieces {
		b := make([]byte, p.Size)
		if _, err := parts[p.Part].Data.ReadAt(b, p.Offset); err != nil || p.Missing != 0 || p.Raw {
			t.Errorf("%+v: %v", p, err)
		}
		got = append(got, fmt.Sprintf("CPU %d, %d/%d, ID %#x of %#x, flags %d: %x", p.CPU, p.PID, p.TID, p.TraceID, p.Sink, p.Flags, b))
	}
	same(t, "pieces", want, got)
	same(t, "version", uint64(form.session.Version), f.Metadata.Version)
	same(t, "registers", 7, len(f.Metadata.CPUs[1].Registers))
	checkStory(t, f)
	if form.notes == 0 && !f.Piped {
		same(t, "build IDs", []BuildID{{Name: "[kernel.kallsyms]", ID: "\xAB\xCD", PID: -1, Mode: Kernel}}, f.BuildIDs)
	}
	if form.notes == 0 {
		same(t, "host", []string{"bench", "6.1.0", "6.1", "aarch64"}, []string{f.Hostname, f.OSRelease, f.PerfVersion, f.Arch})
	}
}

// checkStory checks the events but for ITRACE_START.
func checkStory(t *testing.T, f *File) {
	t.Helper()
	var got []string
	for _, e := range f.Events {
		text := fmt.Sprint(e.PID, "/", e.TID)
		switch e.Kind {
		case TraceStartEvent:
			continue
		case MapEvent:
			m := f.Maps[e.Index]
			text = fmt.Sprintf("%s maps %s at %#x+%#x from %#x (%x)", text, f.Names[m.Name], m.Addr, m.Size, m.FileOffset, f.Names[m.BuildID])
		case CommEvent:
			text = fmt.Sprintf("%s is %s (%t)", text, f.Names[e.Index], e.Exec)
		case ForkEvent:
			text = fmt.Sprintf("%s begins, of %d/%d", text, e.OtherPID, e.OtherTID)
		case ExitEvent:
			text += " ends"
		}
		got = append(got, text)
	}
	same(t, "events", []string{
		"-1/0 maps [kernel.kallsyms]_text at 0xffff800000000000+0x1000000 from 0x0 ()",
		"100/100 is one (true)",
		"100/100 maps /bin/one at 0x400000+0x1000 from 0x2000 (010203)",
		"101/101 begins, of 100/100",
		"101/102 begins, of 101/101",
		"101/102 is worker (false)",
		"101/101 ends",
	}, got)
}

// A ring of snapshots that is smaller than a run has its last bytes; a ring that nobody read has
// nothing.
func TestWrittenLosses(t *testing.T) {
	s := writer.Session{Version: 1, Snapshot: true, RingBytes: 64}
	runs := recordStory(t, &s)
	r, err := s.Recording()
	if err != nil {
		t.Fatal(err)
	}
	lost := writer.Ring{Index: 9, CPU: 1, TID: writer.NoCPU}
	r.Records = append(r.Records, lost.Lose(1_535_344, writer.AUXPartial).At(writer.Stamp{CPU: 7, Time: 1 << 60}))
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	f := readBytes(t, b.Bytes())
	checkAccount(t, f)
	var want, got []string
	for _, run := range runs {
		want = append(want, fmt.Sprintf("%x", run.Trace[max(0, len(run.Trace)-64):]))
	}
	last := len(f.Pieces) - 1
	for _, p := range f.Pieces[:last] {
		got = append(got, fmt.Sprintf("%x", b.Bytes()[p.Offset:][:p.Size]))
	}
	same(t, "pieces", want, got)
	same(t, "lost", Piece{Time: 1 << 60, Missing: 1_535_344, Ring: -1, CPU: 7, Flags: Partial}, f.Pieces[last])
	if !slices.IsSortedFunc(f.Pieces, func(a, b Piece) int { return cmp.Compare(a.Time, b.Time) }) {
		t.Error("not by time")
	}
}
