package etmv3

import (
	"testing"

	"github.com/tracelake/tracelake/decode"
)

// What a stream can answer follows from the registers (IHI 0014Q §3.5) and the
// version.
func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		etmcr, etmidr uint32
		traced        map[decode.Question]bool
		why           decode.Question // that nothing can be set for
	}{
		{0, 0x4104F250, map[decode.Question]bool{decode.AskConditions: true}, ""},
		{0, 0x4104F240, map[decode.Question]bool{decode.AskConditions: true}, decode.AskTimestamps},
		{1 << 12, 0x4104F250, map[decode.Question]bool{decode.AskConditions: true, decode.AskCycles: true}, ""},
		{1 << 14, 0x4104F250, map[decode.Question]bool{decode.AskConditions: true, decode.AskContexts: true}, ""},
		{1 << 2, 0x4104F250, map[decode.Question]bool{decode.AskConditions: true, decode.AskData: true}, ""},
		{1<<20 | 3<<2 | 1<<12, 0x4104F250, map[decode.Question]bool{decode.AskData: true}, ""}, // data only: no atoms
	} {
		c, _, err := NewConfig(tt.etmcr, 0, tt.etmidr, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range c.Answers() {
			if a.Traced != tt.traced[a.Question] || (a.Why != "") != (a.Question == tt.why) {
				t.Errorf("ETMCR=0x%X: %+v", tt.etmcr, a)
			}
		}
	}
}

// Packets that no ETM sends with these registers, though they can be read.
func TestDoubtful(t *testing.T) {
	for _, tt := range []struct {
		name   string
		config Config
		packet []byte
		want   bool
	}{
		{"I-sync", Config{Minor: 4}, []byte{0x08, 0x21, 0, 0x10, 0, 0}, false},
		{"bit 0 of the information clear", Config{Minor: 4}, []byte{0x08, 0x20, 0, 0x10, 0, 0}, true},
		{"Context ID before it", Config{Minor: 4, ContextIDBytes: 1}, []byte{0x08, 0x20, 0x21, 0, 0x10, 0, 0}, false},
		{"I-sync with a count", Config{Minor: 4, CycleAccurate: true}, []byte{0x70, 0x05, 0x21, 0, 0x10, 0, 0}, false},
		{"a count in it, but no bit 0", Config{Minor: 4, CycleAccurate: true}, []byte{0x70, 0x05, 0x20, 0, 0x10, 0, 0}, true},
		{"a count in the wrong mode", Config{Minor: 4}, []byte{0x70, 0x05, 0x21, 0, 0x10, 0, 0}, true},
		{"cycle count", Config{Minor: 4}, []byte{0x04, 0x05}, true},
		{"timestamp", Config{Minor: 5}, []byte{0x42, 0x05}, false},
		{"timestamp of an old version", Config{Minor: 4}, []byte{0x42, 0x05}, true},
		{"cut off", Config{Minor: 4}, []byte{0x08, 0x20}, false},
		{"P-header", Config{Minor: 4}, []byte{0x84}, false},
	} {
		if got := tt.config.Doubts()(tt.packet); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
