package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema/dataset"
)

func TestStatus(t *testing.T) {
	for _, tt := range []struct {
		err     error
		status  int
		message string
	}{
		{nil, 0, ""},
		{fs.ErrPermission, 1, "permission denied"},
		{&dataset.ExistsError{Dir: "out", Problem: "is full", Remedy: "empty it"}, 1, "out is full; empty it"},
		{usage("--level x", "is not known", "see the levels"), 2, "--level x: is not known; see the levels"},
		{errDifferent, 3, "the dataset differs from the truth"},
		{&pipeline.NothingError{Causes: []string{"no A-sync"}}, 4, "nothing was decoded: no A-sync"},
		{&capture.InputError{File: "a.bin", Problem: "is empty", Remedy: "trace", Err: capture.ErrEmpty}, 4, "a.bin: is empty; trace"},
		{fmt.Errorf("source 0x13: %w", context.Canceled), 130, "interrupted"},
		{errors.Join(context.Canceled, fs.ErrPermission), 130, "interrupted"},
		{errors.Join(errors.New("disk full"), fs.ErrPermission), 1, "disk full; permission denied"}, // one line
	} {
		if got := status(tt.err); got != tt.status {
			t.Errorf("status(%v) = %d, want %d", tt.err, got, tt.status)
		}
		if tt.err == nil {
			continue
		}
		if got := message(tt.err); got != tt.message {
			t.Errorf("message(%v) = %q, want %q", tt.err, got, tt.message)
		}
	}
}
