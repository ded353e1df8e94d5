package etmv4

import (
	"testing"

	"github.com/tracelake/tracelake/decode"
)

// What a stream can answer follows from the registers: the other questions say what to set, or why nothing helps.
func TestAnswers(t *testing.T) {
	never := map[decode.Question]bool{decode.AskData: true, decode.AskConditions: true}
	for _, tt := range []struct {
		registers Registers
		traced    map[decode.Question]bool
	}{
		{juno.with(0, 0), nil},
		{juno.with(1<<4, 0), map[decode.Question]bool{decode.AskCycles: true}},
		{juno.with(1<<6, 0), map[decode.Question]bool{decode.AskContexts: true}},
		{models.with(1<<11, 0), map[decode.Question]bool{decode.AskTimestamps: true}},
	} {
		c, _, err := NewConfig(tt.registers)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range c.Answers() {
			if a.Traced != tt.traced[a.Question] || (a.Why != "") != never[a.Question] || (a.Set != "") == never[a.Question] {
				t.Errorf("TRCCONFIGR=0x%X: %+v", tt.registers.CONFIGR, a)
			}
		}
	}
	for _, a := range micro.Answers() {
		if a.Question == decode.AskContexts && a.Why == "" {
			t.Error("a trace unit without Context ID does not say so")
		}
	}
}
