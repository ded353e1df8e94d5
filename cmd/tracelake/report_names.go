package main

import (
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
)

// newNamer returns what makes these names short.
func newNamer(names []report.Name) *answer.Namer {
	return answer.NewNamer(len(names), func(i int) *report.Name { return &names[i] })
}
