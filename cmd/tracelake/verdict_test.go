package main

import (
	"bytes"
	"cmp"
	"debug/elf"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/verdict"
)

// A judgedCapture is what is expected of a capture: in every place the same word, and the exit status of export.
type judgedCapture struct {
	name   string
	input  string // "": the shared capture of that name, with elf
	elf    string
	flags  []string // of export, inspect and report quality
	only   []string // of export alone
	word   verdict.Word
	status int
}

// TestVerdict compares the words of export, inspect, report quality, a report on a screen and as JSON, the page and the
// manifest.
func TestVerdict(t *testing.T) {
	for _, c := range append(silicon(), madeWorse(t)...) {
		if testing.Short() && c.name != "sample" {
			continue
		}
		t.Run(c.name, func(t *testing.T) { c.check(t) })
	}
}

// silicon are the captures of shared.
func silicon() []judgedCapture {
	var all []judgedCapture
	for _, c := range []struct {
		dir, elf string
		word     verdict.Word
		status   int
	}{
		{"am243x-r5f-etmv3-freertos-002b37c", "freertos.elf", verdict.Good, statusDone},
		{"am243x-r5f-etmv3-threadx-ce42d22", "", verdict.Good, statusDone},
		{"am243x-r5f-etmv3-threadx-002b37c", "threadx.elf", verdict.WrongProgram, statusNothing},
		{"am243x-r5f-etmv3-zephyr-e9185a9", "zephyr.elf", verdict.GoodWithGaps, statusDone},
		{"opencsd-TC2", "", verdict.GoodWithGaps, statusDone},
		{"opencsd-tc2-ptm-rstk-t32", "", verdict.Good, statusDone},
		{"opencsd-trace_cov_a15", "", verdict.Good, statusDone},
		{"stm32f105-m3-etmv34-itm-swo", "trace_example.elf", verdict.GoodWithGaps, statusDone},
		{"lpc1769-m3-etmv34-smoothieware", "", verdict.NothingDecoded, statusNothing}, // its memory is 2 bytes
		{"ete-src_addr", "", verdict.GoodWithGaps, statusDone},
	} {
		all = append(all, judgedCapture{name: c.dir, elf: c.elf, word: c.word, status: c.status})
	}
	return all
}

// madeWorse are the sample and what can be wrong with it.
func madeWorse(t *testing.T) []judgedCapture {
	dir := filepath.Join(t.TempDir(), "capture")
	if err := sample.Extract(dir); err != nil {
		t.Fatal(err)
	}
	program, trace := filepath.Join(dir, sample.ELF), filepath.Join(dir, "trace.bin")
	raw := []string{"--protocol", "pft", "--framed", "--reg", "ETMCR=0x30005000", "--reg", "ETMIDR=0x411CF312"}
	image := func(bytes []byte) []string {
		return append([]string{"--image", file(t, bytes) + "@0x40008000"}, raw...)
	}
	whole := append([]string{"-e", program}, raw...)
	bytes := read(t, trace)
	n := len(bytes) / 16 / 16 * 16 // whole frames
	noise := slices.Clone(bytes)
	for at := 1000; at < len(noise); at += 1500 {
		noise[at] ^= 0x10
	}
	return []judgedCapture{
		{"sample", dir, "", nil, nil, verdict.Good, statusDone},
		{"with its ELF file", trace, "", whole, nil, verdict.Good, statusDone},
		{"wrong program", trace, "", image(read(t, program)), nil, verdict.WrongProgram, statusNothing},
		{"half the program", trace, "", image(half(t, program)), nil, verdict.GoodWithGaps, statusDone},
		{"cut", file(t, bytes[:n]), "", whole, nil, verdict.Good, statusDone},
		{"cut at its start", file(t, bytes[n:]), "", whole, nil, verdict.Good, statusDone},
		{"a hole", file(t, slices.Concat(bytes[:4*n], make([]byte, 512), bytes[4*n+512:])), "", whole, nil, verdict.GoodWithGaps, statusDone},
		{"noise", file(t, noise), "", whole, nil, verdict.GoodWithGaps, statusDone},
		{"no decoder", undecoded(t), "", nil, nil, "", statusNothing}, // nothing is judged
		{"empty", file(t, nil), "", whole, nil, "", statusNothing},
		{"zeros", file(t, make([]byte, 4096)), "", []string{"-e", program, "--protocol", "pft", "--reg", "ETMCR=0"}, nil, verdict.NothingDecoded, statusNothing},
		{"no program", trace, "", raw, nil, verdict.PacketsOnly, statusNothing},
		{"packets only", trace, "", raw, []string{"--packets-only"}, verdict.PacketsOnly, statusDone},
		{"wrong register", dir, "", []string{"--reg", "ETMCR=0x10005000"}, nil, verdict.GoodWithGaps, statusDone},
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// file writes a file, and returns its name.
func file(t *testing.T, b []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file.bin")
	if err := os.WriteFile(name, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// undecoded returns the sample as that of a source that is of no protocol which is decoded.
func undecoded(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "capture")
	if err := sample.Extract(dir); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "ptm_0.ini")
	ini := strings.Replace(string(read(t, name)), "type=PTM1.1", "type=STM", 1)
	ini = strings.Replace(ini, "[regs]", "[regs]\nSTMTCSR=0x00100000", 1)
	if err := os.WriteFile(name, []byte(ini), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// half returns the first half of the code of a program, which begins at 0x40008000.
func half(t *testing.T, name string) []byte {
	t.Helper()
	f, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, s := range f.Progs {
		if s.Type == elf.PT_LOAD && s.Vaddr == 0x40008000 {
			b, err := io.ReadAll(s.Open())
			if err != nil {
				t.Fatal(err)
			}
			return b[:1500]
		}
	}
	t.Fatal("no segment at 0x40008000")
	return nil
}

// check finds the word in all places.
func (c *judgedCapture) check(t *testing.T) {
	if c.input == "" {
		c.input = shared.File(t, "captures/"+c.name)
		if c.elf != "" {
			c.flags = []string{"-e", filepath.Join(c.input, c.elf)}
		}
	}
	dir := filepath.Join(t.TempDir(), "run")
	page := filepath.Join(t.TempDir(), "page.html")
	words := map[string]verdict.Word{}
	do := func(place, pattern string, want int, args ...string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if got := run(append([]string{"tracelake"}, args...), &stdout, &stderr); got != want {
			t.Errorf("%s: status %d, want %d: %s", place, got, want, &stderr)
		}
		text := stdout.String() + stderr.String()
		if m := regexp.MustCompile(pattern).FindStringSubmatch(text); m != nil {
			words[place] = verdict.Word(m[1])
		} else {
			words[place] = "none"
			t.Log(text)
		}
	}
	const word = "(Good with gaps|Good|Packets only|Wrong program|Nothing decoded)"
	const line = "(?m)^(?:trust  |tracelake: |tracelake: .*: )" + word + ":"
	do("export", line, c.status, slices.Concat([]string{"export", c.input, "-o", dir, "--level", "none", "--no-progress"}, c.flags, c.only)...)
	if c.word != "" && c.word != verdict.NothingDecoded {
		do("inspect", line, statusDone, slices.Concat([]string{"inspect", c.input}, c.flags)...)
	}
	status := statusDone
	if c.word == verdict.PacketsOnly || c.word == verdict.NothingDecoded || c.word == "" {
		status = statusNothing
	}
	do("quality", "(?m)^.*: "+word+"(?:$|:)", status, slices.Concat([]string{"report", "quality", c.input}, c.flags)...)
	if d, err := dataset.Open(dir); err == nil {
		words["manifest"] = verdict.Word(d.Manifest.Verdict)
		d.Close()
		do("screen", line, c.status, "report", "trust", dir)
		do("JSON", `(?m)^  "verdict": "`+word+`",`, c.status, "report", "trust", dir, "--json")
		do("page", "()", c.status, "report", "html", dir, "-o", page)
		words["page"] = "none"
		if m := regexp.MustCompile(`<details id="trust" class="verdict[^>]*>\n<summary><strong>\S+ ` + word + `\.`).FindSubmatch(read(t, page)); m != nil {
			words["page"] = verdict.Word(m[1])
		}
	} else if c.status == statusDone {
		t.Error(err)
	}
	for place, got := range words {
		if want := cmp.Or(c.word, verdict.NothingDecoded); got != want {
			t.Errorf("%s: %s, want %s", place, got, want)
		}
	}
}
