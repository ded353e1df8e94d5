package main

import (
	"context"
	"errors"
	"strings"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/verdict"
)

// The exit statuses. They are part of the interface.
const (
	statusDone        = 0
	statusFailed      = 1 // I/O, bad input
	statusUsage       = 2
	statusUnmet       = 3 // done, but a condition that was asked for does not hold
	statusNothing     = 4 // nothing was decoded, or with a program that did not run
	statusInterrupted = 130
)

// status returns the exit status for the error of a command.
func status(err error) int {
	_, nothing := errors.AsType[*pipeline.NothingError](err)
	_, wrong := errors.AsType[*usageError](err)
	_, unmet := errors.AsType[*unmetError](err)
	_, refused := errors.AsType[*refusedError](err)
	switch {
	case err == nil:
		return statusDone
	case errors.Is(err, context.Canceled):
		return statusInterrupted
	case wrong, errors.Is(err, capture.ErrUsage):
		return statusUsage
	case nothing, refused, errors.Is(err, capture.ErrEmpty):
		return statusNothing
	case unmet, errors.Is(err, errDifferent), errors.Is(err, errDamaged), errors.Is(err, errUndecoded),
		errors.Is(err, errBelow):
		return statusUnmet
	}
	return statusFailed
}

// messages returns what to print of an error: a line for each cause, the worst
// first.
func messages(err error) []string {
	kept, suspended := errors.AsType[*dataset.SuspendedError](err)
	switch {
	case err == nil:
		return nil
	case suspended && errors.Is(err, context.Canceled):
		return []string{programName + ": interrupted; " + kept.Kept()}
	case errors.Is(err, context.Canceled):
		return []string{programName + ": interrupted"}
	}
	if nothing, ok := errors.AsType[*pipeline.NothingError](err); ok {
		where, found := strings.CutSuffix(err.Error(), nothing.Error())
		if !found || strings.Contains(where, "\n") {
			where = ""
		}
		return nothingMessages(programName+": "+where, nothing)
	}
	var lines []string
	for _, cause := range causes(err) {
		word := ""
		if errors.Is(cause, capture.ErrEmpty) {
			word = string(verdict.NothingDecoded) + ": "
		}
		lines = append(lines, programName+": "+word+oneLine(cause.Error()))
	}
	return lines
}

// nothingMessages says why nothing was decoded, and ranks the memory that would
// change it. where is what the first line begins with.
func nothingMessages(where string, e *pipeline.NothingError) []string {
	lines := []string{where + oneLine(e.Error())}
	if len(e.Causes) > 1 {
		lines = []string{where + e.Verdict()}
		for _, cause := range e.Causes {
			lines = append(lines, "  "+oneLine(cause))
		}
	}
	missing := missingLines(e.Missing)
	if len(missing) > 0 {
		missing = append(missing, "or export --packets-only, which needs no program memory")
	}
	return append(lines, missing...)
}

// causes takes apart what [errors.Join] joined.
func causes(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, err := range joined.Unwrap() {
		all = append(all, causes(err)...)
	}
	return all
}

// oneLine keeps a name with a line feed in it from making a line of its own.
func oneLine(text string) string { return strings.ReplaceAll(text, "\n", `\u000a`) }
