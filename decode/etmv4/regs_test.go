package etmv4

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
)

// The registers of captures, and single fields.
func TestNewConfig(t *testing.T) {
	a53 := Config{Profile: "A", ContextIDBytes: 4, VMIDBytes: 1, CommOpt: true, CycleBits: 12, Timestamp64: true}
	traced := a53
	traced.TracesContextID, traced.TracesVMID = true, true
	model := Config{
		ETE: true, Profile: "A", ContextIDBytes: 4, VMIDBytes: 4, CommOpt: true, QSupp: 3, CycleBits: 20, VMIDIsContext: true, Timestamp64: true, WaitsP0: true,
	}
	m55 := Config{Profile: "M", Minor: 5, CommOpt: true, CycleBits: 12, Timestamp64: true}
	r := Registers{IDR1: 0x4100f400, Profile: "A"}
	set := func(f func(*Registers)) Registers {
		r := r
		f(&r)
		return r
	}
	for _, tt := range []struct {
		name     string
		r        Registers
		want     Config
		version  string
		warnings []string // in them
	}{
		{"Cortex-A53 of a Juno", juno, traced, "4.0", nil},
		{"model of an ETE", models, model, "1.0", nil},
		{"Cortex-M55", Registers{IDR0: 0x280006e1, IDR1: 0x4100f454, IDR2: 4, Profile: "M"}, m55, "4.5", nil},
		{"nothing", r, Config{Profile: "A", CycleBits: 12}, "4.0", nil},
		{"v4.6", set(func(r *Registers) { r.IDR1 = 0x4100f460 }), Config{Profile: "A", Minor: 6, CycleBits: 12}, "4.6", nil},
		{"v4.7", set(func(r *Registers) { r.IDR1 = 0x4100f470 }), Config{Profile: "A", Minor: 6, CycleBits: 12}, "4.6", []string{"ETMv4.7"}},
		{"ETE 1.3", Registers{ETE: true, DEVARCH: 0x47735a13}, Config{ETE: true, Minor: 3, CycleBits: 12}, "1.3", nil},
		{"ETE 1.4", Registers{ETE: true, DEVARCH: 0x47745a13}, Config{ETE: true, Minor: 3, CycleBits: 12}, "1.3", []string{"ETE 1.4"}},
		{"version in TRCDEVARCH", set(func(r *Registers) { r.IDR1, r.DEVARCH = 0x4100fff0, 0x47724a13 }), Config{Profile: "A", Minor: 2, CycleBits: 12}, "4.2", nil},
		{"version in both", set(func(r *Registers) { r.IDR1, r.DEVARCH = 0x4100f410, 0x47724a13 }), Config{Profile: "A", Minor: 1, CycleBits: 12}, "4.1", nil},
		{"COMMOPT without cycle counts", set(func(r *Registers) { r.IDR0 = 1 << 29 }), Config{Profile: "A", CycleBits: 12}, "4.0", nil},
		{"CCSIZE", set(func(r *Registers) { r.IDR2 = 8 << 25 }), Config{Profile: "A", CycleBits: 20}, "4.0", nil},
		{"cycle counts, timestamps, branch broadcast", set(func(r *Registers) { r.CONFIGR = 0x819 }), Config{Profile: "A", CycleBits: 12, CycleCounting: true, Timestamps: true, Broadcast: true}, "4.0", nil},
		{"data trace", set(func(r *Registers) { r.CONFIGR = 3 << 16 }), Config{Profile: "A", CycleBits: 12, DataAddress: true, DataValue: true}, "4.0", nil},
		{"return stack", set(func(r *Registers) { r.CONFIGR, r.IDR0 = 1<<12, 1<<9 }), Config{Profile: "A", CycleBits: 12, ReturnStack: true}, "4.0", nil},
		{"return stack that is not there", set(func(r *Registers) { r.CONFIGR = 1 << 12 }), Config{Profile: "A", CycleBits: 12}, "4.0", []string{"TRCIDR0=0x00000000 says there is none (bit 9)"}},
		{"conditional tracing", set(func(r *Registers) { r.CONFIGR, r.IDR0 = 7<<8, 1<<6 }), Config{Profile: "A", CycleBits: 12, Cond: 7}, "4.0", nil},
		{"conditional tracing that is not there", set(func(r *Registers) { r.CONFIGR = 7 << 8 }), Config{Profile: "A", CycleBits: 12}, "4.0", []string{"bit 6"}},
		{"INSTP0", set(func(r *Registers) { r.CONFIGR, r.IDR0 = 2<<1, 3<<1 }), Config{Profile: "A", CycleBits: 12, InstP0: 2}, "4.0", nil},
		{"INSTP0 that is not there", set(func(r *Registers) { r.CONFIGR = 2 << 1 }), Config{Profile: "A", CycleBits: 12}, "4.0", []string{"bits 2:1"}},
		{"VMIDOPT as programmed", set(func(r *Registers) { r.CONFIGR, r.IDR2 = 1<<15, 1<<29 }), Config{Profile: "A", CycleBits: 12, VMIDIsContext: true}, "4.0", nil},
		{"VMIDOPT not implemented", set(func(r *Registers) { r.CONFIGR = 1 << 15 }), Config{Profile: "A", CycleBits: 12}, "4.0", nil},
		{"VMIDOPT always", set(func(r *Registers) { r.IDR1, r.IDR2 = 0x4100f450, 2<<29 }), Config{Profile: "A", Minor: 5, CycleBits: 12, VMIDIsContext: true}, "4.5", nil},
		{"VMIDOPT always, before v4.5", set(func(r *Registers) { r.IDR2 = 2 << 29 }), Config{Profile: "A", CycleBits: 12}, "4.0", nil},
		{"WFXMODE before v4.3", set(func(r *Registers) { r.IDR2 = 1 << 31 }), Config{Profile: "A", CycleBits: 12}, "4.0", nil},
		{"WFXMODE", set(func(r *Registers) { r.IDR1, r.IDR2 = 0x4100f430, 1<<31 }), Config{Profile: "A", Minor: 3, CycleBits: 12, WaitsP0: true}, "4.3", nil},
		{"COMMTRANS is of an ETE", set(func(r *Registers) { r.IDR0 = 1 << 30 }), Config{Profile: "A", CycleBits: 12}, "4.0", nil},
		{"COMMTRANS", Registers{ETE: true, DEVARCH: 0x47705a13, IDR0: 1 << 30}, Config{ETE: true, CycleBits: 12, CommTrans: true}, "1.0", nil},
		{"TSMARK, ITE", Registers{ETE: true, DEVARCH: 0x47735a13, IDR0: 3 << 22}, Config{ETE: true, Minor: 3, CycleBits: 12, TimestampMarker: true, Instrumentation: true}, "1.3", nil},
		{"TSMARK, ITE of an ETE that is too old", Registers{ETE: true, DEVARCH: 0x47705a13, IDR0: 3 << 22}, Config{ETE: true, CycleBits: 12}, "1.0", nil},
		{"MAXSPEC", set(func(r *Registers) { r.IDR8 = 0x78 }), Config{Profile: "A", CycleBits: 12, MaxSpec: 0x78}, "4.0", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, warnings, err := NewConfig(tt.r)
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want || got.Version() != tt.version {
				t.Errorf("%s %+v\nwant %s %+v", got.Version(), got, tt.version, tt.want)
			}
			if len(warnings) != len(tt.warnings) || len(warnings) > 0 && !strings.Contains(warnings[0], tt.warnings[0]) {
				t.Errorf("warnings %q, want %q", warnings, tt.warnings)
			}
		})
	}
}

// Registers of another protocol are refused: the error names the register and the remedy.
func TestNewConfigOtherProtocol(t *testing.T) {
	for _, tt := range []struct {
		r    Registers
		want string
	}{
		{Registers{IDR1: 0x410cf250}, "TRCIDR1=0x410CF250 is not of an ETMv4 (bits 11:8 are 2, ETMv4 has 4); correct the register, or name the protocol it is"},
		{
			Registers{IDR1: 0x4100fff0, DEVARCH: 0x47705a13}, "TRCIDR1=0x4100FFF0 leaves the version to TRCDEVARCH=0x47705A13, which is not of an ETMv4 " +
				"(bits 15:0 are 0x5A13, an ETMv4 has 0x4A13, ete this); correct the registers, or name the protocol it is",
		},
		{
			Registers{IDR1: 0x4100fff0}, "TRCIDR1=0x4100FFF0 leaves the version to TRCDEVARCH=0x00000000, which is not of an ETMv4 " +
				"(bits 15:0 are 0x0000, an ETMv4 has 0x4A13); correct the registers, or name the protocol it is",
		},
		{
			Registers{ETE: true, DEVARCH: 0x47704a13}, "TRCDEVARCH=0x47704A13 is not of an ETE (bits 15:0 are 0x4A13, an ETE has 0x5A13, etmv4 this); " +
				"correct the register, or name the protocol it is",
		},
	} {
		if _, _, err := NewConfig(tt.r); err == nil || err.Error() != tt.want {
			t.Errorf("%+v: %v\nwant %s", tt.r, err, tt.want)
		}
	}
}

type registers map[string]uint64

func (r registers) Lookup(name string) (uint64, bool) {
	v, ok := r[name]
	return v, ok
}

// Missing registers are those of the core, and are said once each; where no core is named,
// TRCIDR2 tells profile M.
func TestBindDefaults(t *testing.T) {
	for _, tt := range []struct {
		name    string
		bind    func(decode.Source) (decode.Protocol, []string, error)
		source  decode.Source
		version string
		profile string
		idBytes string // of Context ID and VMID
		notes   int
	}{
		{"nothing known", Bind, decode.Source{Registers: registers{}}, "4.0", "A", "4 1", 5},
		{"Cortex-A53", Bind, decode.Source{Registers: registers{"TRCIDR8": 0}, CoreType: "Cortex-A53", Profile: "A"}, "4.0", "A", "4 1", 4},
		{"Cortex-A55", Bind, decode.Source{Registers: registers{}, CoreType: "cortex-a55", Profile: "A"}, "4.1", "A", "4 4", 5},
		{"Cortex-A57", Bind, decode.Source{Registers: registers{}, CoreType: "Cortex-A57", Profile: "A"}, "4.0", "A", "4 1", 5},
		{"Cortex-A720 is no Cortex-A72", Bind, decode.Source{Registers: registers{}, CoreType: "Cortex-A720", Profile: "A"}, "4.0", "A", "4 1", 5},
		{"Cortex-M33", Bind, decode.Source{Registers: registers{}, CoreType: "Cortex-M33", Profile: "M"}, "4.5", "M", "0 0", 5},
		{"Cortex-R52", Bind, decode.Source{Registers: registers{}, CoreType: "Cortex-R52", Profile: "R"}, "4.0", "R", "4 1", 5},
		{"TRCIDR2 of an M", Bind, decode.Source{Registers: registers{"TRCIDR2": 4}}, "4.0", "M", "0 0", 4},
		{"TRCIDR2 of an M, core A", Bind, decode.Source{Registers: registers{"TRCIDR2": 4}, Profile: "A"}, "4.0", "A", "0 0", 4},
		{"version by TRCIDR1", Bind, decode.Source{Registers: registers{"TRCIDR1": 0x4100f420, "TRCDEVARCH": 0x47754a13}}, "4.2", "A", "4 1", 4},
		{"version by TRCDEVARCH", Bind, decode.Source{Registers: registers{"TRCIDR1": 0x4100fff0, "TRCDEVARCH": 0x47754a13}}, "4.5", "A", "4 1", 4},
		{"ETE", BindETE, decode.Source{Registers: registers{}}, "1.0", "A", "4 4", 5},
		{"ETE without IDs is no M", BindETE, decode.Source{Registers: registers{"TRCIDR2": 4}}, "1.0", "A", "0 0", 4},
		{"ETE by TRCDEVARCH", BindETE, decode.Source{Registers: registers{"TRCDEVARCH": 0x47725a13}}, "1.2", "A", "4 4", 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, notes, err := tt.bind(tt.source)
			if err != nil {
				t.Fatal(err)
			}
			c := p.(*Config)
			ids := fmt.Sprint(c.ContextIDBytes, c.VMIDBytes)
			if c.Version() != tt.version || c.Profile != tt.profile || ids != tt.idBytes || len(notes) != tt.notes {
				t.Errorf("v%s, profile %s, %s bytes, notes %q", c.Version(), c.Profile, ids, notes)
			}
		})
	}
	_, notes, err := Bind(decode.Source{Registers: registers{"TRCCONFIGR": 1, "TRCIDR0": 0, "TRCIDR1": 0x4100f400, "TRCIDR2": 0}})
	const want = "register TRCIDR8 is missing: 0x00000000 is taken (no speculative elements); --reg TRCIDR8=VALUE sets it"
	if err != nil || !slices.Equal(notes, []string{want}) {
		t.Errorf("notes %q, %v, want %q", notes, err, want)
	}
}

// What cannot be followed is refused.
func TestBindRefuses(t *testing.T) {
	for want, r := range map[string]registers{
		"TRCIDR1":                 {"TRCIDR1": 0x4100f250},
		"TRCCONFIGR=0x00000003":   {"TRCCONFIGR": 3, "TRCIDR0": 6},
		"bits 15:0 are 0x5A13":    {"TRCIDR1": 0x4100fff0, "TRCDEVARCH": 0x47705a13},
		"TRCDEVARCH=0x00000000, ": {"TRCIDR1": 0x4100fff0},
	} {
		if _, _, err := Bind(decode.Source{Registers: r}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", r, err, want)
		}
	}
}

// The versions of a family bind to themselves, and each setting changes what its words say.
func TestFamilies(t *testing.T) {
	for _, f := range []decode.Family{Family(), ETEFamily()} {
		for _, v := range f.Versions {
			r := registers{}
			for _, x := range v.Registers {
				r[x.Name] = x.Value
			}
			for i := range f.Settings {
				s := &f.Settings[i]
				if _, ok := r[s.Register]; !ok {
					t.Errorf("%s %s does not have %s", f.Name, v.Name, s.Field())
				}
				if len(s.Values) != len(s.Means) {
					t.Errorf("%s: %d values, %d in words", s.Field(), len(s.Values), len(s.Means))
				}
			}
			p, notes, err := f.Bind(decode.Source{Registers: r})
			if err != nil || len(notes) > 0 || p.Version() != v.Name {
				t.Errorf("%s %s: %v, %q, %v", f.Name, v.Name, p, notes, err)
			}
		}
		r := registers{}
		for _, d := range f.Defaults {
			r[d.Register] = d.Value
		}
		if _, notes, err := f.Bind(decode.Source{Registers: r}); err != nil || len(notes) > 0 {
			t.Errorf("the defaults of %s: %q, %v", f.Name, notes, err)
		}
	}
}

// Registers in words.
func TestWords(t *testing.T) {
	for _, tt := range []struct {
		r    Registers
		want string
	}{
		{juno.with(0, 0), "no cycle counts, no Context ID, no VMID, no timestamps, return stack off"},
		{juno, "no cycle counts, 4-byte Context ID, 1-byte VMID, no timestamps, return stack off"},
		{juno.with(0x1819, 0), "12-bit cycle counts, no Context ID, no VMID, 64-bit timestamps in natural binary, return stack on, branch broadcast"},
		{models.with(0x8081, 4), "no cycle counts, no Context ID, 4-byte CONTEXTIDR_EL2 as VMID, no timestamps, return stack off, Q elements, up to 4 speculative elements, WFI and WFE are P0 elements"},
	} {
		c, _, err := NewConfig(tt.r)
		if got := strings.Join(c.Words(), ", "); err != nil || got != tt.want {
			t.Errorf("%+v: %s, %v\nwant %s", tt.r, got, err, tt.want)
		}
	}
}

// Packets that no trace unit of the registers sends, though they can be read: what is said is of the last one.
func TestDoubts(t *testing.T) {
	traced := ete10
	traced.Timestamps, traced.CycleCounting, traced.TracesContextID, traced.TracesVMID = true, true, true, true
	three := traced
	three.MaxSpec = 3
	sizeless := traced
	sizeless.ContextIDBytes, sizeless.VMIDBytes = 0, 0
	for _, tt := range []struct {
		cfg   *Config
		bytes string
		want  bool
	}{
		{&plain, "f7", false},
		{&plain, "0f", true},
		{&traced, "0f", false},
		{&plain, "02 01", true},
		{&traced, "02 01", false},
		{&traced, "03 01 01", false},
		{&Config{Timestamps: true, CycleBits: 12}, "03 01 01", true},
		{&plain, "01 00", false},
		{&plain, "01 01 01", true},
		{&traced, "01 00", true},
		{&traced, "01 01 01", false},
		{&plain, "2d 01", true},          // a commit
		{&three, "2d 01", true},          // of nothing
		{&three, "ff 2d 03", false},      // of three atoms
		{&three, "ff 2d 04", true},       // of more
		{&three, "ff 2d 03 2d 01", true}, // of what is committed already
		{&spec255, "ff ff 2d 04", false}, // of four of six
		{&three, "ff ff 2d 04", true},    // of which three were committed for want of room
		{&three, "ff 2e 03", false},      // a cancel
		{&three, "2e 01", true},          // of nothing
		{&three, "34", true},             // of one, with no atom
		{&three, "35", false},            // with one
		{&plain, "31", true},             // a mispredict, with an atom
		{&three, "31", false},            //
		{&three, "30", true},             // without
		{&plain, "06 00", true},
		{&plain, "06 61", true},
		{&plain, "06 05", false},
		{&ete10, "06 30 70", false},
		{&sizeless, "81 80", true},
		{&sizeless, "81 40", true},
		{&plain, "81 80 01 00 00 00", true},
		{&plain, "81 40 01 00 00 00", true},
		{&traced, "81 c0 01 00 00 00 01 00 00 00", false},
		{&plain, "81 31", false},
		{&plain, "08", false}, // it cannot be read
	} {
		doubtful, b, got := tt.cfg.Doubts(), unhex(t, tt.bytes), false
		for p := (Packet{}); len(b) > 0; b = b[max(p.Len, 1):] {
			got = doubtful(b)
			if tt.cfg.Parse(&p, b) != nil {
				p.Len = len(b)
			}
		}
		if got != tt.want {
			t.Errorf("%s: %v, want %v", tt.bytes, got, tt.want)
		}
	}
}
