package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/frame"
)

// The README tells the truth: the commands in it run, on the sample under the
// names it uses, and the demo prints what it shows.
func TestREADME(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	readmeInputs(t, dir)
	commands := 0
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if !strings.HasPrefix(line, "    tracelake ") {
			continue
		}
		commands++
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", strings.TrimSpace(line), err, out)
		}
	}
	if commands < 4 {
		t.Errorf("%d commands in the README, want 4", commands)
	}

	demo := exec.Command("tracelake", "demo")
	demo.Dir = dir
	out, err := demo.Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, append([]byte("```\n"), append(out, "```\n"...)...)) {
		t.Errorf("the README does not show what the demo prints:\n%s", out)
	}
}

// readmeInputs makes the files the README's commands name.
func readmeInputs(t *testing.T, dir string) {
	t.Helper()
	capture := filepath.Join(dir, "CAPTURE")
	if err := sample.Extract(capture); err != nil {
		t.Fatal(err)
	}
	framed, err := os.ReadFile(filepath.Join(capture, "trace.bin"))
	if err != nil {
		t.Fatal(err)
	}
	elf, err := os.ReadFile(filepath.Join(capture, sample.ELF))
	if err != nil {
		t.Fatal(err)
	}
	log := qemuLogText("40008044", "40008048", "4000804c", "40008044") // a loop of the sample
	for name, content := range map[string][]byte{
		"etb.bin": framed, "ptm.bin": deformatted(t, framed), "firmware.elf": elf, "prog": elf, "prog.log": []byte(log),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// deformatted returns the stream of the sample's source.
func deformatted(t *testing.T, framed []byte) []byte {
	t.Helper()
	truth, err := sample.Truth()
	if err != nil {
		t.Fatal(err)
	}
	var stream []byte
	for r := frame.NewReader(bytes.NewReader(framed), int64(len(framed)), frame.Layout{}, truth.Source); ; {
		piece, err := r.Next()
		if errors.Is(err, io.EOF) {
			return stream
		}
		if err != nil {
			t.Fatal(err)
		}
		stream = append(stream, piece.Data...)
	}
}
