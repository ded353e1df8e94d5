package main

import (
	"strings"

	"github.com/tracelake/tracelake/pipeline/report/lost"
	"github.com/tracelake/tracelake/pipeline/report/page"
	"github.com/tracelake/tracelake/pipeline/report/trust"
)

// judgement writes what somebody who looks at the figures should do first, as the report page has
// it, with what was lost and where trace went on.
func (s *screen) judgement(t *trust.Summary, lost *lost.Summary) {
	j := page.JudgementOf(t)
	word := j.Word + "."
	if s.UTF8 {
		word = j.Sign + " " + word
	}
	s.paragraph("judgement  ", word+" "+j.Why)
	for _, remedy := range j.Remedies {
		s.paragraph("           ", remedy)
	}
	var reasons, gaps []string
	for _, r := range lost.Reasons {
		reasons = append(reasons, r.Reason.String()+" "+count(r.Bytes, t.Unit()))
	}
	for _, g := range atMost(lost.Gaps, defaultTop) {
		gaps = append(gaps, thousands(g.Seq))
	}
	if len(reasons) > 0 {
		s.paragraph("lost       ", strings.Join(reasons, ", "))
	}
	if len(gaps) > 0 {
		s.paragraph("gaps       ", "trace went on at seq "+strings.Join(gaps, ", "))
	}
}
