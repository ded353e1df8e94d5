package pipeline

import (
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/pipeline/probe"
)

// What each capture can answer is what its README says of its registers; for the rest
// the answer is what to set, or why nothing can be.
func TestAnswers(t *testing.T) {
	const (
		cycles   = "ETMCR[12], cycle-accurate tracing"
		contexts = "ETMCR[15:14], ContextIDSize, to 0b11"
		waypoint = "a PTM traces the outcome of waypoints, which are branches, and of no other instruction"
	)
	for _, tt := range []struct {
		capture, source string
		yes             []decode.Question
		no              map[decode.Question]string // how what to set, or why not, begins
	}{
		{
			"", "0x10",
			[]decode.Question{decode.AskCycles, decode.AskTimestamps, decode.AskContexts},
			map[decode.Question]string{decode.AskData: "a PTM traces no data", decode.AskConditions: waypoint},
		},
		{
			"opencsd-TC2", "0x10",
			[]decode.Question{decode.AskCycles, decode.AskTimestamps, decode.AskConditions},
			map[decode.Question]string{decode.AskContexts: contexts, decode.AskData: "ETMCR[3:2], data access, to 0b11"},
		},
		{
			"opencsd-TC2", "0x13",
			[]decode.Question{decode.AskCycles, decode.AskTimestamps},
			map[decode.Question]string{decode.AskContexts: contexts, decode.AskConditions: waypoint},
		},
		{
			"opencsd-tc2-ptm-rstk-t32", "0x02", nil,
			map[decode.Question]string{decode.AskCycles: cycles, decode.AskTimestamps: "ETMCR[28], timestamp enable",
				decode.AskContexts: contexts},
		},
		{
			"am243x-r5f-etmv3-freertos-002b37c", "0x10",
			[]decode.Question{decode.AskConditions},
			map[decode.Question]string{decode.AskCycles: cycles, decode.AskTimestamps: "ETMv3.3 has no timestamps: ETMv3.5 has",
				decode.AskContexts: contexts},
		},
	} {
		t.Run(tt.capture+" "+tt.source, func(t *testing.T) {
			dir := ""
			if tt.capture == "" {
				dir = sampleSnapshot(t)
			} else {
				dir = shared.File(t, "captures/"+tt.capture)
			}
			in, err := Inspect(t.Context(), dir, capture.Options{})
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(in.Sources, func(s probe.SourceInspection) bool { return s.Source == tt.source })
			answers := in.Sources[i].Answers
			if len(answers) != 5 {
				t.Fatalf("%d answers", len(answers))
			}
			for _, a := range answers {
				if yes := slices.Contains(tt.yes, a.Question); yes != a.Yes || yes && a.Set+a.Why != "" ||
					!yes && (a.Set == "") == (a.Why == "") {
					t.Errorf("%+v", a)
				}
				if want := tt.no[a.Question]; !strings.HasPrefix(a.Set+a.Why, want) {
					t.Errorf("%s: %q, want %q", a.Question, a.Set+a.Why, want)
				}
			}
		})
	}
}
