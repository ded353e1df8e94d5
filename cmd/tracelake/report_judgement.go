package main

import (
	"strings"

	"github.com/tracelake/tracelake/pipeline/report/lost"
	"github.com/tracelake/tracelake/pipeline/report/page"
	"github.com/tracelake/tracelake/pipeline/report/trust"
	"github.com/tracelake/tracelake/schema"
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

// The objects of the judgement, and of what report trust --json has besides.
type (
	jsonJudgement struct {
		Judgement string        `json:"judgement"`
		Findings  []jsonFinding `json:"findings"`
	}
	jsonFinding struct {
		Kind  string `json:"kind"`
		Count int64  `json:"n"`
		Of    *int64 `json:"out_of"`
	}
	jsonTrustReport struct {
		reportHead
		Losses  []jsonLoss   `json:"losses"`
		Buffers []jsonBuffer `json:"buffers"`
		Gaps    []jsonPlace  `json:"gaps"`
	}
	jsonPlace struct {
		Directory string `json:"directory"`
		Source    string `json:"source"`
		Seq       int64  `json:"seq"`
	}
	jsonLoss struct {
		Reason string `json:"reason"`
		Losses int64  `json:"losses"`
		Bytes  int64  `json:"bytes"`
	}
	jsonBuffer struct {
		Directory string        `json:"directory"`
		Buffer    string        `json:"buffer"`
		Bytes     int64         `json:"bytes"`
		Lost      []jsonStretch `json:"lost"`
	}
	jsonStretch struct {
		Offset int64 `json:"offset"`
		Bytes  int64 `json:"bytes"`
	}
)

func judgementObject(t *trust.Summary) jsonJudgement {
	j, found := t.Judge()
	o := jsonJudgement{Judgement: j.String(), Findings: []jsonFinding{}}
	for i := range found {
		f := jsonFinding{Kind: found[i].Kind.String(), Count: found[i].N}
		if found[i].Of > 0 {
			f.Of = &found[i].Of
		}
		o.Findings = append(o.Findings, f)
	}
	return o
}

func trustReportObject(q *question, lost *lost.Summary) any {
	o := &jsonTrustReport{
		reportHead: q.reportHead("trust"), Losses: []jsonLoss{}, Buffers: []jsonBuffer{},
		Gaps: []jsonPlace{},
	}
	for _, r := range lost.Reasons {
		o.Losses = append(o.Losses, jsonLoss{r.Reason.String(), r.Losses, r.Bytes})
	}
	for _, b := range lost.Buffers {
		x := jsonBuffer{b.Dir, b.Name, b.Bytes, []jsonStretch{}}
		for _, s := range b.Stretches {
			x.Lost = append(x.Lost, jsonStretch(s))
		}
		o.Buffers = append(o.Buffers, x)
	}
	for _, g := range lost.Gaps {
		o.Gaps = append(o.Gaps, jsonPlace{g.Dir, schema.SourceText(g.Source), g.Seq})
	}
	return o
}
