package main

import (
	"context"
	"errors"
	"strings"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline"
)

// The exit statuses. They are part of the interface.
const (
	statusDone        = 0
	statusFailed      = 1 // I/O, bad input
	statusUsage       = 2
	statusUnmet       = 3 // done, but a condition that was asked for does not hold
	statusNothing     = 4 // nothing was decoded
	statusInterrupted = 130
)

// status returns the exit status for the error of a command.
func status(err error) int {
	_, nothing := errors.AsType[*pipeline.NothingError](err)
	_, wrong := errors.AsType[*usageError](err)
	switch {
	case err == nil:
		return statusDone
	case errors.Is(err, context.Canceled):
		return statusInterrupted
	case wrong, errors.Is(err, capture.ErrUsage):
		return statusUsage
	case nothing, errors.Is(err, capture.ErrEmpty):
		return statusNothing
	case errors.Is(err, errDifferent):
		return statusUnmet
	}
	return statusFailed
}

// message returns what to tell of an error, in one line.
func message(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}
