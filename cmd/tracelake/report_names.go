package main

import (
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/schema"
)

// newNamer returns what makes these names short.
func newNamer(names []report.Name) *answer.Namer {
	return answer.NewNamer(len(names), func(i int) *report.Name { return &names[i] })
}

// nullable is a number as JSON has it: null if there is none.
func nullable(n schema.Null[int64]) *int64 {
	if !n.OK {
		return nil
	}
	return &n.V
}
