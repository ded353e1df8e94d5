package main

import (
	"strings"

	"github.com/tracelake/tracelake/pipeline/report/lost"
	"github.com/tracelake/tracelake/pipeline/report/trust"
)

// lost writes why bytes were lost, and where trace started again.
func (s *screen) lost(t *trust.Summary, lost *lost.Summary) {
	var reasons, gaps []string
	for _, r := range lost.Reasons {
		reasons = append(reasons, count(r.Bytes, t.Unit())+" "+r.Words())
	}
	for _, g := range atMost(lost.Gaps, defaultTop) {
		gaps = append(gaps, thousands(g.Seq))
	}
	if len(reasons) > 0 {
		s.paragraph("lost       ", strings.Join(reasons, ", "))
	}
	if len(gaps) > 0 {
		s.paragraph("gaps       ", "trace started again at seq "+strings.Join(gaps, ", "))
	}
}
