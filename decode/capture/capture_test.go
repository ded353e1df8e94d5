package capture

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/image"
)

// A tree is files by name, to be written for a test.
type tree map[string]string

// simple is a snapshot with one core, one PTM and one buffer.
var simple = tree{
	"snapshot.ini": "[snapshot]\nversion=1.0\ndescription=a board\n[device_list]\ndevice0=cpu_0.ini\ndevice1=ptm_0.ini\n[trace]\nmetadata=trace.ini\n",
	"cpu_0.ini":    "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A15\n[regs]\nR15=0x8000\n[dump]\nfile=mem.bin\naddress=0x8000\n",
	"ptm_0.ini":    ptm("PTM_0", "0x10"),
	"trace.ini":    "[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=ETB_0\nfile=etb.bin\nformat=coresight\n[core_trace_sources]\ncpu_0=PTM_0\n[source_buffers]\nPTM_0=ETB_0\n",
	"etb.bin":      "0123456789abcdef",
	"mem.bin":      "program",
}

// ptm is the ini file of a PTM.
func ptm(name, id string) string {
	return "[device]\nname=" + name + "\nclass=trace_source\ntype=PTM1.1\n[regs]\nETMCR(0x000)=0x10001000\nETMIDR(0x079)=0x411CF312\nETMCCER(0x07A)=0x34C01AC2\nETMTRACEIDR(0x080)=" + id + "\n"
}

// core is the ini file of a core that has a memory file at 0x8000.
func core(name, memory string) string {
	return "[device]\nname=" + name + "\nclass=core\ntype=Cortex-A15\n[dump]\nfile=" + memory + "\naddress=0x8000\n"
}

// with returns the tree with some files replaced; "" removes one.
func (files tree) with(changes tree) tree {
	out := maps.Clone(files)
	for name, text := range changes {
		if out[name] = text; text == "" {
			delete(out, name)
		}
	}
	return out
}

// write writes the tree into a new directory and returns that.
func (files tree) write(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// open opens the tree, which has to succeed.
func (files tree) open(t testing.TB, opt Options) *Capture {
	t.Helper()
	c, err := Open(files.write(t), decoded, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// content returns all bytes of a buffer.
func (b *Buffer) content(t testing.TB) string {
	t.Helper()
	got, err := io.ReadAll(io.NewSectionReader(b.Data, 0, b.Size))
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

func (c *Capture) source(t testing.TB, name string) *Source {
	t.Helper()
	i := slices.IndexFunc(c.Sources, func(s *Source) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("no source %s", name)
	}
	return c.Sources[i]
}

// warned fails the test unless one warning says all the words.
func (c *Capture) warned(t testing.TB, words ...string) {
	t.Helper()
	if !slices.ContainsFunc(c.Warnings, func(w string) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(w, word) })
	}) {
		t.Errorf("no warning says %q; there are %q", words, c.Warnings)
	}
}

func TestOpenSnapshot(t *testing.T) {
	c := simple.open(t, Options{})
	if len(c.Warnings) != 0 {
		t.Errorf("warnings %q", c.Warnings)
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
	if c.Description != "a board" || len(c.Buffers) != 1 || len(c.Sources) != 1 {
		t.Fatalf("%+v", c)
	}
	b, s := c.Buffers[0], c.Sources[0]
	if b.ID != "buffer0" || b.Name != "ETB_0" || b.Format != CoreSight || b.content(t) != "0123456789abcdef" {
		t.Errorf("buffer %+v", b)
	}
	if s.ID != 0x10 || s.Name != "PTM_0" || s.Type != "PTM1.1" || s.Protocol != "pft" || s.Version != "1.1" ||
		s.Core != "cpu_0" || s.CoreType != "Cortex-A15" || s.Profile != ProfileA || s.Problem != "" || !slices.Equal(s.Buffers, c.Buffers) {
		t.Errorf("source %+v", s)
	}
	if got := string(s.Memory.Fetch(image.SecureSpace, 0x8000)); got != "program" {
		t.Errorf("memory %q", got)
	}
	r := c.Regions[0]
	const sum = "1310ca2c8932dbd118668bd97442558a3e1f546b5e15c69699dfbd6024f548d8" // printf program | sha256sum
	if r.File != "mem.bin" || r.Core != "cpu_0" || hex.EncodeToString(r.SHA256[:]) != sum {
		t.Errorf("region %+v", r)
	}
	var inputs []string
	for _, in := range c.Inputs {
		inputs = append(inputs, in.Path)
		if want := int64(len(simple[in.Path])); in.Bytes != want {
			t.Errorf("%s has %d bytes, want %d", in.Path, in.Bytes, want)
		}
		if (in.Data != nil) != (in.Path == "etb.bin") {
			t.Errorf("%s: data %v", in.Path, in.Data)
		}
	}
	if want := []string{"snapshot.ini", "cpu_0.ini", "mem.bin", "ptm_0.ini", "trace.ini", "etb.bin"}; !slices.Equal(inputs, want) {
		t.Errorf("inputs %q, want %q", inputs, want)
	}
	if got := c.SourcesIn(b); !slices.Equal(got, c.Sources) {
		t.Errorf("sources in %s: %v", b.Name, got)
	}
}

func TestOpenByINI(t *testing.T) {
	dir := simple.with(tree{"other.ini": simple["snapshot.ini"]}).write(t)
	t.Chdir(dir)
	for _, name := range []string{"snapshot.ini", "other.ini", filepath.Join(dir, "snapshot.ini"), "."} {
		c, err := Open(name, decoded, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		c.Close()
	}
}

// What is refused: each row of §9, and each rule of §5 and §6 that refuses.
func TestOpenRefuses(t *testing.T) {
	dev := func(section string) tree { return tree{"cpu_0.ini": simple["cpu_0.ini"] + section} }
	reg := func(line string) tree {
		return tree{"ptm_0.ini": simple["ptm_0.ini"] + line + "\n"}
	}
	dump := func(lines string) tree {
		return tree{"cpu_0.ini": "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A15\n[dump1]\n" + lines}
	}
	trace := func(old, new string) tree {
		if !strings.Contains(simple["trace.ini"], old) {
			panic(old)
		}
		return tree{"trace.ini": strings.Replace(simple["trace.ini"], old, new, 1)}
	}
	twoPTMs := tree{
		"snapshot.ini": strings.Replace(simple["snapshot.ini"], "[trace]", "device2=ptm_1.ini\n[trace]", 1),
		"ptm_1.ini":    ptm("PTM_1", "0x10"),
	}
	both := func(more tree) tree {
		out := maps.Clone(twoPTMs)
		maps.Copy(out, more)
		return out
	}
	twoBuffers := "[trace_buffers]\nbuffers=buffer0,buffer1\n[buffer0]\nname=ETB_0\nfile=etb.bin\nformat=coresight\n[buffer1]\nname=ETB_1\nfile=etb.bin\nformat=coresight\n"

	tests := []struct {
		name    string
		changes tree
		opt     Options
		want    []string // what the message says, in this order
	}{
		// Files.
		{"no snapshot.ini", tree{"snapshot.ini": ""}, Options{}, []string{"is a directory without snapshot.ini", "raw file with --protocol"}},
		{"no section known", tree{"snapshot.ini": "[buffer0]\na=b\n"}, Options{}, []string{"snapshot.ini:", "neither [snapshot]"}},
		{"device ini missing", tree{"cpu_0.ini": ""}, Options{}, []string{`snapshot.ini: [device_list] device0 names "cpu_0.ini", which does not exist; put it beside snapshot.ini or remove the key`}},
		{"trace ini missing", tree{"trace.ini": ""}, Options{}, []string{`snapshot.ini: [trace] metadata names "trace.ini", which does not exist`}},
		{"trace data missing", tree{"etb.bin": ""}, Options{}, []string{`trace.ini: [buffer0] file names "etb.bin", which does not exist`}},
		{"one of several data files missing", trace("etb.bin", "etb.bin, more.bin"), Options{}, []string{`trace.ini: [buffer0] file names "more.bin", which does not exist`}},
		{"memory file missing", tree{"mem.bin": ""}, Options{}, []string{`cpu_0.ini: [dump] file names "mem.bin", which does not exist`}},
		{"file name with a comment sign", trace("etb.bin", "etb#1.bin"), Options{}, []string{`names "etb", which does not exist`, "begin a comment anywhere"}},
		{"directory for a file", trace("etb.bin", "."), Options{}, []string{`[buffer0] file names ".", which is no regular file`}},
		{"path outside", trace("etb.bin", "../x.bin"), Options{}, []string{`trace.ini: [buffer0] file names "../x.bin", which is /`, "x.bin, outside the snapshot's directory; --allow-outside"}},
		{"path outside, backslashes", trace("etb.bin", `a\..\..\x.bin`), Options{}, []string{"outside the snapshot's directory"}},
		{"absolute path", trace("etb.bin", "/etc/hostname"), Options{}, []string{"which is /etc/hostname, outside"}},
		{"absolute path of another system", trace("etb.bin", `C:\trace\etb.bin`), Options{}, []string{"which is C:/trace/etb.bin, outside"}},
		{"outside allowed, but missing", trace("etb.bin", "../x.bin"), Options{AllowOutside: true}, []string{`names "../x.bin", which does not exist`}},
		{"device ini outside", tree{"snapshot.ini": "[device_list]\nd=../cpu.ini\n"}, Options{}, []string{"[device_list] d names", "outside"}},

		// Lines.
		{"key before the first section", tree{"trace.ini": "buffers=b\n"}, Options{}, []string{"trace.ini:1:", "buffers=b", "before the first [section]"}},
		{"line without =", reg("ETMTSEVR"), Options{}, []string{"ptm_0.ini:10: [regs]", `"ETMTSEVR" has no '='`}},
		{"line without key", reg("=1"), Options{}, []string{"ptm_0.ini:10: [regs]", "has no key"}},
		{"duplicate key", trace("name=ETB_0\n", "name=ETB_0\nName=ETB_1\n"), Options{}, []string{"trace.ini:5: [buffer0] Name is there already, in line 4"}},
		{"duplicate register", reg("ETMCR(id:0)=1"), Options{}, []string{"ptm_0.ini:10: [regs] ETMCR(id:0) is there already, in line 6"}},
		{"duplicate section", dev("[Device]\nname=x\n"), Options{}, []string{"cpu_0.ini: [Device] is there twice"}},
		{"long line", reg("# " + strings.Repeat("x", maxLineBytes)), Options{}, []string{"ptm_0.ini:10:", "limit of 65536"}},
		{"large ini", reg(strings.Repeat("#\n", maxINIBytes/2)), Options{}, []string{"ptm_0.ini:", "limit of 16777216"}},

		// Numbers.
		{"number with a suffix", reg("ETMTSEVR=10K"), Options{}, []string{"ptm_0.ini:10: [regs] ETMTSEVR", `"10K", which is no number`}},
		{"signed number", reg("ETMTSEVR=-1"), Options{}, []string{`"-1", which is no number`}},
		{"plus sign", reg("ETMTSEVR=+1"), Options{}, []string{`"+1", which is no number`}},
		{"underscore", reg("ETMTSEVR=1_0"), Options{}, []string{`"1_0", which is no number`}},
		{"empty number", reg("ETMTSEVR="), Options{}, []string{`"", which is no number`}},
		{"0x alone", reg("ETMTSEVR=0x"), Options{}, []string{`"0x", which is no number`}},
		{"more than 64 bits", reg("X(size:64)=0x10000000000000000"), Options{}, []string{"does not fit in 64 bits"}},
		{"more than its size", reg("X=0x100000000"), Options{}, []string{"ptm_0.ini:10: [regs] X has the value 0x100000000, which does not fit in its 32 bits"}},
		{"more than its small size", reg("X(size:8)=256"), Options{}, []string{"does not fit in its 8 bits"}},
		{"open parenthesis", reg("X(id:1=1"), Options{}, []string{"ptm_0.ini:10: [regs] X(id:1 is no register name"}},
		{"unknown word in parentheses", reg("X(bits:8)=1"), Options{}, []string{`"bits:8" in parentheses, which is neither id nor size`}},
		{"size 0", reg("X(size:0)=0"), Options{}, []string{"out of range"}},
		{"extended register without number", reg("[extendregs]\nETMCR=1"), Options{}, []string{"ptm_0.ini:11: [extendregs] ETMCR", "no number"}},
		{"timestamp frequency of 2⁶³", trace("[core", "[timestamp]\nfrequency=0x8000000000000000\n[core"), Options{}, []string{"trace.ini:8: [timestamp] frequency", "9223372036854775808 is no frequency"}},
		{"bad timestamp frequency", trace("[core", "[timestamp]\nfrequency=25MHz\n[core"), Options{}, []string{"trace.ini:8: [timestamp] frequency", `"25MHz"`}},

		// snapshot.ini and devices.
		{"other version", tree{"snapshot.ini": "[snapshot]\nversion=2.0\n"}, Options{}, []string{`snapshot.ini:2: [snapshot] version is "2.0"`, "only snapshots of version 1.0"}},
		{"unknown key in [snapshot]", tree{"snapshot.ini": "[snapshot]\nversion=1.0\nauthor=me\n"}, Options{}, []string{"snapshot.ini:3: [snapshot] author is no key of this section; known are version, description"}},
		{"unknown key in [trace]", tree{"snapshot.ini": "[trace]\nmeta=trace.ini\n"}, Options{}, []string{"snapshot.ini:2: [trace] meta is no key", "metadata"}},
		{"device without name", tree{"cpu_0.ini": "[device]\nclass=core\n"}, Options{}, []string{"cpu_0.ini: [device] name is missing"}},
		{"no [device]", tree{"cpu_0.ini": "[regs]\nR0=1\n"}, Options{}, []string{"cpu_0.ini: [device] is missing"}},
		{"two devices of one name", tree{"cpu_0.ini": ptm("PTM_0", "1")}, Options{}, []string{`ptm_0.ini: [device] name is "PTM_0", which is a device in cpu_0.ini already`}},
		{"source without class", tree{"ptm_0.ini": strings.Replace(ptm("PTM_0", "1"), "class=trace_source\n", "", 1)}, Options{}, []string{"ptm_0.ini: [device] class is missing, and trace.ini uses the device as a source"}},
		{"core without class", tree{"cpu_0.ini": "[device]\nname=cpu_0\n"}, Options{}, []string{"cpu_0.ini: [device] class is missing, and trace.ini uses the device as a core"}},

		// Memory.
		{"dump without file", dump("address=0\n"), Options{}, []string{"cpu_0.ini: [dump1] file is missing"}},
		{"dump without address", dump("file=mem.bin\n"), Options{}, []string{"cpu_0.ini: [dump1] address is missing"}},
		{"unknown key in a dump", dump("file=mem.bin\naddress=0\nsize=4\n"), Options{}, []string{"cpu_0.ini:8: [dump1] size is no key of this section; known are file, address, length, offset, space"}},
		{"dump longer than its file", dump("file=mem.bin\naddress=0\nlength=0x1000\n"), Options{}, []string{`cpu_0.ini: [dump1] file "mem.bin" has 7 bytes (0x7) from offset 0x0 on, fewer than the length 4096 (0x1000)`}},
		{"dump of absurd length", dump("file=mem.bin\naddress=0\nlength=0xFFFFFFFFFFFFFFFF\noffset=0xFFFFFFFFFFFFFFFF\n"), Options{}, []string{"fewer than the offset 0xffffffffffffffff"}},
		{"dump with offset and length beyond its file", dump("file=mem.bin\naddress=0\nlength=7\noffset=1\n"), Options{}, []string{"has 6 bytes (0x6) from offset 0x1 on, fewer than the length 7"}},
		{"dump beyond 32 bits", dump("file=mem.bin\naddress=0xFFFFFFFA\n"), Options{}, []string{"gives 0x7 bytes at address 0xfffffffa, which go beyond 2³²"}},
		{"dump at an address of more than 32 bits", dump("file=mem.bin\naddress=0x880000000\n"), Options{}, []string{"address 0x880000000", "2³²"}},
		{"bad number in a dump", dump("file=mem.bin\naddress=start\n"), Options{}, []string{"cpu_0.ini:7: [dump1] address", `"start", which is no number`}},
		{"unknown space", dump("file=mem.bin\naddress=0\nspace=Q\n"), Options{}, []string{"cpu_0.ini:8: [dump1] space names the unknown space \"Q\"; known are S, N, H"}},
		{"duplicate key in a dump", dump("file=mem.bin\naddress=0\naddress=0\n"), Options{}, []string{"cpu_0.ini:8: [dump1] address is there already, in line 7"}},
		{"beyond 64 bits", tree{"cpu_0.ini": "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\n[dump]\nfile=mem.bin\naddress=0xFFFFFFFFFFFFFFFA\n"}, Options{}, []string{"gives 0x7 bytes at address 0xfffffffffffffffa, which go beyond 2⁶⁴"}},

		// trace.ini.
		{"no [trace_buffers]", tree{"trace.ini": "[buffer0]\nname=x\n"}, Options{}, []string{"trace.ini: [trace_buffers] is missing"}},
		{"no buffers=", tree{"trace.ini": "[trace_buffers]\n"}, Options{}, []string{"trace.ini: [trace_buffers] buffers is missing"}},
		{"unknown key in [trace_buffers]", trace("buffers=buffer0", "buffers=buffer0\nbuffer=1"), Options{}, []string{"[trace_buffers] buffer is no key"}},
		{"buffer without section", trace("=buffer0", "=buffer0, buffer1"), Options{}, []string{`trace.ini:2: [trace_buffers] buffers names "buffer1", but there is no section [buffer1]; the sections are [buffer0]`}},
		{"buffer named twice", trace("=buffer0", "=buffer0,BUFFER0"), Options{}, []string{`names "BUFFER0" twice`}},
		{"buffer without name", trace("name=ETB_0\n", ""), Options{}, []string{"trace.ini: [buffer0] name is missing"}},
		{"buffer without file", trace("file=etb.bin\n", ""), Options{}, []string{"trace.ini: [buffer0] file is missing"}},
		{"buffer with commas only", trace("file=etb.bin\n", "file=, ,\n"), Options{}, []string{"trace.ini:5: [buffer0] file names no file"}},
		{"two buffers of one name", tree{"trace.ini": strings.Replace(twoBuffers, "ETB_1", "ETB_0", 1)}, Options{}, []string{`trace.ini:8: [buffer1] name is "ETB_0", as that of another buffer`}},
		{"unknown key in a buffer", trace("format=", "kind="), Options{}, []string{"trace.ini:6: [buffer0] kind is no key of this section; known are name, file, format"}},
		{"unknown format", trace("=coresight", "=dstream"), Options{}, []string{`trace.ini:6: [buffer0] format is "dstream", which is not known; known are coresight, source_data, dstream_coresight`}},
		{"several buffers without [source_buffers]", tree{"trace.ini": twoBuffers}, Options{}, []string{"trace.ini: [source_buffers] is missing, and there are 2 buffers"}},
		{"unknown source in [source_buffers]", trace("PTM_0=ETB_0", "PTM_9=ETB_0"), Options{}, []string{`trace.ini:10: [source_buffers] PTM_9 names the source "PTM_9", which is no device; the sources are PTM_0`}},
		{"unknown buffer in [source_buffers]", trace("PTM_0=ETB_0", "PTM_0=ETB_9"), Options{}, []string{"trace.ini:10: [source_buffers] PTM_0 names ETB_9, which is no buffer; the buffers are ETB_0"}},
		{"no buffer in [source_buffers]", trace("PTM_0=ETB_0", "PTM_0="), Options{}, []string{"names no buffer"}},
		{"two lines for a source", trace("PTM_0=ETB_0", "PTM_0=ETB_0\nPTM_0(stream:0)=ETB_0"), Options{}, []string{"trace.ini:11: [source_buffers] PTM_0(stream:0) is the second line for source PTM_0"}},
		{"bad stream", trace("PTM_0=ETB_0", "PTM_0(stream:x)=ETB_0"), Options{}, []string{"[source_buffers] PTM_0(stream:x)", "no number"}},
		{"unknown word after a source", trace("PTM_0=ETB_0", "PTM_0(id:1)=ETB_0"), Options{}, []string{"[source_buffers] PTM_0(id:1) is no source", "SOURCE(stream:N)"}},
		{"unknown source in [core_trace_sources]", trace("cpu_0=PTM_0", "cpu_0=ETM_0"), Options{}, []string{`trace.ini:8: [core_trace_sources] cpu_0 names the source "ETM_0", which is no device; the sources are PTM_0`}},
		{"location of nobody", trace("cpu_0=PTM_0", "cpu_0=@dap:1"), Options{}, []string{"[core_trace_sources] cpu_0 names the location @dap:1, which 0 devices have", "the locations are none"}},
		{"location of two", both(tree{
			"trace.ini": strings.Replace(simple["trace.ini"], "cpu_0=PTM_0", "cpu_0=@dap:1", 1),
			"ptm_0.ini": strings.Replace(ptm("PTM_0", "1"), "[regs]", "location=dap:1\n[regs]", 1),
			"ptm_1.ini": strings.Replace(ptm("PTM_1", "2"), "[regs]", "location=dap:0x1\n[regs]", 1),
		}), Options{}, []string{"names the location @dap:1, which 2 devices have; the locations are @dap:0x1, @dap:0x1"}},
		{"one ID twice in a buffer", both(tree{"trace.ini": simple["trace.ini"] + "PTM_1=ETB_0\n"}), Options{}, []string{"ptm_1.ini: [regs] give source PTM_1 the ID 0x10, which PTM_0 has in ptm_0.ini", "correct the ID"}},
		{"one ID in two buffers", both(tree{"trace.ini": twoBuffers + "[source_buffers]\nPTM_0=ETB_0\nPTM_1=ETB_1\n"}), Options{}, []string{"PTM_1 the ID 0x10, which PTM_0 has", "export their buffers apart: --buffer ETB_0, then --buffer ETB_1"}},
		{"reserved ID", tree{"ptm_0.ini": ptm("PTM_0", "0x70")}, Options{}, []string{"ptm_0.ini: [regs] ETMTRACEIDR gives source PTM_0 the reserved ID 0x70"}},
		{"ID 0", tree{"ptm_0.ini": ptm("PTM_0", "0x80")}, Options{}, []string{"the reserved ID 0x00"}},
		{"two sources in an unframed buffer", both(tree{
			"ptm_1.ini": ptm("PTM_1", "0x11"),
			"trace.ini": strings.Replace(simple["trace.ini"], "=coresight", "=source_data", 1) + "PTM_1=ETB_0\n",
		}), Options{}, []string{"trace.ini: [buffer0] format is source_data, but buffer ETB_0 has the sources PTM_0, PTM_1"}},

		// Flags.
		{"--protocol with a snapshot", nil, Options{Protocol: "pft"}, []string{"--protocol: is for raw files"}},
		{"--framed with a snapshot", nil, Options{Framed: true}, []string{"--framed: is for raw files"}},
		{"unknown --buffer", nil, Options{Buffer: "ETB_9"}, []string{"--buffer ETB_9: is no buffer of trace.ini; there are ETB_0"}},
		{"ring start beyond the buffer", nil, Options{RingStart: new(int64(16))}, []string{"--ring-start 16: is outside buffer ETB_0, which has 16 bytes"}},
		{"negative ring start", nil, Options{RingStart: new(int64(-1))}, []string{"--ring-start -1: is outside"}},
		{"frame offset beyond the buffer", nil, Options{FrameOffset: new(int64(17))}, []string{"--frame-offset 17: is outside"}},
		{"frame offset without frames", trace("=coresight", "=source_data"), Options{FrameOffset: new(int64(1))}, []string{"--frame-offset 1: is given, but buffer ETB_0 is not in frames"}},
		{"ring start with two buffers", tree{"trace.ini": twoBuffers + "[source_buffers]\nPTM_0=ETB_0\n"}, Options{RingStart: new(int64(1))}, []string{"--ring-start 1: is given, but there are 2 buffers; choose one with --buffer NAME"}},
		{"--reg without value", nil, Options{Regs: []string{"ETMCR"}}, []string{"--reg ETMCR: has no '='"}},
		{"--reg with a bad number", nil, Options{Regs: []string{"ETMCR=x"}}, []string{"--reg ETMCR=x:", "no number"}},
		{"--reg too large", nil, Options{Regs: []string{"ETMCR=0x100000000"}}, []string{"does not fit in its 32 bits"}},
		{"--reg with an unknown name", nil, Options{Regs: []string{"ETMRC=1"}}, []string{"--reg ETMRC=1: names no register that matters here; known are ETMCR,"}},
		{"--image without address", nil, Options{Images: []string{"mem.bin"}}, []string{"--image mem.bin: says no address"}},
		{"--image with a bad address", nil, Options{Images: []string{"mem.bin@start"}}, []string{"--image mem.bin@start:", "no number"}},
		{"--image with a bad space", nil, Options{Images: []string{"mem.bin@0:Q"}}, []string{`has the unknown space "Q"`, "known are S, N"}},
		{"--image missing", nil, Options{Images: []string{"nowhere.bin@0"}}, []string{"nowhere.bin: does not exist"}},
		{"--elf missing", nil, Options{ELFs: []string{"nowhere.elf"}}, []string{"nowhere.elf: does not exist"}},
		{"--elf that is none", nil, Options{ELFs: []string{"mem.bin"}}, []string{"mem.bin: is no ELF file; give a plain binary with --image"}},
		{"--elf with a wide base", tree{"a.elf": wideELF(3)}, Options{ELFs: []string{"a.elf@0x100000000"}}, []string{"--elf a.elf@0x100000000: has a base beyond 32 bits, and all that is traced is AArch32"}},
		{"--elf of AArch64", tree{"a.elf": wideELF(2)}, Options{ELFs: []string{"a.elf"}}, []string{"a.elf: is a program of AArch64, and all that is traced is AArch32; give the 32-bit Arm program"}},
		{"--symbols missing", nil, Options{Symbols: []string{"nowhere.elf"}}, []string{"nowhere.elf: does not exist"}},
		{"--symbols with a wide base", nil, Options{Symbols: []string{"mem.bin@0x100000000"}}, []string{"--symbols mem.bin@0x100000000: has a base beyond 32 bits"}},
		{"--symbols of an unknown core", nil, Options{Symbols: []string{"cpu_7=mem.bin"}}, []string{`--symbols cpu_7=mem.bin: names the core "cpu_7", which is not in the capture; cores are cpu_0`}},
		{"--image beyond 4 GiB", nil, Options{Images: []string{"mem.bin@0xFFFFFFFF"}}, []string{"mem.bin: gives 0x7 bytes at address 0xffffffff, which go beyond 2³²"}},
		{"--image beyond all", nil, Options{Images: []string{"mem.bin@0xFFFFFFFFFFFFFFFF"}}, []string{"mem.bin: gives 0x7 bytes at address 0xffffffffffffffff, which go beyond 2⁶⁴"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := simple.with(tt.changes).write(t)
			t.Chdir(dir)
			c, err := Open(dir, decoded, tt.opt)
			if err == nil {
				c.Close()
				t.Fatalf("no error; warnings %q", c.Warnings)
			}
			bad, ok := errors.AsType[*InputError](err)
			if !ok {
				t.Fatalf("%T: %v", err, err)
			}
			rest := err.Error()
			for _, word := range tt.want {
				var found bool
				if _, rest, found = strings.Cut(rest, word); !found {
					t.Errorf("error %q does not say %q", err, word)
				}
			}
			if bad.Remedy == "" {
				t.Errorf("error %q has no remedy", err)
			}
			if isFlag := strings.HasPrefix(err.Error(), "--"); isFlag != errors.Is(err, ErrUsage) {
				t.Errorf("error %q: wrong usage is %v", err, !isFlag)
			}
		})
	}
	t.Logf("%d refusals", len(tests))
}

func TestOpenNothing(t *testing.T) {
	_, err := Open(filepath.Join(t.TempDir(), "nowhere"), decoded, Options{Protocol: "pft"})
	if err == nil || !strings.Contains(err.Error(), "nowhere: does not exist; give the snapshot directory or a raw file with --protocol") || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if errors.Is(err, ErrUsage) {
		t.Error("a missing input is no wrong usage")
	}
}

func TestNoTrace(t *testing.T) {
	c := simple.with(tree{"snapshot.ini": "[snapshot]\nversion=1.0\n[device_list]\na=cpu_0.ini\nb=ptm_0.ini\n"}).open(t, Options{})
	if err := c.Check(); err == nil || errors.Is(err, ErrEmpty) || !strings.Contains(err.Error(), "snapshot.ini: [trace] metadata is missing: the snapshot holds no trace") {
		t.Errorf("Check: %v", err)
	}
	if len(c.Buffers) != 0 || len(c.Sources) != 1 || len(c.Sources[0].Buffers) != 0 {
		t.Errorf("%+v", c)
	}
}

func TestEmptyBuffer(t *testing.T) {
	dir := simple.write(t)
	if err := os.Truncate(filepath.Join(dir, "etb.bin"), 0); err != nil {
		t.Fatal(err)
	}
	c, err := Open(dir, decoded, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Check(); !errors.Is(err, ErrEmpty) || !strings.Contains(err.Error(), "buffer ETB_0 is empty") {
		t.Errorf("Check: %v", err)
	}
}

// Files elsewhere are read if the user says so, whether by path or by link.
func TestOutside(t *testing.T) {
	elsewhere := tree{"etb.bin": "elsewhere"}.write(t)
	target := filepath.Join(elsewhere, "etb.bin")
	inside := simple.with(tree{"etb.bin": ""})

	byPath := inside.with(tree{"trace.ini": strings.Replace(simple["trace.ini"], "etb.bin", target, 1)}).write(t)
	byLink := inside.write(t)
	if err := os.Symlink(target, filepath.Join(byLink, "etb.bin")); err != nil {
		need.Missing(t, need.Symlinks, err.Error())
	}
	byFolder := inside.with(tree{"trace.ini": strings.Replace(simple["trace.ini"], "etb.bin", "data/etb.bin", 1)}).write(t)
	if err := os.Symlink(elsewhere, filepath.Join(byFolder, "data")); err != nil {
		t.Fatal(err)
	}
	resolved, err := filepath.EvalSymlinks(target)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{byPath, byLink, byFolder} {
		_, err := Open(dir, decoded, Options{})
		if err == nil || !strings.Contains(err.Error(), "which is "+resolved+", outside the snapshot's directory; --allow-outside") {
			t.Errorf("error %v", err)
		}
		c, err := Open(dir, decoded, Options{AllowOutside: true})
		if err != nil {
			t.Errorf("allowed: %v", err)
			continue
		}
		if got := c.Buffers[0].content(t); got != "elsewhere" {
			t.Errorf("data %q", got)
		}
		c.Close()
	}

	// A link that stays inside is no way out.
	within := inside.with(tree{"data/real.bin": "within"}).write(t)
	if err := os.Symlink("data/real.bin", filepath.Join(within, "etb.bin")); err != nil {
		t.Fatal(err)
	}
	c, err := Open(within, decoded, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := c.Buffers[0].content(t); got != "within" {
		t.Errorf("data %q", got)
	}
}

func TestRegisters(t *testing.T) {
	c := simple.with(tree{"ptm_0.ini": `[device]
name=PTM_0
class=trace_source
type=PTM1.1
[regs]
ETMCR(id:0x0)=0x400
Identification(0x79)=0x411CF312
etmccer(size:32,0x7A)=0x34C01AC2
Wide(id:90,size:64)=0x0123456789ABCDEF
Vector(size:128)=0x00000000000000000000000000000001
[extendregs]
0x80=16
`}).open(t, Options{})
	s := c.Sources[0]
	for name, want := range map[string]uint64{
		"ETMCR": 0x400, "etmcr": 0x400, "ETMIDR": 0x411CF312, "ETMCCER": 0x34C01AC2, "ETMTRACEIDR": 16, "Wide": 0x0123456789ABCDEF,
	} {
		if got, ok := s.Registers.Lookup(name); !ok || got != want {
			t.Errorf("%s is %#x, %v, want %#x", name, got, ok, want)
		}
	}
	if _, ok := s.Registers.Lookup("ETMCCR"); ok {
		t.Error("ETMCCR is there")
	}
	if s.ID != 16 || s.Problem != "" {
		t.Errorf("ID %#x, problem %q", s.ID, s.Problem)
	}
	const text = "ETMCR=0x00000400 Identification=0x411CF312 etmccer=0x34C01AC2 Wide=0x0123456789ABCDEF 0x80=0x00000010"
	if got := s.Registers.String(); got != text {
		t.Errorf("String() = %s", got)
	}
	j, err := json.Marshal(s.Registers)
	const object = `{"ETMCR":"0x00000400","Identification":"0x411CF312","etmccer":"0x34C01AC2","Wide":"0x0123456789ABCDEF","0x80":"0x00000010"}`
	if err != nil || string(j) != object {
		t.Errorf("JSON %s, %v", j, err)
	}
	c.warned(t, "Vector", "128 bits")
}

func TestOpenRaw(t *testing.T) {
	dir := tree{"etb.bin": "0123456789", "mem.bin": "program"}.write(t)
	t.Chdir(dir)
	c, err := Open("etb.bin", decoded, Options{Protocol: "pft", Regs: []string{"ETMCR=0x1000"}, Images: []string{"mem.bin@0x8000"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	b, s := c.Buffers[0], c.Sources[0]
	if b.Name != "etb.bin" || b.Format != SourceData || b.content(t) != "0123456789" {
		t.Errorf("buffer %+v", b)
	}
	if s.ID != 0 || s.Protocol != "pft" || s.Version != "1.1" || s.Problem != "" || s.Profile != ProfileA || !slices.Equal(s.Buffers, c.Buffers) {
		t.Errorf("source %+v", s)
	}
	if got := s.Registers.String(); got != "ETMCR=0x00001000 ETMCCER=0x34C00000 ETMIDR=0x411CF312" {
		t.Errorf("registers %s", got)
	}
	c.warned(t, "ETMCCER is not given", "0x34C00000")
	c.warned(t, "ETMIDR is not given", "0x411CF312")
	if len(c.Warnings) != 2 {
		t.Errorf("warnings %q", c.Warnings)
	}
	if got := s.Memory.Fetch(image.NonSecureSpace, 0x8003); string(got) != "gram" {
		t.Errorf("memory %q", got)
	}
	if c.Template != nil {
		t.Error("there is a template")
	}
}

func TestOpenRawFramed(t *testing.T) {
	dir := tree{"etb.bin": "0123456789"}.write(t)
	c, err := Open(filepath.Join(dir, "etb.bin"), decoded, Options{Protocol: "etmv3", Framed: true, FrameOffset: new(int64(3))})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if b := c.Buffers[0]; b.Format != CoreSight || b.FrameOffset == nil || *b.FrameOffset != 3 {
		t.Errorf("buffer %+v", b)
	}
	if len(c.Sources) != 0 || c.Template == nil {
		t.Fatalf("sources %v, template %v", c.Sources, c.Template)
	}
	s := c.Template.WithID(0x13)
	if s.ID != 0x13 || s.Name != "0x13" || s.Protocol != "etmv3" || c.Template.ID != 0 {
		t.Errorf("source %+v", s)
	}
	if got := s.Registers.String(); got != "ETMCR=0x00000000 ETMCCER=0x00000000 ETMIDR=0x4104F240" {
		t.Errorf("registers %s", got)
	}
	c.warned(t, "etb.bin has no program memory", "--elf")
}

func TestOpenRawRefuses(t *testing.T) {
	dir := tree{"etb.bin": "x", "sub/a": "x"}.write(t)
	t.Chdir(dir)
	tests := []struct {
		path  string
		opt   Options
		want  string
		usage bool
	}{
		{"etb.bin", Options{}, "etb.bin: is no snapshot, and its protocol is not given; add --protocol pft|etmv3|etmv1|etmv2", true},
		{"etb.bin", Options{Protocol: "ptm"}, "--protocol ptm: is not known; known are pft, etmv3, etmv1, etmv2", true},
		{"etb.bin", Options{Protocol: "pft", Buffer: "x"}, "--buffer x: is given, but a raw file is one buffer", true},
		{"etb.bin", Options{Protocol: "pft", FrameOffset: new(int64(0))}, "not in frames", true},
		{"sub", Options{Protocol: "pft"}, "sub: is a directory without snapshot.ini", false},
		{"nowhere", Options{}, "nowhere: does not exist", false},
	}
	for _, tt := range tests {
		_, err := Open(tt.path, decoded, tt.opt)
		if err == nil || !strings.Contains(err.Error(), tt.want) || errors.Is(err, ErrUsage) != tt.usage {
			t.Errorf("%s: error %v, want %q", tt.path, err, tt.want)
		}
	}
}
