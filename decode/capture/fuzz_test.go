package capture

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzINI: no panic; every line is at most one section or entry, and entries say
// where they are.
func FuzzINI(f *testing.F) {
	for _, text := range simple {
		f.Add(text)
	}
	f.Add("\ufeff[a]\r\nb = \"c\" ; d\n[ e ] f\n=\nx\nb=\nB='\n")
	f.Fuzz(func(t *testing.T, text string) {
		ini, err := parseINI("x.ini", text)
		if (ini == nil) != (err != nil) {
			t.Fatalf("parseINI = %v, %v", ini, err)
		}
		if err != nil {
			return
		}
		lines := strings.Count(text, "\n") + 1
		seen := 0
		for _, s := range ini.sections {
			seen++
			for _, e := range s.entries {
				seen++
				if e.line < 1 || e.line > lines || e.key == "" {
					t.Errorf("entry %+v of %d lines", e, lines)
				}
				if strings.ContainsAny(e.key+e.value, "#;\n") {
					t.Errorf("entry %+v holds a comment", e)
				}
				if got, ok := s.get(e.key); !ok || got != e {
					t.Errorf("get(%q) = %+v, want %+v", e.key, got, e)
				}
			}
			if s.fault != nil && (s.fault.Line < 1 || s.fault.Line > lines) {
				t.Errorf("fault %v of %d lines", s.fault, lines)
			}
		}
		if seen > lines {
			t.Errorf("%d sections and entries in %d lines", seen, lines)
		}
	})
}

// FuzzSnapshot: no panic; an error says what to do; a capture can be read, and
// no two sources of one ID are in it.
func FuzzSnapshot(f *testing.F) {
	f.Add(simple["snapshot.ini"], simple["cpu_0.ini"], simple["ptm_0.ini"], simple["trace.ini"], []byte("program"),
		uint8(0))
	f.Add("[device_list]\na=cpu_0.ini\nb=ptm_0.ini\n[trace]\nmetadata=trace.ini",
		"[global]\ncore=ARMv7-M\n[extendregs]\n1=2",
		"[device]\nname=a\nclass=trace_source\ntype=ETM4\nlocation=dap:1,x:y\n[regs]\nTRCTRACEIDR(id:16,size:64)=0x10",
		"[trace_buffers]\nbuffers=a,b\n[a]\nname=x\nfile=data.bin,data.bin\nformat=source_data\n[b]\nname=y\nfile=data.bin\n[core_trace_sources]\ncpu_0=@x:y,dap:0x1\n[source_buffers]\na=x,y\na(stream:1)=y", []byte("x"), uint8(3))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, snapshot, core, source, trace string, data []byte, flags uint8) {
		for name, text := range map[string]string{
			"snapshot.ini": snapshot, "cpu_0.ini": core, "ptm_0.ini": source, "trace.ini": trace,
			"etb.bin": string(data), "mem.bin": string(data), "data.bin": string(data),
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		opt := Options{}
		if flags&1 != 0 {
			opt.RingStart = new(int64(1))
		}
		if flags&2 != 0 {
			opt.Buffer = "x"
		}
		c, err := Open(dir, decoded, opt)
		if err != nil {
			bad, ok := errors.AsType[*InputError](err)
			if !ok || bad.Problem == "" || bad.Remedy == "" || c != nil {
				t.Fatalf("Open = %v, %T: %v", c, err, err)
			}
			return
		}
		defer c.Close()
		if len(c.Warnings) > maxWarnings+1 {
			t.Errorf("%d warnings", len(c.Warnings))
		}
		for _, b := range c.Buffers {
			if n, err := io.Copy(io.Discard, io.NewSectionReader(b.Data, 0, b.Size)); n != b.Size || err != nil {
				t.Errorf("buffer %s: read %d of %d bytes: %v", b.Name, n, b.Size, err)
			}
		}
		ids := make(map[uint8]bool)
		for _, s := range c.Sources {
			if s.Memory == nil || s.Name == "" {
				t.Errorf("source %+v", s)
			}
			if len(s.Buffers) == 0 || s.ID == 0 {
				continue
			}
			if ids[s.ID] || s.ID >= firstReservedID {
				t.Errorf("source %s has ID %#x", s.Name, s.ID)
			}
			ids[s.ID] = true
		}
		for _, r := range c.Regions {
			if len(r.Bytes) > len(data)+len(snapshot)+len(core)+len(source)+len(trace) {
				t.Errorf("region of %d bytes", len(r.Bytes))
			}
		}
	})
}
