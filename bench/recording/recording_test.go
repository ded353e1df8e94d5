package recording_test

import (
	"io"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/internal/benchtest"
	"github.com/tracelake/tracelake/bench/recording"
	"github.com/tracelake/tracelake/schema"
)

func TestReadRecordingRefuses(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"no end", "00008000 a32 1\n", "cut short"},
		{"an unknown word", "nonsense\n", "line 1: cannot read"},
		{"an unknown instruction set", "00008000 a48 1\n", `unknown instruction set "a48"`},
		{"an unknown exception", "! fault 00008000 a32 00000010 a32\n", `unknown exception "fault"`},
		{"a position outside the run", "00008000 a32 1 4\n. 00008004 a32\n", "no instruction 4 in a run of 1"},
		{"a jump that is none", "00008000 a32 1\n. 00008008 a32\n", "line 2: 0x00008000 a32"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			program := benchtest.Program(t, "8000:0000a0e1")
			var err error
			for _, err = range recording.Read(strings.NewReader(tt.text), program, schema.Secure) {
				continue
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// A recording has no steps that are not traced.
func TestWriteRecordingRefuses(t *testing.T) {
	err := recording.Write(io.Discard, benchtest.ParseSteps(t, "8000:0000a0e10000a0e1", "8000 8004/off"))
	if err == nil || !strings.Contains(err.Error(), "the step at 0x00008004 a32 is not traced") {
		t.Errorf("error %v", err)
	}
}
