package port

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
)

// registers are the registers of a test.
type registers map[string]uint64

func (r registers) Lookup(name string) (uint64, bool) {
	v, ok := r[name]
	return v, ok
}

func TestConfig(t *testing.T) {
	v12 := Config{Number: 0x12, Width: 8}
	with := func(c Config, change func(c *Config)) Config {
		change(&c)
		return c
	}
	for _, test := range []struct {
		name  string
		major uint8
		regs  registers
		want  Config
		notes []string // a part of each
	}{
		{"all given", 1, registers{"ETMCR": 0x10, "ETMVERSION": 0x12}, v12, nil},
		{"nothing given", 1, registers{}, Config{Number: 0x13, Width: 8},
			[]string{"ETMCR is missing: 0x00000010", "1.3 is taken"}},
		{"nothing given, ETMv2", 2, registers{}, Config{Number: 0x21, Width: 8},
			[]string{"ETMCR is missing", "2.1 is taken"}},
		{"port of 4 pins", 1, registers{"ETMCR": 0, "ETMVERSION": 0x12}, Config{Number: 0x12, Width: 4}, nil},
		{"port of 16 pins", 1, registers{"ETMCR": 0x20, "ETMVERSION": 0x12}, Config{Number: 0x12, Width: 16}, nil},
		{"PORTSIZE wins", 1, registers{"ETMCR": 0x20, "PORTSIZE": 4, "ETMVERSION": 0x12}, Config{Number: 0x12, Width: 4},
			nil},
		{"PORTSIZE for a reserved size", 1, registers{"ETMCR": 0x50, "PORTSIZE": 8, "ETMVERSION": 0x12}, v12, nil},
		{"bytes are of 4 pins", 1, registers{"ETMCR": 0x10, "LAYOUT": 5, "ETMVERSION": 0x12},
			Config{Number: 0x12, Width: 4, CaptureLayout: LayoutBytes}, []string{"LAYOUT=bytes is of 4 pins"}},
		{"bytes of 4 pins, as ETMCR says", 1, registers{"ETMCR": 0, "LAYOUT": 5, "ETMVERSION": 0x12},
			Config{Number: 0x12, Width: 4, CaptureLayout: LayoutBytes}, nil},

		{"ETMCCR: v1.0", 1, registers{"ETMCR": 0x10, "ETMCCR": 0x0FFFFFFF}, Config{Number: 0x10, Width: 8}, nil},
		{"ETMCCR: v1.1", 1, registers{"ETMCR": 0x10, "ETMCCR": 0x10000000}, Config{Number: 0x11, Width: 8}, nil},
		{"ETMCCR: v1.2", 1, registers{"ETMCR": 0x10, "ETMCCR": 0x20000000}, v12, nil},
		{"ETMCCR: v1.3", 1, registers{"ETMCR": 0x10, "ETMCCR": 0x30000000}, Config{Number: 0x13, Width: 8}, nil},
		{"ETMCCR: v1.2 with 4", 1, registers{"ETMCR": 0x10, "ETMCCR": 0x40000000}, v12, nil},
		{"ETMCCR: v1.3 with 5", 1, registers{"ETMCR": 0x10, "ETMCCR": 0x50000000}, Config{Number: 0x13, Width: 8}, nil},
		{"ETMCCR: v1.3 with 7", 1, registers{"ETMCR": 0x10, "ETMCCR": 0x70000000}, Config{Number: 0x13, Width: 8}, nil},
		{"ETMCCR wins over ETMVERSION", 1, registers{"ETMCR": 0x10, "ETMCCR": 0x10000000, "ETMVERSION": 0x13},
			Config{Number: 0x11, Width: 8}, nil},
		{"ETMIDR: v2.0", 2, registers{"ETMCR": 0x10, "ETMCCR": 0x80000000, "ETMIDR": 0x41002100},
			Config{Number: 0x20, Width: 8}, nil},
		{"ETMIDR: v2.1, no ETMCCR", 2, registers{"ETMCR": 0x10, "ETMIDR": 0x41002110}, Config{Number: 0x21, Width: 8}, nil},
		{"ETMIDR: v2.7", 2, registers{"ETMCR": 0x10, "ETMIDR": 0x41002170}, Config{Number: 0x21, Width: 8},
			[]string{"ETMv2.7 is not known here: decoded as v2.1"}},
		{"ETMIDR is missing", 2, registers{"ETMCR": 0x10, "ETMCCR": 0x80000000, "ETMVERSION": 0x20},
			Config{Number: 0x20, Width: 8}, nil},
		{"ETMVERSION 1.9", 1, registers{"ETMCR": 0x10, "ETMVERSION": 0x19}, Config{Number: 0x13, Width: 8},
			[]string{"ETMv1.9 is not known"}},

		{"MonitorCPRT", 1, registers{"ETMCR": 0x12, "ETMVERSION": 0x12}, with(v12, func(c *Config) { c.MonitorCPRT = true }),
			nil},
		{"values", 1, registers{"ETMCR": 0x14, "ETMVERSION": 0x12}, with(v12, func(c *Config) { c.DataValue = true }), nil},
		{"addresses", 1, registers{"ETMCR": 0x18, "ETMVERSION": 0x12}, with(v12, func(c *Config) { c.DataAddress = true }),
			nil},
		{"branch output", 1, registers{"ETMCR": 0x110, "ETMVERSION": 0x12},
			with(v12, func(c *Config) { c.BranchOutput = true }), nil},
		{"cycle-accurate", 1, registers{"ETMCR": 0x1010, "ETMVERSION": 0x12},
			with(v12, func(c *Config) { c.CycleAccurate = true }), nil},
		{"half-rate is not cycle-accurate", 1, registers{"ETMCR": 0x2010, "ETMVERSION": 0x12}, v12, nil},
		{"Context ID of 1 byte", 1, registers{"ETMCR": 0x4010, "ETMVERSION": 0x12},
			with(v12, func(c *Config) { c.ContextIDBytes = 1 }), nil},
		{"Context ID of 2 bytes", 1, registers{"ETMCR": 0x8010, "ETMVERSION": 0x12},
			with(v12, func(c *Config) { c.ContextIDBytes = 2 }), nil},
		{"Context ID of 4 bytes", 1, registers{"ETMCR": 0xC010, "ETMVERSION": 0x12},
			with(v12, func(c *Config) { c.ContextIDBytes = 4 }), nil},
		{"Context ID before v1.2", 1, registers{"ETMCR": 0xC010, "ETMVERSION": 0x11}, Config{Number: 0x11, Width: 8},
			[]string{"ETMv1.1 does not have"}},
		{"HIVECS", 1, registers{"ETMCR": 0x10, "ETMVERSION": 0x12, "HIVECS": 1},
			with(v12, func(c *Config) { c.HighVectors = true }), nil},
		{"ENDIAN", 1, registers{"ETMCR": 0x10, "ETMVERSION": 0x12, "ENDIAN": 1},
			with(v12, func(c *Config) { c.BigEndian = true }), nil},

		{
			"ETB, not full", 1,
			registers{"ETMCR": 0x10, "ETMVERSION": 0x12, "LAYOUT": 1, "ETBRWP": 5, "ETBSTS": 0xE},
			with(v12, func(c *Config) { c.CaptureLayout, c.ring = LayoutETB, etb{given: true, pointer: 5} }), nil,
		},
		{
			"ETB, full", 1,
			registers{"ETMCR": 0x10, "ETMVERSION": 0x12, "LAYOUT": 1, "ETBRWP": 5, "ETBSTS": 1},
			with(v12, func(c *Config) { c.CaptureLayout, c.ring = LayoutETB, etb{given: true, pointer: 5, full: true} }), nil,
		},
		{
			"ETB without a status", 1,
			registers{"ETMCR": 0x10, "ETMVERSION": 0x12, "LAYOUT": 1, "ETBRWP": 5},
			with(v12, func(c *Config) { c.CaptureLayout, c.ring = LayoutETB, etb{given: true, pointer: 5, full: true} }),
			[]string{"ETBSTS is missing"},
		},
		{
			"full ETB without a pointer", 1,
			registers{"ETMCR": 0x10, "ETMVERSION": 0x12, "LAYOUT": 1, "ETBSTS": 1},
			with(v12, func(c *Config) { c.CaptureLayout = LayoutETB }),
			[]string{"its oldest word is not known"},
		},
		{
			"ETB that is not full", 1,
			registers{"ETMCR": 0x10, "ETMVERSION": 0x12, "LAYOUT": 1, "ETBSTS": 0},
			with(v12, func(c *Config) { c.CaptureLayout = LayoutETB }), nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, notes, err := NewConfig(test.regs, test.major)
			if err != nil {
				t.Fatal(err)
			}
			if got != test.want {
				t.Errorf("%+v, want %+v", got, test.want)
			}
			if !slices.EqualFunc(notes, test.notes, strings.Contains) {
				t.Errorf("notes %q, want %q", notes, test.notes)
			}
		})
	}
}

func TestConfigErrors(t *testing.T) {
	for _, test := range []struct {
		name  string
		major uint8
		regs  registers
		want  string
	}{
		{"ETMCCR of ETMv1", 2, registers{"ETMCCR": 0x20000000},
			"ETMCCR=0x20000000 is not of an ETMv2, but of major version 1"},
		{"ETMIDR of ETMv3", 2, registers{"ETMIDR": 0x4104F240},
			"ETMIDR=0x4104F240 is not of an ETMv2, but of major version 3"},
		{"ETMIDR of ETMv2", 1, registers{"ETMCCR": 0x80000000, "ETMIDR": 0x41002110}, "not of an ETMv1"},
		{"ETMVERSION of ETMv2", 1, registers{"ETMVERSION": 0x20}, "ETMVERSION=2.0 is not of an ETMv1"},
		{"ETMVERSION that is none", 1, registers{"ETMVERSION": 1 << 40}, "ETMVERSION=15.15"},
		{"ETMIDR of a major version above all", 2, registers{"ETMIDR": 0xFFFFFFFF}, "not of an ETMv2"},
		{"PORTSIZE", 1, registers{"PORTSIZE": 32}, "PORTSIZE=32 is none"},
		{"PORTSIZE above a byte", 1, registers{"PORTSIZE": 256 + 8}, "PORTSIZE=264 is none"},
		{"port size of ETMv3", 1, registers{"ETMCR": 0x30}, "ETMCR=0x00000030 has port size 3"},
		{"bytes of 8 pins", 1, registers{"LAYOUT": 5, "PORTSIZE": 8}, "LAYOUT=bytes is of 4 pins, but PORTSIZE=8"},
		{"layout that is none", 1, registers{"LAYOUT": 10},
			"LAYOUT=10 is none; known are etms, etb, etb-be, etb24, bytes, dump, dump-old, demux, mux"},
		{"layout above a byte", 1, registers{"LAYOUT": 256}, "is none"},
		{"dump of ETMv2", 2, registers{"LAYOUT": 6}, "LAYOUT=dump is not of ETMv2"},
		{"flat words of ETMv1", 1, registers{"LAYOUT": 4}, "LAYOUT=etb-v2-flat is not of ETMv1"},
		{"ETBRWP of a sample file", 1, registers{"ETBRWP": 4}, "LAYOUT=etms has no words of an ETB"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, _, err := NewConfig(test.regs, test.major); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

func TestConfigWords(t *testing.T) {
	for _, test := range []struct {
		c    Config
		want string
	}{
		{Config{Number: 0x12, Width: 8}, "8 pins, layout etms, not cycle-accurate, no Context ID"},
		{
			Config{Number: 0x20, Width: 16, CaptureLayout: LayoutETB24, DataAddress: true, DataValue: true, MonitorCPRT: true,
				BigEndian: true, HighVectors: true},
			"16 pins, layout etb24, not cycle-accurate, no Context ID, data addresses and values, coprocessor register transfers, big-endian values, vectors at 0xFFFF0000",
		},
		{
			Config{Width: 4, CaptureLayout: LayoutBytes, DataAddress: true, CycleAccurate: true, ContextIDBytes: 2,
				BranchOutput: true},
			"4 pins, layout bytes, cycle-accurate, 2-byte Context ID, branch output, data addresses",
		},
		{Config{Width: 4, DataValue: true}, "4 pins, layout etms, not cycle-accurate, no Context ID, data values"},
	} {
		if got := strings.Join(test.c.Words(), ", "); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
	c := Config{Number: 0x21, HighVectors: true}
	if c.Version() != "2.1" || c.Major() != 2 || c.Vectors() != 0xFFFF0000 || c.TracesData() || c.UnitBytes() != 4 {
		t.Errorf("%s %d %#x %v %d", c.Version(), c.Major(), c.Vectors(), c.TracesData(), c.UnitBytes())
	}
	c = Config{DataAddress: true}
	if c.Vectors() != 0 || !c.TracesData() {
		t.Errorf("%#x %v", c.Vectors(), c.TracesData())
	}
}

// TestOptions reads the words of docs/etmv2.md §2, and what NewConfig makes of them.
func TestOptions(t *testing.T) {
	for _, test := range []struct {
		major       uint8
		name, words string
		most        uint64
	}{
		{1, "LAYOUT", "etms=0 etb=1 etb-be=2 etb24=3 bytes=5 dump=6 dump-old=7 demux=8 mux=9", 0},
		{2, "LAYOUT", "etms=0 etb=1 etb-be=2 etb24=3 etb-v2-flat=4 bytes=5 demux=8 mux=9", 0},
		{1, "ETMVERSION", "1.0=16 1.1=17 1.2=18 1.3=19", 0},
		{2, "ETMVERSION", "2.0=32 2.1=33", 0},
		{1, "PORTSIZE", "4=4 8=8 16=16", 0},
		{1, "HIVECS", "0=0 1=1", 0},
		{1, "ENDIAN", "little=0 big=1", 0},
		{1, "ETBRWP", "", 1<<32 - 1},
		{2, "ETBSTS", "", 1<<32 - 1},
	} {
		options := Options(test.major)
		i := slices.IndexFunc(options, func(o decode.Option) bool { return o.Name == test.name })
		if i < 0 {
			t.Errorf("no option %s", test.name)
			continue
		}
		o := options[i]
		var words []string
		for _, w := range o.Words {
			words = append(words, fmt.Sprintf("%s=%d", w.Word, w.Value))
			if _, _, err := NewConfig(registers{"ETMCR": 0, o.Name: w.Value}, test.major); err != nil {
				t.Errorf("%s=%s: %v", o.Name, w.Word, err)
			}
		}
		if got := strings.Join(words, " "); got != test.words || o.Most != test.most || o.Numbers != (test.most > 0) {
			t.Errorf("ETMv%d, %s: %s, numbers %v up to %d; want %s up to %d", test.major, o.Name, got, o.Numbers, o.Most,
				test.words, test.most)
		}
		for _, try := range o.Try {
			if o.Word(try) == "" {
				t.Errorf("%s: %d is worth trying, but has no word", o.Name, try)
			}
		}
	}
	if d := Defaults(); len(d) != 1 || d[0].Register != "ETMCR" || d[0].Value != 0x10 {
		t.Errorf("defaults %v", d)
	}
	if got := Layout(200).String(); got != "200" {
		t.Errorf("layout %s", got)
	}
}
