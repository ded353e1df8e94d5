package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tracelake/tracelake/bench/encode/perfdata"
	"github.com/tracelake/tracelake/bench/generate"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/schema"
)

// writeRecording writes perf.data, what perf records of a program, and the program below root.
func writeRecording(t *testing.T, dir string) {
	t.Helper()
	const pid, base, bias = 1000, 0x40_0000, 0x30_0000
	w, err := generate.GeneratedWorkload(codegen.Options{Seed: 1, Bytes: 1 << 12, Base: base, Arch: program.V8A, Security: schema.NonSecure})
	if err != nil {
		t.Fatal(err)
	}
	w.Tasks, w.Handlers = w.Tasks[:1], nil
	w.Tasks[0].ContextID = pid
	recipe := generate.Recipe{Protocol: "etmv4", Minor: 2, ContextIDBytes: 4, Instructions: 1000, Cores: 1}
	c, err := recipe.Capture(w)
	if err != nil {
		t.Fatal(err)
	}
	s := &perfdata.Session{Version: 1}
	file := generate.PerfFile{Name: "/bin/program", BuildID: bytes.Repeat([]byte{7}, 20), Regions: w.Memory, Bias: bias}
	s.Exec(pid, "program")
	file.Map(s, pid, false)
	if err := c.RecordPerf(t.Context(), s, generate.PerfThread{PID: pid, TID: pid}); err != nil {
		t.Fatal(err)
	}
	r, err := s.Recording()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	program := filepath.Join(dir, "root", file.Name)
	if err := errors.Join(
		r.Write(&b), os.WriteFile(filepath.Join(dir, "perf.data"), b.Bytes(), 0o666),
		os.MkdirAll(filepath.Dir(program), 0o777), os.WriteFile(program, file.ELF(), 0o666),
	); err != nil {
		t.Fatal(err)
	}
}
