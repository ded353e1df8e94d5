package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"

	"github.com/tracelake/tracelake/bench/generate"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/capture"
)

// A demoSample is a capture of the demo.
type demoSample struct {
	input   string // snapshot directory or raw file
	flags   string // for the program, if the input lacks it
	options capture.Options
}

// writeDemoSample writes the sample in a protocol into dir, in place of what is there.
// That of pft is carried by the command; in other protocols the same tasks are
// traced anew, as QEMU recorded them on a core that has the protocol.
func writeDemoSample(ctx context.Context, protocol, dir string) (*demoSample, error) {
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if protocol == "pft" {
		s := &demoSample{input: dir, options: capture.Options{Symbols: []string{filepath.Join(dir, sample.ELF)}}}
		return s, sample.Extract(dir)
	}
	made, err := traceSample(ctx, protocol, dir)
	if err != nil {
		return nil, err
	}
	if made.Cores[0].Port == nil {
		elf := filepath.Join(dir, sample.ELF)
		s := &demoSample{input: dir, options: capture.Options{Symbols: []string{elf}}}
		return s, os.WriteFile(elf, sample.Program(), 0o644)
	}
	elf := filepath.Join(dir, sample.ARM926ELF)
	s := &demoSample{input: filepath.Join(dir, made.Cores[0].Port.Name()), flags: " -e " + elf, options: capture.Options{ELFs: []string{elf}}}
	return s, os.WriteFile(elf, sample.ARM926(), 0o644)
}

// traceSample traces the recorded execution of the sample into dir.
func traceSample(ctx context.Context, protocol, dir string) (*generate.Capture, error) {
	_, newest := generate.Versions(protocol)
	minor, err := strconv.Atoi(newest[len("1."):])
	if err != nil {
		return nil, err
	}
	r := &generate.Recipe{Protocol: protocol, Minor: minor, CycleAccurate: true, ContextIDBytes: 4, Timestamps: protocol == "etmv3"}
	w, err := generate.SampleWorkload(r.Arch())
	if err != nil {
		return nil, err
	}
	c, err := r.Capture(w)
	if err != nil {
		return nil, err
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return nil, err
	}
	made, err := os.MkdirTemp(parent, "")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(made) // the truth
	if _, err := c.Write(ctx, made); err != nil {
		return nil, err
	}
	return c, os.Rename(filepath.Join(made, c.Folder()), dir)
}
