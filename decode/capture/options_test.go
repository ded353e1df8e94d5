package capture

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
)

// pins is a made-up family with options, whose files may say what they are: "PINS",
// then the number of pins.
func pins(name string, magic string) decode.Family {
	return decode.Family{
		Name: name, Types: []string{strings.ToUpper(name)}, ETM: true, Unframed: true,
		Bind: func(decode.Source) (decode.Protocol, []string, error) { return nil, nil, nil },
		Options: []decode.Option{
			{Name: "LAYOUT", Means: "how it lies", Words: []decode.OptionWord{{Word: "flat", Value: 0}, {Word: "packed", Value: 1}, {Word: name, Value: 2}}},
			{Name: "ETBRWP", Means: "where the ring starts", Numbers: true, Most: 99},
		},
		Defaults: []decode.RegisterDefault{{Register: "ETMCR", Value: 0x10, Means: "8 pins"}, {Register: "LAYOUT", Value: 1, Means: "words"}},
		ReadHeader: func(head []byte, size int64, _ decode.Registers) ([]decode.RegisterValue, bool, error) {
			if len(head) < 8 || string(head[:4]) != magic {
				return nil, false, nil
			}
			if head[4] > '3' {
				return nil, false, fmt.Errorf("offset 0x4: %q is no number of pins, expected 0 to 3", head[4])
			}
			return []decode.RegisterValue{{Name: "LAYOUT", Value: 0}, {Name: "ETMCR", Value: uint64(size)}}, true, nil
		},
	}
}

var withPins = append(slices.Clone(decoded), pins("pins1", "PIN1"), pins("pins2", "PIN2"))

// --reg takes the words of the options of the protocol, and shows them as words.
func TestOptions(t *testing.T) {
	t.Chdir(tree{"raw.bin": "0123456789", "one.bin": "PIN1" + "1   ", "bad.bin": "PIN2" + "9   "}.write(t))
	for _, tt := range []struct {
		file string
		opt  Options
		want string // registers, or the error
		warn string
	}{
		{"raw.bin", Options{Protocol: "pins1", Regs: []string{"layout=FLAT", "ETMCR=0x20"}}, "LAYOUT=flat ETMCR=0x00000020", ""},
		{"raw.bin", Options{Protocol: "pins1", Regs: []string{"ETBRWP=0x10", "ETMCR=0"}}, "ETBRWP=0x00000010 ETMCR=0x00000000 LAYOUT=packed", "register LAYOUT is not given: packed is taken (words)"},
		{"raw.bin", Options{Protocol: "pins1", Regs: []string{"LAYOUT=pins2"}}, "--reg LAYOUT=pins2: is no value of LAYOUT (how it lies); known are flat, packed, pins1", ""},
		{"raw.bin", Options{Protocol: "pins1", Regs: []string{"LAYOUT=1"}}, "known are flat, packed, pins1", ""},
		{"raw.bin", Options{Protocol: "pins1", Regs: []string{"ETBRWP=100"}}, "known are numbers from 0 to 99", ""},
		{"raw.bin", Options{Protocol: "pins1", Regs: []string{"LAYOT=flat"}}, "ETMIDR2, LAYOUT, ETBRWP", ""},
		{"raw.bin", Options{Protocol: "pft", Regs: []string{"LAYOUT=flat"}}, "known are ETMCR", ""},
		{"raw.bin", Options{Protocol: "pins1", Framed: true}, "--framed: is given, but formatter frames never carry pins1; leave it out", ""},
		{"raw.bin", Options{Protocol: "pins1", RingStart: new(int64(4)), Regs: []string{"ETBRWP=1"}}, "--ring-start 4: is given beside --reg ETBRWP", ""},
		{"one.bin", Options{}, "LAYOUT=flat ETMCR=0x00000008", ""},
		{"one.bin", Options{Protocol: "pins1", Regs: []string{"LAYOUT=packed", "ETMCR=8"}}, "LAYOUT=packed ETMCR=0x00000008", "LAYOUT=packed is given and holds, but one.bin says flat"},
		{"one.bin", Options{Protocol: "pins2"}, "--protocol pins2: is given, but one.bin says itself that it is pins1; leave it out", ""},
		{"one.bin", Options{Framed: true}, "formatter frames never carry pins1", ""},
	} {
		c, err := Open(tt.file, withPins, tt.opt)
		if err != nil {
			if !strings.Contains(err.Error(), tt.want) || !errors.Is(err, ErrUsage) {
				t.Errorf("%+v: error %v, want usage %q", tt.opt, err, tt.want)
			}
			continue
		}
		if got := c.Sources[0].Registers.String(); got != tt.want {
			t.Errorf("%+v: registers %s, want %s", tt.opt, got, tt.want)
		}
		if tt.warn != "" {
			c.warned(t, tt.warn)
		}
		c.Close()
	}
	_, err := Open("bad.bin", withPins, Options{})
	if want := `bad.bin: offset 0x4: '9' is no number of pins, expected 0 to 3`; err == nil || err.Error() != want || errors.Is(err, ErrUsage) {
		t.Errorf("a bad header: %v, want %s", err, want)
	}
}

// In a snapshot --reg sets an option of the sources that have it; a buffer of one
// source may say what it is.
func TestSnapshotOptions(t *testing.T) {
	files := simple.with(tree{
		"snapshot.ini": strings.Replace(simple["snapshot.ini"], "[trace]", "device2=pins.ini\n[trace]", 1),
		"pins.ini":     "[device]\nname=PINS_0\nclass=trace_source\ntype=PINS1\n[regs]\nETMCR=0x10\nLAYOUT=packed\n",
		"trace.ini": "[trace_buffers]\nbuffers=buffer0,buffer1\n[buffer0]\nname=ETB_0\nfile=etb.bin\nformat=coresight\n[buffer1]\nname=P\nfile=p.bin\nformat=source_data\n" +
			"[source_buffers]\nPTM_0=ETB_0\nPINS_0=P\n",
		"p.bin": "no header",
	})
	open := func(files tree, regs ...string) (*Capture, error) {
		c, err := Open(files.write(t), withPins, Options{Regs: regs})
		if err == nil {
			t.Cleanup(func() { c.Close() })
		}
		return c, err
	}
	for _, tt := range []struct {
		files tree
		regs  []string
		want  string
	}{
		{files, nil, "ETMCR=0x00000010 LAYOUT=packed"},
		{files, []string{"LAYOUT=flat"}, "ETMCR=0x00000010 LAYOUT=flat"},
		{files.with(tree{"p.bin": "PIN1" + "1   "}), nil, "ETMCR=0x00000010 LAYOUT=packed"},
		{files.with(tree{"p.bin": "PIN1" + "1   ", "pins.ini": strings.Replace(files["pins.ini"], "LAYOUT=packed", "", 1)}), nil, "ETMCR=0x00000010 LAYOUT=flat"},
	} {
		c, err := open(tt.files, tt.regs...)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.source(t, "PINS_0").Registers.String(); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.regs, got, tt.want)
		}
		if got := c.source(t, "PTM_0").Registers.String(); strings.Contains(got, "LAYOUT") {
			t.Errorf("the PTM has %s", got)
		}
	}
	if c, err := open(files, "LAYOUT=pins2"); err != nil || !strings.Contains(c.source(t, "PINS_0").Problem, "known are flat, packed, pins1") {
		t.Errorf("a word of another protocol: %v", err)
	}
	for want, files := range map[string]tree{
		"is no setting of any source":                         simple,
		`has the value "round", which is none of LAYOUT`:      files.with(tree{"pins.ini": strings.Replace(files["pins.ini"], "packed", "round", 1)}),
		"P: offset 0x4: '9' is no number of pins, expected 0": files.with(tree{"p.bin": "PIN1" + "9   "}),
	} {
		if _, err := open(files, "LAYOUT=flat"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
