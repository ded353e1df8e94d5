package perfdata

import (
	"os"
	"testing"
)

func TestProbe(t *testing.T) {
	for _, v := range []struct {
		name string
		s    Session
		f    func(r *Recording)
	}{
		{"v0", Session{Version: 0}, nil},
		{"v1", Session{Version: 1}, nil},
		{"v2", Session{Version: 2, HardwareIDs: true}, nil},
		{"v1hw", Session{Version: 1, HardwareIDs: true, Sinks: true}, nil},
		{"snap", Session{Version: 1, Snapshot: true}, nil},
		{"thread", Session{Version: 1, PerThread: true}, nil},
		{"comp", Session{Version: 1}, func(r *Recording) { r.Compression = Compressed }},
		{"comp2", Session{Version: 1}, func(r *Recording) { r.Compression = Compressed2 }},
		{"pipe", Session{Version: 1}, func(r *Recording) { r.Piped = true }},
		{"pipecomp", Session{Version: 1}, func(r *Recording) { r.Piped = true; r.Compression = Compressed }},
		{"sp", Session{Version: 1, Simpleperf: true}, nil},
		{"cut", Session{Version: 1}, func(r *Recording) { r.Interrupted = true }},
		{"attr64", Session{Version: 1}, func(r *Recording) { r.AttrBytes = 64 }},
		{"attr136", Session{Version: 1}, func(r *Recording) { r.AttrBytes = 136 }},
		{"dir", Session{Version: 1}, nil},
	} {
		s := v.s
		for i := range 2 {
			s.AddCPU(CPU{Number: 2*i + 1, Magic: ETMv4, Parameters: []uint64{0xc1, 0x10 + uint64(i), 0x28000ea1, 0x4100f423, 0x488, 0, 0xcc}}, 7)
		}
		s.MapKernel(Map{Address: 0xffff800010081000, Length: 0x1000000, Offset: 0xffff800010081000, Prot: ProtExec, Name: "[kernel.kallsyms]_stext"})
		s.Exec(100, "one")
		s.Map(Map{PID: 100, TID: 100, Address: 0x400000, Length: 0x2000, Offset: 0x1000, Prot: 5, Flags: 2, Name: "/bin/one", BuildID: []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}})
		s.Map(Map{PID: 100, TID: 100, Address: 0x500000, Length: 0x2000, Offset: 0x1000, Prot: 5, Flags: 2, Name: "/bin/two", Major: 8, Minor: 1, Inode: 77, Generation: 3})
		s.Fork(101, 100)
		s.Thread(101, 102, "worker")
		trace := []byte{0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0}
		trace[0] = 0x21
		s.Trace(Run{CPU: 1, PID: 100, TID: 100, Trace: trace})
		s.Trace(Run{CPU: 1, PID: 101, TID: 101, Trace: trace})
		s.Add(Switch(true), Stamp{PID: 101, TID: 101, CPU: 1, ID: 0x200})
		s.Read()
		s.Trace(Run{CPU: 3, PID: 101, TID: 102, Trace: trace})
		s.Add(SwitchCPUWide(true, 5, 6), Stamp{PID: 101, TID: 102, CPU: 3, ID: 0x200})
		s.Add(Lost(0x200, 5), Stamp{PID: 101, TID: 102, CPU: 3, ID: 0x200})
		s.Add(LostSamples(5), Stamp{PID: 101, TID: 102, CPU: 3, ID: 0x200})
		s.Add(TextPoke(0xffff800010081010, []byte{1, 2, 3, 4}, []byte{5, 6, 7, 8}), Stamp{ID: 0x200})
		s.Add(KSymbol(0xffff8000a0081010, 0x100, 1, 0, "bpf_prog_x"), Stamp{ID: 0x200})
		s.Exit(101)
		s.BuildID(BuildID{PID: KernelPID, ID: []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}, Name: "/bin/one"})
		s.BuildID(BuildID{PID: KernelPID, Kernel: true, ID: []byte{1, 2, 3, 4, 5, 6, 7, 8}, Name: "[kernel.kallsyms]"})
		r, err := s.Recording()
		if err != nil {
			t.Fatal(err)
		}
		r.Records = append([]Record{Clock{1, 2, 3}.Record()}, r.Records...)
		if v.f != nil {
			v.f(r)
		}
		if v.name == "dir" {
			var a, b []Record
			for _, x := range r.Records {
				if x.Type < 64 && x.Stamp.CPU == 3 {
					b = append(b, x)
				} else {
					a = append(a, x)
				}
			}
			r.Records = a
			os.RemoveAll("/work/w/pwr/tmp/dir")
			if err := r.WriteDir("/work/w/pwr/tmp/dir", b); err != nil {
				t.Fatal(err)
			}
			os.RemoveAll("/work/w/pwr/tmp/dir0")
			if err := r.WriteDir("/work/w/pwr/tmp/dir0"); err != nil {
				t.Fatal(err)
			}
			continue
		}
		f, _ := os.Create("/work/w/pwr/tmp/" + v.name + ".data")
		if err := r.Write(f); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
}
