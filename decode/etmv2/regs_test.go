package etmv2

import (
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/decodetest"
)

// bound binds the protocol to registers and options, as words.
func bound(t *testing.T, words map[string]string) (*Config, error) {
	t.Helper()
	f, registers := Family(), decodetest.Registers{"ETMCR": 0x10, "ETMVERSION": 0x20}
	for name, word := range words {
		v, ok := f.Option(name).Parse(word)
		if !ok {
			t.Fatalf("%s=%s is none of %s", name, word, f.Option(name).Known())
		}
		registers[name] = v
	}
	p, _, err := f.Bind(decode.Source{Registers: registers})
	if err != nil {
		return nil, err
	}
	return p.(*Config), nil
}

// The options of docs/etmv2.md §10, with their defaults.
func TestOptions(t *testing.T) {
	for _, tt := range []struct {
		words map[string]string
		want  Config // the options alone
		text  string // of Words
	}{
		{nil, Config{}, "TFO=flag FIRST=same TFOLOW=zero"},
		{map[string]string{"TFO": "plain"}, Config{TFO: TFOPlain}, "TFO=plain FIRST=same TFOLOW=zero"},
		{map[string]string{"FIRST": "next", "TFOLOW": "any"}, Config{First: FirstNext, TFOLow: 1}, "TFO=flag FIRST=next TFOLOW=any"},
		{map[string]string{"GAP": "none", "PORTSIZE": "4"}, Config{Gap: GapNone}, "TFO=flag FIRST=same GAP=none TFOLOW=zero"},
		{map[string]string{"TFO": "auto", "FIRST": "auto", "GAP": "auto", "PORTSIZE": "4"}, Config{}, "TFO=auto FIRST=auto GAP=auto TFOLOW=zero"},
	} {
		c, err := bound(t, tt.words)
		if err != nil {
			t.Fatalf("%v: %v", tt.words, err)
		}
		if c.TFO != tt.want.TFO || c.First != tt.want.First || c.Gap != tt.want.Gap || c.TFOLow != tt.want.TFOLow {
			t.Errorf("%v: %+v", tt.words, c)
		}
		if words := strings.Join(c.Words(), " "); !strings.HasSuffix(words, tt.text) {
			t.Errorf("%v: %s, want %s", tt.words, words, tt.text)
		}
	}
}

func TestBindFails(t *testing.T) {
	for _, r := range []decodetest.Registers{
		{"ETMCR": 0x10, "ETMVERSION": 0x12}, // ETMv1
		{"ETMCR": 0x10, "TFO": 3},
		{"ETMCR": 0x10, "TFOLOW": 2}, // has no auto
	} {
		if _, _, err := Bind(decode.Source{Registers: r}); err == nil {
			t.Errorf("%v was bound", r)
		}
	}
}

func TestProtocol(t *testing.T) {
	c, err := bound(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.UnitBytes() != 4 || c.AheadBytes() != 4*1024 || c.TimestampCode().Bits != 0 || c.Version() != "2.0" {
		t.Errorf("%d bytes a unit, %d ahead, version %s", c.UnitBytes(), c.AheadBytes(), c.Version())
	}
	if n, ok := c.Resync(nil); n != 0 || !ok {
		t.Errorf("Resync: %d, %t", n, ok)
	}
	var protocol decode.Protocol = c
	for _, implements := range []bool{is[decode.Layouter](protocol), is[decode.Listing](protocol), is[decode.Tuner](protocol), is[decode.Answerer](protocol)} {
		if !implements {
			t.Error("an interface is missing")
		}
	}
	if f := Family(); f.Name != "etmv2" || f.Major.V != 1 || !f.Unframed || len(f.Settings) == 0 {
		t.Errorf("family %+v", f)
	}
}

func is[T decode.Protocol](p decode.Protocol) bool {
	_, ok := p.(T)
	return ok
}

// What a source answers follows from ETMCR; there are no timestamps (docs/etmv2.md §1).
func TestAnswers(t *testing.T) {
	for etmcr, want := range map[uint64][]decode.Question{
		0x0010: {decode.AskConditions},
		0x1010: {decode.AskCycles, decode.AskConditions},
		0xC014: {decode.AskContexts, decode.AskData, decode.AskConditions},
	} {
		p, _, err := Bind(decode.Source{Registers: decodetest.Registers{"ETMCR": etmcr, "ETMVERSION": 0x21}})
		if err != nil {
			t.Fatal(err)
		}
		var traced []decode.Question
		for _, a := range p.(decode.Answerer).Answers() {
			switch {
			case a.Traced:
				traced = append(traced, a.Question)
			case a.Set == "" && a.Why == "":
				t.Errorf("%s: neither why nor what to set", a.Question)
			}
		}
		if !slices.Equal(traced, want) {
			t.Errorf("ETMCR=%#x: %v, want %v", etmcr, traced, want)
		}
	}
}
