package capture

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// What the rules of §5 and §6 accept, and what they make of it.
func TestRules(t *testing.T) {
	s := func(old, new string) string { return strings.Replace(simple["trace.ini"], old, new, 1) }
	two := func(more tree) tree {
		out := tree{
			"snapshot.ini": strings.Replace(simple["snapshot.ini"], "[trace]", "device2=ptm_1.ini\ndevice3=cpu_1.ini\n[trace]", 1),
			"ptm_1.ini":    ptm("PTM_1", "0x11"),
			"cpu_1.ini":    core("cpu_1", "mem1.bin"),
			"mem1.bin":     "another",
		}
		maps.Copy(out, more)
		return out
	}
	tests := []struct {
		name    string
		changes tree
		opt     Options
		check   func(t *testing.T, c *Capture)
	}{
		{
			"CR LF, BOM, comments, quotes, blanks, case",
			tree{
				"snapshot.ini": "\ufeff# first\r\n[Snapshot]\r\nVERSION = \"1.0\" ; old\r\n[ device_list ]\r\ndevice0 = 'cpu_0.ini'\r\ndevice1=ptm_0.ini # it\r\n\r\n[TRACE]\r\nMetadata=trace.ini\r\n",
				"cpu_0.ini":    "[DEVICE]\nName=\"cpu_0\"\nCLASS=Core\ntype=cortex-a15\n[REGS]\n[DumpA]\nFILE='mem.bin'\nAddress=\"0x8000\"\nSpace=\"n\"\n",
			},
			Options{},
			func(t *testing.T, c *Capture) {
				if len(c.Warnings) != 0 {
					t.Errorf("warnings %q", c.Warnings)
				}
				if got := c.Sources[0].Memory.Fetch(image.NonSecureSpace, 0x8000); string(got) != "program" || c.Sources[0].Profile != ProfileA {
					t.Errorf("memory %q, profile %q", got, c.Sources[0].Profile)
				}
			},
		},
		{
			"a leading 0 is decimal",
			tree{"ptm_0.ini": ptm("PTM_0", "0016")},
			Options{},
			func(t *testing.T, c *Capture) {
				if c.Sources[0].ID != 16 {
					t.Errorf("ID %#x", c.Sources[0].ID)
				}
				c.warned(t, "0016", "decimal, 16")
			},
		},
		{
			"no version",
			tree{"snapshot.ini": strings.Replace(simple["snapshot.ini"], "version=1.0\n", "", 1)},
			Options{},
			func(t *testing.T, c *Capture) { c.warned(t, "snapshot.ini: [snapshot] version is missing") },
		},
		{
			"unknown sections, with anything in them, and unknown keys of a device",
			tree{
				"snapshot.ini": simple["snapshot.ini"] + "[clusters]\nbig=cpu_0,cpu_1\n[vendor]\nno equals sign\nx=1\nx=2\n",
				"cpu_0.ini":    simple["cpu_0.ini"] + "[cache]\nl1\n",
				"trace.ini":    simple["trace.ini"] + "[etb]\n[timestamp]\nfrequency=25000000\n",
				"ptm_0.ini":    strings.Replace(simple["ptm_0.ini"], "[regs]", "vendor=me\n[regs]", 1),
			},
			Options{},
			func(t *testing.T, c *Capture) {
				c.warned(t, "snapshot.ini: unknown sections are ignored: [vendor]")
				c.warned(t, "cpu_0.ini: unknown sections", "[cache]")
				c.warned(t, "trace.ini: unknown sections", "[etb]")
				if len(c.Warnings) != 3 || c.TimestampHz != 25000000 {
					t.Errorf("warnings %q, frequency %d", c.Warnings, c.TimestampHz)
				}
			},
		},
		{
			"names in another case",
			tree{"trace.ini": "[trace_buffers]\nbuffers=BUFFER0\n[buffer0]\nname=ETB_0\nfile=etb.bin\nformat=CoreSight\n[core_trace_sources]\nCPU_0=ptm_0\n[source_buffers]\nPtm_0=etb_0\n"},
			Options{Buffer: "etb_0"},
			func(t *testing.T, c *Capture) {
				if src := c.Sources[0]; src.Core != "cpu_0" || len(src.Buffers) != 1 {
					t.Errorf("%+v", src)
				}
				c.warned(t, "[core_trace_sources] CPU_0", `"CPU_0" is taken for "cpu_0"`)
				c.warned(t, "[core_trace_sources] CPU_0", `"ptm_0" is taken for "PTM_0"`)
				c.warned(t, "[source_buffers]", `"etb_0" is taken for "ETB_0"`)
				c.warned(t, "--buffer etb_0")
			},
		},
		{
			"old format without [device]",
			tree{"cpu_0.ini": "[global]\ncore=Cortex-A9\n[extendregs]\n15=0x8000\n[dump]\nfile=mem.bin\naddress=0x8000\n"},
			Options{},
			func(t *testing.T, c *Capture) {
				if src := c.Sources[0]; src.Core != "cpu_0" || src.CoreType != "Cortex-A9" || string(src.Memory.Fetch(image.SecureSpace, 0x8000)) != "program" {
					t.Errorf("%+v", src)
				}
			},
		},
		{
			"a buffer of several files, in their order",
			tree{"trace.ini": s("etb.bin", `"b.bin, etb.bin ,b.bin"`), "b.bin": "XY"},
			Options{},
			func(t *testing.T, c *Capture) {
				if got := c.Buffers[0].content(t); got != "XY0123456789abcdefXY" {
					t.Errorf("data %q", got)
				}
				p := make([]byte, 4)
				if n, err := c.Buffers[0].Data.ReadAt(p, 16); n != 4 || err != nil || string(p) != "efXY" {
					t.Errorf("ReadAt(16) = %d, %v, %q", n, err, p)
				}
				if got := c.Buffers[0].Files; !slices.Equal(got, []string{"b.bin", "etb.bin", "b.bin"}) {
					t.Errorf("files %q", got)
				}
			},
		},
		{
			"files in folders, with either slash, and .. that stays inside",
			tree{"etb.bin": "", "data/etb.bin": "abc", "trace.ini": s("etb.bin", `.\data\..\data/etb.bin`)},
			Options{},
			func(t *testing.T, c *Capture) {
				if b := c.Buffers[0]; b.content(t) != "abc" || b.Files[0] != "data/etb.bin" {
					t.Errorf("%q from %q", b.content(t), b.Files)
				}
			},
		},
		{
			"a ring",
			nil,
			Options{RingStart: new(int64(10)), FrameOffset: new(int64(2))},
			func(t *testing.T, c *Capture) {
				if b := c.Buffers[0]; b.RingStart != 10 || b.content(t) != simple["etb.bin"] {
					t.Errorf("ring from %d of %q", b.RingStart, b.content(t))
				}
				if f := c.Buffers[0].FrameOffset; f == nil || *f != 2 {
					t.Errorf("frame offset %v", f)
				}
			},
		},
		{
			"formats",
			tree{"trace.ini": s("=coresight", "=dstream_coresight")},
			Options{},
			func(t *testing.T, c *Capture) {
				if c.Buffers[0].Format != DStream {
					t.Errorf("format %v", c.Buffers[0].Format)
				}
			},
		},
		{
			"no format",
			tree{"trace.ini": s("format=coresight\n", "")},
			Options{},
			func(t *testing.T, c *Capture) {
				c.warned(t, "trace.ini: [buffer0] format is missing and taken as coresight")
				if c.Buffers[0].Format != CoreSight {
					t.Errorf("format %v", c.Buffers[0].Format)
				}
			},
		},
		{
			"one buffer is that of all sources",
			two(tree{"trace.ini": s("[source_buffers]\nPTM_0=ETB_0\n", "")}),
			Options{},
			func(t *testing.T, c *Capture) {
				if len(c.SourcesIn(c.Buffers[0])) != 2 {
					t.Errorf("sources %v", c.SourcesIn(c.Buffers[0]))
				}
			},
		},
		{
			"a source no line is there for has no buffer",
			two(nil),
			Options{},
			func(t *testing.T, c *Capture) {
				if len(c.source(t, "PTM_0").Buffers) != 1 || len(c.source(t, "PTM_1").Buffers) != 0 {
					t.Error("buffers of PTM_0, PTM_1 are not 1, 0")
				}
			},
		},
		{
			"several buffers, spaces after commas, one that does not exist",
			two(tree{"trace.ini": "[trace_buffers]\nbuffers=b0, b1\n[b0]\nname=ETB_0\nfile=etb.bin\nformat=coresight\n[b1]\nname=ETB_1\nfile=mem.bin\nformat=coresight\n[source_buffers]\nPTM_0=ETB_9, ETB_1, ETB_0\nPTM_1=ETB_0\n"}),
			Options{},
			func(t *testing.T, c *Capture) {
				if got := c.source(t, "PTM_0").Buffers; len(got) != 2 || got[0].Name != "ETB_1" || got[1].Name != "ETB_0" {
					t.Errorf("buffers of PTM_0: %v", got)
				}
				if got := c.SourcesIn(c.Buffers[0]); len(got) != 2 {
					t.Errorf("sources in ETB_0: %v", got)
				}
				c.warned(t, "PTM_0 names ETB_9, which is no buffer")
			},
		},
		{
			"--buffer reads that one only",
			tree{"trace.ini": "[trace_buffers]\nbuffers=b0,b1\n[b0]\nname=ETB_0\nfile=nowhere.bin\nformat=coresight\n[b1]\nname=ETB_1\nfile=etb.bin\nformat=source_data\n[source_buffers]\nPTM_0=ETB_0,ETB_1\n"},
			Options{Buffer: "ETB_1"},
			func(t *testing.T, c *Capture) {
				if len(c.Buffers) != 1 || c.Buffers[0].Name != "ETB_1" || !slices.Equal(c.Sources[0].Buffers, c.Buffers) {
					t.Errorf("buffers %v, of the source %v", c.Buffers, c.Sources[0].Buffers)
				}
			},
		},
		{
			"--buffer takes sources of one ID apart",
			two(tree{
				"ptm_1.ini": ptm("PTM_1", "0x10"),
				"trace.ini": "[trace_buffers]\nbuffers=b0,b1\n[b0]\nname=ETB_0\nfile=etb.bin\nformat=coresight\n[b1]\nname=ETB_1\nfile=etb.bin\nformat=coresight\n[source_buffers]\nPTM_0=ETB_0\nPTM_1=ETB_1\n",
			}),
			Options{Buffer: "ETB_1"},
			func(t *testing.T, c *Capture) {
				if got := c.SourcesIn(c.Buffers[0]); len(got) != 1 || got[0].Name != "PTM_1" {
					t.Errorf("sources %v", got)
				}
			},
		},
		{
			"source by location, as a set, numbers by value",
			tree{
				"ptm_0.ini": strings.Replace(simple["ptm_0.ini"], "[regs]", "location=dap:2, ap:1,address:0x80010000\n[regs]", 1),
				"trace.ini": s("cpu_0=PTM_0", "cpu_0=@address:2147549184,AP:0x1,dap:2"),
			},
			Options{},
			func(t *testing.T, c *Capture) {
				if c.Sources[0].Core != "cpu_0" {
					t.Errorf("core %q", c.Sources[0].Core)
				}
			},
		},
		{
			"cores that are not in the snapshot",
			tree{"trace.ini": s("cpu_0=PTM_0", "cpu_7=PTM_0")},
			Options{},
			func(t *testing.T, c *Capture) {
				c.warned(t, "[core_trace_sources] names cores that are not in the snapshot: cpu_7")
				c.warned(t, "source PTM_0 has no program memory")
				if src := c.Sources[0]; src.Core != "cpu_7" || src.Memory.Fetch(image.SecureSpace, 0x8000) != nil {
					t.Errorf("%+v", src)
				}
			},
		},
		{
			"no core named, one with memory",
			tree{"trace.ini": s("cpu_0=PTM_0\n", "")},
			Options{},
			func(t *testing.T, c *Capture) {
				c.warned(t, "no core is named for source PTM_0", "the memory of cpu_0 is used")
				if src := c.Sources[0]; src.Core != "" || string(src.Memory.Fetch(image.SecureSpace, 0x8000)) != "program" {
					t.Errorf("%+v", src)
				}
			},
		},
		{
			"no core named, two with memory",
			two(tree{"trace.ini": s("cpu_0=PTM_0\n", "")}),
			Options{},
			func(t *testing.T, c *Capture) {
				c.warned(t, "source PTM_0 has no program memory", "--elf FILE")
				if c.source(t, "PTM_0").Memory.Fetch(image.SecureSpace, 0x8000) != nil {
					t.Error("it has memory")
				}
			},
		},
		{
			"two cores with different code at one address",
			two(tree{"trace.ini": s("cpu_0=PTM_0", "cpu_0=PTM_0\ncpu_1=PTM_1") + "PTM_1=ETB_0\n"}),
			Options{},
			func(t *testing.T, c *Capture) {
				for name, want := range map[string]string{"PTM_0": "program", "PTM_1": "another"} {
					if got := c.source(t, name).Memory.Fetch(image.SecureSpace, 0x8000); string(got) != want {
						t.Errorf("%s sees %q, want %q", name, got, want)
					}
				}
			},
		},
		{
			"memory spaces are seen by every core, after its own",
			tree{
				"snapshot.ini": strings.Replace(simple["snapshot.ini"], "[trace]", "device2=mem.ini\n[trace]", 1),
				"mem.ini":      "[device]\nname=bus\nclass=memory_space\n[dump]\nfile=bus.bin\naddress=0x8004\nspace=S\n[dump_high]\nfile=bus.bin\naddress=0x880000000\n",
				"bus.bin":      "0123456789",
			},
			Options{},
			func(t *testing.T, c *Capture) {
				m := c.Sources[0].Memory
				if got := m.Fetch(image.SecureSpace, 0x8000); string(got) != "program" {
					t.Errorf("own memory %q", got)
				}
				if got := m.Fetch(image.SecureSpace, 0x8007); string(got) != "3456789" {
					t.Errorf("shared memory %q", got)
				}
				if got := m.Fetch(image.SecureSpace, 0x880000000); string(got) != "0123456789" {
					t.Errorf("memory from 2³² on %q", got)
				}
				if r := c.Regions[1]; r.Core != "" || r.File != "bus.bin" || r.Space != image.SecureSpace {
					t.Errorf("region %+v", r)
				}
			},
		},
		{
			"overlaps: the later section holds",
			tree{"cpu_0.ini": simple["cpu_0.ini"] + "[dump2]\nfile=etb.bin\naddress=0x8004\nlength=2\noffset=10\n"},
			Options{},
			func(t *testing.T, c *Capture) {
				m := c.Sources[0].Memory
				if got := string(m.Fetch(image.SecureSpace, 0x8000)) + "|" + string(m.Fetch(image.SecureSpace, 0x8004)) + "|" + string(m.Fetch(image.SecureSpace, 0x8006)); got != "prog|ab|m" {
					t.Errorf("memory %q", got)
				}
				c.warned(t, "cpu_0.ini: [dump] and [dump2] have different bytes from 0x8004 on; the later one holds")
			},
		},
		{
			"overlaps of equal bytes, or in different spaces, are no matter",
			tree{
				"same.bin": "gram",
				"cpu_0.ini": simple["cpu_0.ini"] + "[dump2]\nfile=same.bin\naddress=0x8003\n[dump3]\nfile=mem.bin\naddress=0x8000\n" +
					"[dump4]\nfile=etb.bin\naddress=0x8000\nspace=H\n",
			},
			Options{},
			func(t *testing.T, c *Capture) {
				if len(c.Warnings) != 0 {
					t.Errorf("warnings %q", c.Warnings)
				}
			},
		},
		{
			"memory of no bytes",
			tree{"cpu_0.ini": simple["cpu_0.ini"] + "[dump2]\nfile=mem.bin\naddress=0\nlength=0\n"},
			Options{},
			func(t *testing.T, c *Capture) {
				c.warned(t, `cpu_0.ini: [dump2] "mem.bin" gives no bytes`)
				if len(c.Regions) != 1 {
					t.Errorf("regions %v", c.Regions)
				}
			},
		},
		{
			"memory above 4 GiB of a core that has it",
			tree{"cpu_0.ini": "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\n[dump]\nfile=mem.bin\naddress=0xFFFFFFC000080000\n", "a.elf": wideELF(3)},
			Options{Images: []string{"etb.bin@0x880000000"}, ELFs: []string{"a.elf@0xAAAA00000000"}, Symbols: []string{"a.elf@0xAAAA00000000"}},
			func(t *testing.T, c *Capture) {
				m := c.Sources[0].Memory
				for a, want := range map[schema.Address]string{0xFFFF_FFC0_0008_0000: "program", 0x8_8000_0000: "0123456789abcdef", 0xAAAA_0000_8000: "a"} {
					if got := m.Fetch(image.SecureSpace, a); string(got) != want {
						t.Errorf("memory at %#x: %q, want %q", a, got, want)
					}
				}
			},
		},
		{
			"memory above 4 GiB of a core that is not known",
			tree{"cpu_0.ini": "[device]\nname=cpu_0\nclass=core\ntype=Krait\n[dump]\nfile=mem.bin\naddress=0x880000000\n"},
			Options{},
			func(t *testing.T, c *Capture) {
				if got := c.Sources[0].Memory.Fetch(image.SecureSpace, 0x8_8000_0000); string(got) != "program" {
					t.Errorf("memory %q", got)
				}
			},
		},
		{
			"images of the command line go before dumps, the later one first",
			nil,
			Options{Images: []string{"mem.bin@0x8004", "etb.bin@0x8004:S"}},
			func(t *testing.T, c *Capture) {
				m := c.Sources[0].Memory
				if got := m.Fetch(image.SecureSpace, 0x8004); string(got) != "0123456789abcdef" {
					t.Errorf("secure %q", got)
				}
				if got := m.Fetch(image.NonSecureSpace, 0x8004); string(got) != "program" {
					t.Errorf("non-secure %q", got)
				}
				if got := m.Fetch(image.NonSecureSpace, 0x8000); string(got) != "prog" {
					t.Errorf("dump %q", got)
				}
				if r := c.Regions[0]; r.File != "mem.bin" || r.Core != "" {
					t.Errorf("region %+v", r)
				}
			},
		},
		{
			"registers of the command line beat those of the snapshot",
			nil,
			Options{Regs: []string{"ETMCR=0x1234", "0x80=0x22"}},
			func(t *testing.T, c *Capture) {
				if v, _ := c.Sources[0].Registers.Lookup("ETMCR"); v != 0x1234 || c.Sources[0].ID != 0x22 {
					t.Errorf("ETMCR %#x, ID %#x", v, c.Sources[0].ID)
				}
			},
		},
		{
			"registers missing: not decoded, and said",
			two(tree{
				"ptm_0.ini": strings.Replace(simple["ptm_0.ini"], "ETMCCER(0x07A)=0x34C01AC2\n", "", 1),
				"trace.ini": simple["trace.ini"] + "PTM_1=ETB_0\n",
			}),
			Options{},
			func(t *testing.T, c *Capture) {
				if got := c.source(t, "PTM_0").Problem; !strings.Contains(got, "ptm_0.ini: [regs] has no ETMCCER (0x7a)") {
					t.Errorf("problem %q", got)
				}
				if got := c.source(t, "PTM_1").Problem; got != "" {
					t.Errorf("problem %q", got)
				}
			},
		},
		{
			"a register missing, but given",
			tree{"ptm_0.ini": strings.Replace(simple["ptm_0.ini"], "ETMCCER(0x07A)=0x34C01AC2\n", "", 1)},
			Options{Regs: []string{"ETMCCER=0x34C01AC2"}},
			func(t *testing.T, c *Capture) {
				if got := c.Sources[0].Problem; got != "" {
					t.Errorf("problem %q", got)
				}
			},
		},
		{
			"ETMIDR against type: another version",
			tree{"ptm_0.ini": strings.Replace(simple["ptm_0.ini"], "PTM1.1", "PFT1.0", 1)},
			Options{},
			func(t *testing.T, c *Capture) {
				if src := c.Sources[0]; src.Protocol != "pft" || src.Version != "1.1" {
					t.Errorf("%+v", src)
				}
				c.warned(t, `ptm_0.ini: type is "PFT1.0", but ETMIDR=0x411cf312 says pft 1.1, which holds`)
			},
		},
		{
			"ETMIDR against type: another protocol",
			tree{"ptm_0.ini": strings.Replace(simple["ptm_0.ini"], "0x411CF312", "0x410CF250", 1)},
			Options{},
			func(t *testing.T, c *Capture) {
				if src := c.Sources[0]; src.Protocol != "etmv3" || src.Version != "3.5" {
					t.Errorf("%+v", src)
				}
				c.warned(t, `"PTM1.1"`, "says etmv3 3.5")
			},
		},
		{
			"unknown type of a source",
			tree{"ptm_0.ini": "[device]\nname=PTM_0\nclass=trace_source\ntype=XYZ\n[regs]\nA=1\n"},
			Options{},
			func(t *testing.T, c *Capture) {
				if got := c.Sources[0].Problem; !strings.Contains(got, `ptm_0.ini: [device] type "XYZ" is no known trace protocol`) {
					t.Errorf("problem %q", got)
				}
			},
		},
		{
			"a source of another class",
			tree{"ptm_0.ini": strings.Replace(simple["ptm_0.ini"], "trace_source", "trace_link", 1)},
			Options{},
			func(t *testing.T, c *Capture) {
				if got := c.Sources[0].Problem; !strings.Contains(got, `class is "trace_link", not trace_source`) {
					t.Errorf("problem %q", got)
				}
			},
		},
		{
			"unknown type of a core",
			tree{"cpu_0.ini": strings.Replace(simple["cpu_0.ini"], "Cortex-A15", "Krait", 1)},
			Options{},
			func(t *testing.T, c *Capture) {
				c.warned(t, `core cpu_0 has the unknown type "Krait"; profile A is assumed`)
				if c.Sources[0].Profile != ProfileA {
					t.Errorf("profile %q", c.Sources[0].Profile)
				}
			},
		},
		{
			"an unframed buffer of several sources, but one protocol",
			two(tree{
				"ptm_1.ini": "[device]\nname=PTM_1\nclass=trace_source\ntype=Mystery\n",
				"trace.ini": strings.Replace(simple["trace.ini"], "=coresight", "=source_data", 1) + "PTM_1=ETB_0\n",
			}),
			Options{},
			func(t *testing.T, c *Capture) {
				if len(c.source(t, "PTM_0").Buffers) != 1 || len(c.source(t, "PTM_1").Buffers) != 0 {
					t.Error("buffers of PTM_0, PTM_1 are not 1, 0")
				}
				c.warned(t, "buffer ETB_0 is source_data of PTM_0", "PTM_1")
			},
		},
		{
			"IDs of other sources, and streams",
			two(tree{
				"ptm_0.ini": "[device]\nname=ITM\nclass=trace_source\ntype=ITM\n[regs]\nITM_CTRL(0x3A0)=0x00200006\n",
				"cpu_1.ini": "[device]\nname=STM\nclass=trace_source\ntype=STM\n[regs]\nSTMTCSR=0x00210000\n",
				"ptm_1.ini": "[device]\nname=ETM4\nclass=trace_source\ntype=ETM4.0\n[regs]\nTRCTRACEIDR(0x10)=0x22\n",
				"trace.ini": "[trace_buffers]\nbuffers=b0\n[b0]\nname=ETB_0\nfile=etb.bin\nformat=coresight\n[source_buffers]\nITM=ETB_0\nITM(stream:1)=ETB_0\nSTM=ETB_0\nETM4=ETB_0\nETM4(stream:1)=ETB_0\n",
			}),
			Options{},
			func(t *testing.T, c *Capture) {
				got := make(map[string]uint8)
				for _, src := range c.Sources {
					got[src.Name+" "+src.Protocol] = src.ID
				}
				want := map[string]uint8{"ITM itm": 0x20, "STM stm": 0x21, "ETM4 etmv4": 0x22, "ETM4(stream:1) etmv4": 0x23}
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("sources %v, want %v", got, want)
				}
				c.warned(t, "ITM(stream:1): ITM has only stream 0")
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := simple.with(tt.changes).write(t)
			t.Chdir(dir)
			c, err := Open(dir, decodedWide, tt.opt)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			tt.check(t, c)
		})
	}
}

// ELF files of the command line hold for every core; a position-independent one
// goes where the user says. A file name may hold an @.
func TestELFFlag(t *testing.T) {
	elf := func(kind byte, vaddr string) string { // one PT_LOAD of 4 bytes
		return "\x7fELF\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00" + string([]byte{kind}) + "\x00\x28\x00\x01\x00\x00\x00" +
			"\x00\x00\x00\x00\x34\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x05\x34\x00\x20\x00\x01\x00\x28\x00\x00\x00\x00\x00" +
			"\x01\x00\x00\x00\x54\x00\x00\x00" + vaddr + vaddr + "\x04\x00\x00\x00\x04\x00\x00\x00\x05\x00\x00\x00\x04\x00\x00\x00" + "code"
	}
	dir := simple.with(tree{"fixed@2.elf": elf(2, "\x02\x80\x00\x00"), "pie.elf": elf(3, "\x00\x10\x00\x00")}).write(t)
	t.Chdir(dir)
	c, err := Open(dir, decoded, Options{ELFs: []string{"fixed@2.elf", filepath.Join(dir, "pie.elf") + "@0x20000"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	m := c.Sources[0].Memory
	for addr, want := range map[schema.Address]string{0x8000: "pr", 0x8002: "code", 0x8006: "m", 0x21000: "code"} {
		if got := m.Fetch(image.SecureSpace, addr); string(got) != want {
			t.Errorf("memory at %#x is %q, want %q", addr, got, want)
		}
	}
	if a, b := c.Regions[0].File, c.Regions[1].File; a != "fixed@2.elf" || b != "pie.elf" {
		t.Errorf("regions of %q and %q", a, b)
	}
}

// Program files are those of --elf, which are memory too, then those of --symbols.
// A core and a base may be named, and a file name may hold both signs.
func TestSymbolsFlag(t *testing.T) {
	dir := simple.with(tree{"a.elf": "a", "b@x.elf": "b", "cpu_7=c.elf": "c"}).write(t)
	t.Chdir(dir)
	c, err := Open(dir, decoded, Options{Symbols: []string{"a.elf", "cpu_0=a.elf@0x20000", "b@x.elf", "cpu_7=c.elf"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	type program struct {
		name, core string
		base       schema.Address
		bytes      string
	}
	var got []program
	for _, p := range c.Programs {
		b := make([]byte, p.Size)
		if _, err := p.Data.ReadAt(b, 0); err != nil {
			t.Fatal(err)
		}
		x := program{p.Name, p.Core, 0, string(b)}
		if p.Base != nil {
			x.base = *p.Base
		}
		got = append(got, x)
	}
	want := []program{{"a.elf", "", 0, "a"}, {"a.elf", "cpu_0", 0x20000, "a"}, {"b@x.elf", "", 0, "b"}, {"cpu_7=c.elf", "", 0, "c"}}
	if !slices.Equal(got, want) {
		t.Errorf("programs %v, want %v", got, want)
	}
	if len(c.Regions) != 1 {
		t.Errorf("%d regions of memory, want that of the snapshot alone", len(c.Regions))
	}
}

func TestTypes(t *testing.T) {
	for kind, want := range map[string][2]string{
		"PTM1.1": {"pft", "1.1"}, "pft1.0": {"pft", "1.0"}, "PTM": {"pft", ""}, "ETM3.5": {"etmv3", "3.5"}, "ETMv3.4": {"etmv3", "3.4"}, "ETM3": {"etmv3", "3"},
		"ETM1.2": {"etmv1", "1.2"}, "ETM2.1": {"etmv2", "2.1"}, "ETM4.0": {"etmv4", "4.0"}, "ETMv4.2": {"etmv4", "4.2"}, "ETE": {"ete", ""}, "ITM": {"itm", ""}, "STM": {"stm", ""},
		"": {}, "ETM": {}, "ETM9": {}, "PTMX": {}, "CTI": {},
	} {
		if p, v := newFamilies(decodedWide).ofType(kind); p != want[0] || v != want[1] {
			t.Errorf("protocolOfType(%q) = %q, %q, want %q", kind, p, v, want)
		}
	}
	for idr, want := range map[uint64][2]string{
		0x411CF301: {"pft", "1.0"}, 0x411CF312: {"pft", "1.1"}, 0x410CF250: {"etmv3", "3.5"}, 0x4104F230: {"etmv3", "3.3"}, 0x41000100: {"etmv2", "2.0"}, 0xFFFF_FFFF: {},
	} {
		if p, v := newFamilies(decoded).ofETMIDR(idr); p != want[0] || v != want[1] {
			t.Errorf("protocolOfETMIDR(%#x) = %q, %q, want %q", idr, p, v, want)
		}
	}
	for kind, want := range map[string]coreModel{
		"Cortex-A15": {ProfileA, false}, "cortex-a9": {ProfileA, false}, "Cortex-A32": {ProfileA, false}, "Cortex-A34": {ProfileA, true}, "Cortex-A53": {ProfileA, true}, "Cortex-A76AE": {ProfileA, true},
		"Cortex-R5": {ProfileR, false}, "Cortex-R5F": {ProfileR, false}, "Cortex-R82": {ProfileR, true}, "Cortex-M3": {ProfileM, false}, "Cortex-M0+": {ProfileM, false},
		"ARMv7-A": {ProfileA, false}, "ARMv7-R": {ProfileR, false}, "ARMv7E-M": {ProfileM, false}, "ARMv6-M": {ProfileM, false}, "ARMv8-A": {ProfileA, true}, "ARMv8.2-A": {ProfileA, true},
		"ARMv8-M.Main": {ProfileM, false}, "ARMv5TE": {ProfileA, false}, "ARM926EJ-S": {ProfileA, false}, "ARM1176": {ProfileA, false}, "Neoverse-N1": {ProfileA, true}, "ARM-AA64": {ProfileA, true},
		"Krait": {}, "": {}, "ARM": {}, "ARMv": {}, "Cortex-": {}, "Cortex-Z1": {},
	} {
		if got := modelOfCore(kind); got != want {
			t.Errorf("modelOfCore(%q) = %v, want %v", kind, got, want)
		}
	}
}

// The captures' figures are those of their README and ini files.
func TestCaptures(t *testing.T) {
	dir := shared.File(t, "captures")
	type source struct {
		name, protocol, version, core string
		id                            uint8
		buffered                      bool
		profile                       Profile
	}
	r5 := []source{{"ETM_0", "etmv3", "3.3", "cpu_0", 0x10, true, ProfileR}}
	a15 := []source{
		{"ETM_0_4", "etmv3", "3.5", "Cortex-A7_0", 4, false, ""},
		{"ETM_1_5", "etmv3", "3.5", "Cortex-A7_1", 5, false, ""},
		{"ETM_2_6", "etmv3", "3.5", "Cortex-A7_2", 6, false, ""},
		{"PTM_0_2", "pft", "1.1", "Cortex-A15_0", 2, true, ProfileA},
		{"PTM_1_3", "pft", "1.1", "Cortex-A15_1", 3, false, ProfileA},
	}
	tests := []struct {
		folder  string
		format  Format
		size    int64
		hz      uint64
		sources []source
		regions int
		fetch   schema.Address // an address of memory
	}{
		{"opencsd-TC2", CoreSight, 32768, 0, []source{
			{"ETM_0", "etmv3", "3.5", "cpu_0", 0x10, true, ProfileA},
			{"ETM_1", "etmv3", "3.5", "cpu_1", 0x11, true, ProfileA},
			{"ETM_2", "etmv3", "3.5", "cpu_2", 0x12, true, ProfileA},
			{"PTM_0", "pft", "1.1", "cpu_3", 0x13, true, ProfileA},
			{"PTM_1", "pft", "1.1", "cpu_4", 0x14, true, ProfileA},
			{"ITM_0", "itm", "", "", 0x20, true, ""},
		}, 5, 0xC0008000},
		{"opencsd-tc2-ptm-rstk-t32", SourceData, 27884, 25000000, a15, 9, 0x80000278},
		{"opencsd-trace_cov_a15", SourceData, 36, 25000000, a15, 9, 0x80000278},
		{"stm32f105-m3-etmv34-itm-swo", CoreSight, 7856, 0, []source{
			{"ETM_0", "etmv3", "3.4", "cpu_0", 2, true, ProfileM},
			{"ITM_0", "itm", "", "", 1, true, ""},
		}, 1, 0x08000000},
		{"am243x-r5f-etmv3-freertos-002b37c", CoreSight, 65536, 0, r5, 3, 0x70099000},
		{"am243x-r5f-etmv3-threadx-002b37c", CoreSight, 65536, 0, r5, 5, 0x7009EA80},
		{"am243x-r5f-etmv3-threadx-ce42d22", CoreSight, 65536, 0, r5, 4, 0x7009EB00},
		{"am243x-r5f-etmv3-zephyr-e9185a9", CoreSight, 65536, 0, r5, 4, 0x70000000},
	}
	for _, tt := range tests {
		t.Run(tt.folder, func(t *testing.T) {
			c, err := Open(filepath.Join(dir, tt.folder), decoded, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			b := c.Buffers[0]
			if len(c.Buffers) != 1 || b.Format != tt.format || b.Size != tt.size || int64(len(b.content(t))) != tt.size || c.TimestampHz != tt.hz {
				t.Errorf("%d buffers, %v of %d bytes, %d Hz", len(c.Buffers), b.Format, b.Size, c.TimestampHz)
			}
			var got []source
			for _, s := range c.Sources {
				got = append(got, source{s.Name, s.Protocol, s.Version, s.Core, s.ID, len(s.Buffers) == 1, s.Profile})
				if s.Problem != "" {
					t.Errorf("%s: %s", s.Name, s.Problem)
				}
				// Core Cortex-A15_0 has memory in the secure space only.
				if s.Core == "" || len(s.Buffers) == 0 {
					continue
				}
				if s.Memory.Fetch(image.SecureSpace, tt.fetch) == nil {
					t.Errorf("%s sees nothing at %#x", s.Name, tt.fetch)
				}
				if elsewhere := s.Memory.Fetch(image.NonSecureSpace, tt.fetch) == nil; elsewhere != (tt.format == SourceData) {
					t.Errorf("%s: nothing in the non-secure space is %v", s.Name, elsewhere)
				}
			}
			if !slices.Equal(got, tt.sources) {
				t.Errorf("sources %v, want %v", got, tt.sources)
			}
			if len(c.Regions) != tt.regions {
				t.Errorf("%d regions, want %d", len(c.Regions), tt.regions)
			}
			if tt.format == SourceData {
				c.warned(t, "names cores that are not in the snapshot: Cortex-A7_0, Cortex-A7_1, Cortex-A7_2, Cortex-A15_1")
			} else if len(c.Warnings) != 0 {
				t.Errorf("warnings %q", c.Warnings)
			}
		})
	}
}
