package capture

import (
	"encoding/binary"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// decodedWide are the protocols of AArch64, beside the others.
var decodedWide = slices.Concat(decoded, []decode.Family{etmv4.Family(), etmv4.ETEFamily()})

// wideELF is an ELF file of AArch64, of a type, that loads one byte, "a", at 0x8000.
func wideELF(kind uint16) string {
	le := binary.LittleEndian
	b := append([]byte("\x7fELF\x02\x01\x01"), make([]byte, 9)...)
	b = le.AppendUint16(le.AppendUint16(b, kind), 183)
	b = le.AppendUint64(le.AppendUint32(b, 1), 0)
	b = le.AppendUint64(le.AppendUint64(b, 64), 0)
	for _, v := range []uint16{0, 0, 64, 56, 1, 64, 0, 0} { // flags, sizes, one program header
		b = le.AppendUint16(b, v)
	}
	b = le.AppendUint32(le.AppendUint32(b, 1), 5)
	for _, v := range []uint64{120, 0x8000, 0x8000, 1, 1, 4} {
		b = le.AppendUint64(b, v)
	}
	return string(append(b, 'a'))
}

// etm is the ini file of a trace unit with ID 0x10 and registers.
func etm(kind string, regs ...string) string {
	return "[device]\nname=ETM_0\nclass=trace_source\ntype=" + kind + "\n[regs]\nTRCTRACEIDR(0x010)=0x10\n" + strings.Join(regs, "\n") + "\n"
}

// wideSnapshot is a snapshot of one core of AArch64 with its trace unit, and what is changed in it.
func wideSnapshot(unit string, changes tree) tree {
	return tree{
		"snapshot.ini": "[snapshot]\nversion=1.0\n[device_list]\ndevice0=cpu_0.ini\ndevice1=etm_0.ini\n[trace]\nmetadata=trace.ini\n",
		"cpu_0.ini":    "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\n[dump]\nfile=mem.bin\naddress=0xFFFFFFC000080000\n",
		"etm_0.ini":    unit,
		"trace.ini":    "[trace_buffers]\nbuffers=b0\n[b0]\nname=ETB_0\nfile=etb.bin\nformat=coresight\n[source_buffers]\nETM_0=ETB_0\n[core_trace_sources]\ncpu_0=ETM_0\n",
		"etb.bin":      "0123456789abcdef",
		"mem.bin":      "program",
	}.with(changes)
}

// A snapshot of ETMv4 or ETE: what registers say, and what streams there are.
func TestETMv4(t *testing.T) {
	type source struct {
		name, protocol, version, problem string
		id                               uint8
		buffers                          int
	}
	one := func(protocol, version string) []source {
		return []source{{"ETM_0", protocol, version, "", 0x10, 1}}
	}
	dataOn := etm("ETM4", "TRCIDR1(0x79)=0x4100F403", "TRCCONFIGR(0x004)=0x00030001")
	data := func(buffers int) []source {
		return append(one("etmv4", "4.0"), source{"ETM_0(stream:1)", "etmv4", "4.0", "etmv4 data trace", 0x11, buffers})
	}
	line := strings.Replace(wideSnapshot("", nil)["trace.ini"], "ETM_0=ETB_0\n", "ETM_0=ETB_0\nETM_0(stream:1)=ETB_0\n", 1)
	const none = "\x00"
	for _, tt := range []struct {
		name    string
		unit    string
		changes tree
		regs    []string
		want    []source
		warning string // none: there is no warning
	}{
		{"ETMv4", etm("ETM4", "TRCIDR1(0x79)=0x4100F403"), nil, nil, one("etmv4", "4.0"), none},
		{"the version of the type is the registers'", etm("ETM4.0", "TRCIDR1=0x4100F403"), nil, nil, one("etmv4", "4.0"), none},
		{
			"another version", etm("ETM4.2", "TRCIDR1(0x79)=0x4200F410"), nil, nil, one("etmv4", "4.1"),
			`etm_0.ini: type is "ETM4.2", but its registers say etmv4 4.1, which holds`,
		},
		{"ETE", etm("ETE", "TRCDEVARCH(0x3EF)=0x47715A13", "TRCIDR1=0x4100FFF0"), nil, nil, one("ete", "1.1"), none},
		{"the version of an ETMv4 in TRCDEVARCH", etm("ETM4", "TRCDEVARCH=0x47754A13", "TRCIDR1=0x4100FFF0"), nil, nil, one("etmv4", "4.5"), none},
		{
			"an ETE by its registers", etm("ETM4", "TRCDEVARCH=0x47705A13", "TRCIDR1=0x4100FFF0"), nil, nil, one("ete", "1.0"),
			`type is "ETM4", but its registers say ete 1.0, which holds`,
		},
		{"no register says the version", etm("ETM4.2"), nil, nil, one("etmv4", "4.2"), none},
		{"--reg says it", etm("ETM4"), nil, []string{"TRCIDR1=0x4100F430"}, one("etmv4", "4.3"), none},
		{"--reg by number", etm("ETM4"), nil, []string{"0x79=0x4100F430"}, one("etmv4", "4.3"), none},
		{"--reg of an ETM before it", etm("ETM4", "TRCIDR1(0x79)=0x4100F403"), nil, []string{"ETMIDR=0x411CF312"}, one("etmv4", "4.0"), none},
		{
			"[extendregs]", "[device]\nname=ETM_0\nclass=trace_source\ntype=ETM4\n[regs]\n[extendregs]\n0x10=0x10\n0x79=0x4100F420\n", nil, nil,
			one("etmv4", "4.2"), none,
		},
		{"data are a source of their own", dataOn, nil, nil, data(1), none},
		{"data by --reg", etm("ETM4", "TRCIDR1(0x79)=0x4100F403"), nil, []string{"TRCCONFIGR=0x20001"}, data(1), none},
		{"data in a line", etm("ETM4", "TRCIDR1=0x4100F403"), tree{"trace.ini": line}, nil, data(1), none},
		{"data and a line", dataOn, tree{"trace.ini": line}, nil, data(1), none},
		{
			"a third stream", etm("ETM4", "TRCIDR1=0x4100F403"),
			tree{"trace.ini": strings.Replace(line, "stream:1", "stream:2", 1)},
			nil, one("etmv4", "4.0"),
			"ETM_0(stream:2): ETM_0 has only streams 0 and 1",
		},
		{
			"an ETE has no data", etm("ETE", "TRCDEVARCH=0x47705A13", "TRCCONFIGR=0x00030001"),
			tree{"trace.ini": line},
			nil, one("ete", "1.0"),
			"ETM_0 has only stream 0",
		},
		{"one stream is one source", dataOn, tree{"trace.ini": strings.Replace(wideSnapshot("", nil)["trace.ini"], "coresight", "source_data", 1)}, nil, data(0), none},
		{
			"no ID", strings.Replace(etm("ETM4", "TRCIDR1=0x4100F403"), "TRCTRACEIDR(0x010)=0x10\n", "", 1), nil, nil,
			[]source{{"ETM_0", "etmv4", "4.0", "etm_0.ini: [regs] has no TRCTRACEIDR (0x10); add it, or give --reg NAME=VALUE", 0, 1}},
			none,
		},
		{"a core as models name it", etm("ETE", "TRCDEVARCH=0x47705A13"), tree{"cpu_0.ini": strings.Replace(wideSnapshot("", nil)["cpu_0.ini"], "Cortex-A53", "ARM-AA64", 1)}, nil, one("ete", "1.0"), none},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Open(wideSnapshot(tt.unit, tt.changes).write(t), decodedWide, Options{Regs: tt.regs})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			var got []source
			for _, s := range c.Sources {
				got = append(got, source{s.Name, s.Protocol, s.Version, s.Problem, s.ID, len(s.Buffers)})
				if b := s.Memory.Fetch(image.NonSecureSpace, 0xFFFF_FFC0_0008_0000); string(b) != "program" {
					t.Errorf("%s sees %q", s.Name, b)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("sources %+v, want %+v", got, tt.want)
			}
			if tt.warning == none && len(c.Warnings) != 0 {
				t.Errorf("warnings %q", c.Warnings)
			} else if tt.warning != none {
				c.warned(t, tt.warning)
			}
		})
	}
}

// One number may be of two registers: the name says which.
func TestRegistersOfOneNumber(t *testing.T) {
	regs := Registers{
		{Name: "TRCIDR1", Number: 0x79, HasNumber: true, Bits: 32, Value: 1},
		{Name: "own", Number: 0x10, HasNumber: true, Bits: 32, Value: 2},
		{Number: 0x7A, HasNumber: true, Bits: 32, Value: 3},
	}
	for name, want := range map[string]schema.Null[uint64]{
		"TRCIDR1": schema.Of[uint64](1), "ETMIDR": {}, "TRCTRACEIDR": schema.Of[uint64](2), "TRCIDR2": schema.Of[uint64](3), "ETMCCER": schema.Of[uint64](3),
	} {
		if v, ok := regs.Lookup(name); ok != want.OK || v != want.V {
			t.Errorf("%s is %d, %t, want %v", name, v, ok, want)
		}
	}
	for _, tt := range []struct {
		set  Register
		want string
	}{
		{Register{Name: "ETMIDR", Number: 0x79, HasNumber: true, Bits: 32, Value: 9}, "TRCIDR1=0x00000001 own=0x00000002 0x7A=0x00000003 ETMIDR=0x00000009"},
		{Register{Name: "trcidr1", Number: 0x79, HasNumber: true, Bits: 32, Value: 9}, "TRCIDR1=0x00000009 own=0x00000002 0x7A=0x00000003"},
		{Register{Name: "TRCIDR2", Number: 0x7A, HasNumber: true, Bits: 32, Value: 9}, "TRCIDR1=0x00000001 own=0x00000002 0x7A=0x00000009"},
		{Register{Number: 0x79, HasNumber: true, Bits: 32, Value: 9}, "TRCIDR1=0x00000009 own=0x00000002 0x7A=0x00000003"},
	} {
		if got := regs.set(tt.set).String(); got != tt.want {
			t.Errorf("with %s=9: %s, want %s", tt.set.label(), got, tt.want)
		}
	}
}

// A raw file of ETMv4 or ETE: registers that are not given, and those that are.
func TestRawETMv4(t *testing.T) {
	dir := tree{"raw.bin": "0123456789abcdef", "vmlinux": wideELF(3)}.write(t)
	t.Chdir(dir)
	for _, tt := range []struct {
		opt       Options
		registers string
		version   string
	}{
		{
			Options{Protocol: "etmv4", Regs: []string{"TRCCONFIGR=0xC1", "trcidr1=0x4100F420"}, ELFs: []string{"vmlinux@0xFFFFFFC000000000"}},
			"TRCCONFIGR=0x000000C1 trcidr1=0x4100F420 TRCIDR0=0x28000EA1 TRCIDR2=0x00000488 TRCIDR8=0x00000000", "4.2",
		},
		{
			Options{Protocol: "ete", Regs: []string{"0x3EF=0x47715A13"}, Images: []string{"raw.bin@0xFFFFFFC000008000"}},
			"0x3EF=0x47715A13 TRCCONFIGR=0x00000001 TRCIDR0=0x2801CEA1 TRCIDR2=0xD0001088 TRCIDR8=0x00000000", "1.1",
		},
	} {
		c, err := Open("raw.bin", decodedWide, tt.opt)
		if err != nil {
			t.Fatal(err)
		}
		s := c.Sources[0]
		if got := s.Registers.String(); got != tt.registers || s.Version != tt.version || s.Protocol != tt.opt.Protocol {
			t.Errorf("%s %s: %s, want %s", s.Protocol, s.Version, got, tt.registers)
		}
		if s.Memory.Fetch(image.NonSecureSpace, 0xFFFF_FFC0_0000_8000) == nil {
			t.Errorf("%s sees nothing", s.Protocol)
		}
		c.Close()
	}
	for _, tt := range []struct {
		opt  Options
		want string
	}{
		{Options{Protocol: "etmv4", Regs: []string{"ETMCR=1"}}, "known are TRCCONFIGR, TRCTRACEIDR, TRCIDR8, TRCIDR0, TRCIDR1, TRCIDR2, TRCDEVARCH"},
		{Options{Protocol: "pft", Regs: []string{"TRCIDR1=1"}}, "known are ETMCR, ETMCCR"},
		{Options{Protocol: "etm5"}, "known are pft, etmv3, etmv1, etmv2, etmv4, ete"},
	} {
		if _, err := Open("raw.bin", decodedWide, tt.opt); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.opt, err, tt.want)
		}
	}
}

// The captures of AArch64 have the sources and bytes of their README.
func TestCapturesOfAArch64(t *testing.T) {
	a53, a57 := "Cortex-A53", "Cortex-A57"
	type source struct {
		name, protocol, version, core string
		id                            uint8
	}
	juno := func(step uint8, last string) []source {
		var all []source
		for i, core := range []string{a53, a53, a53, a53, last, last} {
			all = append(all, source{"ETM_" + string('0'+rune(i)), "etmv4", "4.0", core, 0x10 + step*uint8(i)})
		}
		return all
	}
	for _, tt := range []struct {
		folder  string
		format  Format
		size    int64
		sources []source
		fetch   schema.Address
	}{
		{"etm4-juno_r1_1", CoreSight, 65536, append(juno(1, a57), source{"STM_12", "stm", "", "", 0x20}), 0xFFFF_FFC0_0008_1000},
		{"etm4-juno-uname-002", CoreSight, 102992, juno(2, a53), 0x40_0000},
		{"ete-002-ack_test_scr", SourceData, 921, []source{{"ETE_0_s1", "ete", "1.0", a53, 2}}, 0},
		{"ete-src_addr", SourceData, 3037, []source{{"ETE_0_s1", "ete", "1.0", "ARM-AA64", 2}}, 0},
		{"ete-ete_spec_1", SourceData, 174, []source{{"ETE_0_s1", "ete", "1.0", "ARM-AA64", 1}}, 0},
		{"ete-trace_file_cid_vmid", SourceData, 4847, []source{{"ETE_0_s1", "ete", "1.0", a53, 2}}, 0},
		{"ete-ts_marker", SourceData, 1378, []source{{"ETE_0_s1", "ete", "1.1", "ARM-AA64", 1}}, 0x6_0000},
	} {
		c, err := Open(filepath.Join(shared.File(t, "captures"), tt.folder), decodedWide, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		var got []source
		for _, s := range c.Sources {
			got = append(got, source{s.Name, s.Protocol, s.Version, s.CoreType, s.ID})
			if s.Problem != "" || len(s.Buffers) != 1 {
				t.Errorf("%s: %s has %d buffers: %s", tt.folder, s.Name, len(s.Buffers), s.Problem)
			}
		}
		if b := c.Buffers[0]; b.Format != tt.format || b.Size != tt.size {
			t.Errorf("%s: %s of %d bytes", tt.folder, b.Format, b.Size)
		}
		if !slices.Equal(got, tt.sources) {
			t.Errorf("%s: sources %+v, want %+v", tt.folder, got, tt.sources)
		}
		if tt.fetch != 0 && c.Sources[0].Memory.Fetch(image.NonSecureSpace, tt.fetch) == nil {
			t.Errorf("%s: nothing at %#x", tt.folder, tt.fetch)
		}
		if len(c.Warnings) != 0 {
			t.Errorf("%s: warnings %q", tt.folder, c.Warnings)
		}
	}
}

// Registers that a raw file lacks are those of a core of profile M, if the program is for one alone.
func TestRawRegistersOfProfileM(t *testing.T) {
	a, m, a64 := image.Region{Profile: 'A'}, image.Region{Profile: 'M'}, image.Region{AArch64: true}
	for _, tt := range []struct {
		images []image.Region
		idr2   uint64
	}{
		{[]image.Region{{}, m}, 0x4},
		{[]image.Region{m, a}, 0x488},
		{[]image.Region{m, a64}, 0x488},
		{[]image.Region{a}, 0x488},
		{nil, 0x488},
	} {
		r := &reader{c: &Capture{}, families: decodedWide, protocol: "etmv4", images: tt.images}
		if got, _ := r.rawRegisters("etm.bin", fileHeader{}).Lookup("TRCIDR2"); got != tt.idr2 {
			t.Errorf("%d regions: TRCIDR2 is 0x%x, want 0x%x", len(tt.images), got, tt.idr2)
		}
	}
}
