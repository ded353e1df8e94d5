package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
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
		{&pipeline.NothingError{Causes: []string{"no A-sync"}}, 4, "Nothing decoded: no A-sync"},
		{&capture.InputError{File: "a.bin", Problem: "is empty", Remedy: "trace", Err: capture.ErrEmpty}, 4, "Nothing decoded: a.bin: is empty; trace"},
		{fmt.Errorf("source 0x13: %w", context.Canceled), 130, "interrupted"},
		{errors.Join(context.Canceled, fs.ErrPermission), 130, "interrupted"},
		{errors.Join(errors.New("disk full"), fs.ErrPermission), 1, "disk full\ntracelake: permission denied"},
		{errors.Join(errors.Join(errors.New("disk full"), fs.ErrExist), fs.ErrPermission), 1, "disk full\ntracelake: file already exists\ntracelake: permission denied"},
		{&pipeline.NothingError{Causes: []string{"source 0x10: no A-sync", "source 0x11: no\nbytes"}}, 4, "Nothing decoded\n  source 0x10: no A-sync\n  source 0x11: no\\u000abytes"},
		{&missingError{"a.bin", "give a file"}, 1, "a.bin: does not exist; give a file"},
	} {
		if got := status(tt.err); got != tt.status {
			t.Errorf("status(%v) = %d, want %d", tt.err, got, tt.status)
		}
		want := ""
		if tt.err != nil {
			want = "tracelake: " + tt.message
		}
		if got := strings.Join(messages(tt.err), "\n"); got != want {
			t.Errorf("messages(%v) = %q, want %q", tt.err, got, want)
		}
	}
}
