package pft

import (
	"testing"

	"github.com/tracelake/tracelake/decode"
)

// What a stream can answer follows from the registers.
func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		etmcr  uint32
		traced map[decode.Question]bool
	}{
		{0, map[decode.Question]bool{}},
		{1 << 12, map[decode.Question]bool{decode.AskCycles: true}},
		{3 << 14, map[decode.Question]bool{decode.AskContexts: true}},
	} {
		c, _, err := NewConfig(tt.etmcr, 0, 0x411CF312)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range c.Answers() {
			never := a.Question == decode.AskData || a.Question == decode.AskConditions
			if a.Traced != tt.traced[a.Question] || (a.Why != "") != never || (a.Set != "") == never {
				t.Errorf("ETMCR=0x%X: %+v", tt.etmcr, a)
			}
		}
	}
}

// Packets that no PTM sends with these registers, though they can be read.
func TestDoubtful(t *testing.T) {
	for _, tt := range []struct {
		name   string
		config Config
		packet []byte
		want   bool
	}{
		{"I-sync", Config{Minor: 1}, []byte{0x08, 0, 0x10, 0, 0, 0x29}, false},
		{"bit 0 of the information clear", Config{Minor: 1}, []byte{0x08, 0, 0x10, 0, 0, 0x28}, true},
		{"VMID", Config{Minor: 1}, []byte{0x3c, 1}, false},
		{"VMID of 1.0", Config{}, []byte{0x3c, 1}, true},
		{"exception return of 1.0", Config{}, []byte{0x76}, true},
		{"cut off", Config{Minor: 1}, []byte{0x08, 0, 0x10}, false},
		{"atom", Config{Minor: 1}, []byte{0x84}, false},
	} {
		if got := tt.config.Doubts()(tt.packet); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
