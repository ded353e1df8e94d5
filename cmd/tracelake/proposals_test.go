package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
)

// A proposer runs commands in its directory, and what they propose.
type proposer struct {
	t       *testing.T
	program string // of the capture; "" if there is none
	capture string
	seen    map[string]bool
	ran     int // proposals
}

// try runs a command, and demands that all works that its output proposes, and that theirs does.
func (p *proposer) try(line string) (status int) {
	p.seen[line] = true
	var stdout, stderr bytes.Buffer
	status = run(strings.Fields(line), &stdout, &stderr)
	for _, next := range proposed(stdout.String()+"\n"+stderr.String(), line) {
		if next = p.fill(next); p.seen[next] {
			continue
		}
		p.ran++
		if status := p.try(next); status != statusDone {
			p.t.Errorf("%s\nproposes %s\nwhich exits with %d: %s", line, next, status, p.said(next))
		}
	}
	return status
}

// said is what a command says on standard error.
func (p *proposer) said(line string) string {
	var stdout, stderr bytes.Buffer
	run(strings.Fields(line), &stdout, &stderr)
	return stderr.String()
}

// fill puts names in the place of what the user has to name. Without a program there are packets only.
func (p *proposer) fill(line string) string {
	if p.program == "" {
		line = strings.Replace(line, "-e PROGRAM.elf", "--packets-only", 1)
	}
	line = strings.NewReplacer("PROGRAM.elf", p.program, "CAPTURE", p.capture).Replace(line)
	before, _, _ := strings.Cut(line, " | ")
	return before
}

var (
	commandLine = regexp.MustCompile(`(?m)^ +(tracelake [a-z].*)$`)
	inSentence  = regexp.MustCompile(`tracelake report quality|tracelake inspect CAPTURE`)
	outputOf    = regexp.MustCompile(` (?:-o|--output) (\S+)`)
)

// proposed returns the commands that an output proposes: lines, and some in sentences, which leave out the
// dataset or the capture that the output is of.
func proposed(output, of string) (lines []string) {
	for _, m := range commandLine.FindAllStringSubmatch(output, -1) {
		lines = append(lines, m[1])
	}
	words := strings.Fields(of)
	about := words[min(len(words)-1, 2)]
	if words[1] == "report" {
		about = words[min(len(words)-1, 3)]
	}
	if m := outputOf.FindStringSubmatch(of); m != nil {
		about = m[1]
	}
	for _, line := range inSentence.FindAllString(output, -1) {
		if line == "tracelake report quality" {
			line += " " + about
		}
		lines = append(lines, line)
	}
	return lines
}

// newProposer returns one in a new directory, with the capture at a path.
func newProposer(t *testing.T, capture, program string) *proposer {
	t.Chdir(t.TempDir())
	t.Setenv("COLUMNS", "1000")
	return &proposer{t: t, program: program, capture: capture, seen: map[string]bool{}}
}

// reports are the commands that are asked for of each dataset, whether they can answer or not.
var reports = []string{
	"inspect %s", "verify %s", "report trust %s", "report quality %s", "report coverage %s", "report exceptions %s", "report calls %s",
	"report last %s",
}

// Every command that an output proposes works: of inspect and of the reports, of each snapshot and of each
// file beside it. Of large captures that takes seconds each: the last three are for a long run,
// since they propose what others of their kind do.
func TestProposals(t *testing.T) {
	for _, tt := range []struct {
		capture, program string // below ../shared/captures
		files            []string
		least            int // proposals
		large            bool
	}{
		{"opencsd-trace_cov_a15", "", []string{"PTM_0_2.bin", "device1.ini", "trace.ini"}, 4, false},
		{"stm32f105-m3-etmv34-itm-swo", "trace_example.elf", []string{"tpiu.bin", "trace_example.elf", "cpu_0.ini"}, 4, false},
		{"ete-src_addr", "", []string{"session1.bin"}, 0, false},
		{"etm4-juno-uname-002", "", []string{"trace.bin", "uname.bin"}, 0, false},
		{"etm4-juno_r1_1", "", []string{"cstrace.bin", "cstraceitm.bin"}, 0, false},
		{"perf-simpleperf-kernel", "", []string{"perf.data"}, 0, false},
		{"opencsd-TC2", "", []string{"cstrace.bin", "kernel_dump.bin"}, 4, true},
		{"opencsd-tc2-ptm-rstk-t32", "", []string{"PTM_0_2.bin"}, 3, true},
		{"am243x-r5f-etmv3-freertos-002b37c", "freertos.elf", []string{"tbr.bin"}, 3, true},
		{"am243x-r5f-etmv3-threadx-002b37c", "../am243x-r5f-etmv3-threadx-ce42d22/threadx.elf", nil, 2, true},
		{"am243x-r5f-etmv3-threadx-ce42d22", "threadx.elf", []string{"tbr.bin"}, 3, true},
		{"lpc1769-m3-etmv34-smoothieware", "", []string{"tpiu.bin", "README.md"}, 3, true},
		{"am243x-r5f-etmv3-zephyr-e9185a9", "zephyr.elf", []string{"tbr.bin"}, 3, true},
	}[:need.Size(10, 13)] {
		t.Run(tt.capture, func(t *testing.T) {
			if tt.large {
				need.FullRun(t, "takes seconds")
			}
			dir, program := shared.File(t, "captures/"+tt.capture), ""
			if tt.program != "" {
				program = filepath.Join(dir, tt.program)
			}
			ran := 0
			for _, input := range append([]string{dir}, inDir(dir, tt.files)...) {
				p := newProposer(t, dir, program)
				p.try("tracelake inspect " + input)
				p.reports(t)
				ran += p.ran
			}
			if ran < tt.least {
				t.Errorf("%d proposals, want %d at least", ran, tt.least)
			}
		})
	}
}

func inDir(dir string, files []string) []string {
	files = slices.Clone(files)
	for i := range files {
		files[i] = filepath.Join(dir, files[i])
	}
	return files
}

// reports asks for all reports of the datasets that proposals made.
func (p *proposer) reports(t *testing.T) {
	datasets, err := filepath.Glob("*/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range datasets {
		for _, r := range reports {
			if line := "tracelake " + fmt.Sprintf(r, filepath.Dir(m)); !p.seen[line] {
				p.try(line)
			}
		}
	}
}

// So does what the demo, synth and inspect of the sample propose, of the sample and of a directory.
func TestProposalsOfSample(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "capture")
	if err := sample.Extract(dir); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, sample.ELF)
	for _, line := range []string{
		"inspect " + dir, "inspect " + filepath.Dir(dir), "inspect " + program, "inspect " + filepath.Join(dir, "ptm_0.ini"),
		"demo", "demo --protocol etmv1 -o etmv1", "demo --protocol etmv3 -o etmv3", "demo --protocol etmv4 -o etmv4",
		"synth --protocol pft --instructions 2000 -o pft", "synth --protocol etmv3 --instructions 2000 -o etmv3",
		"synth --protocol etmv2 --instructions 2000 -o etmv2", "synth --protocol etmv1 --instructions 2000 -o etmv1",
	} {
		t.Run(line, func(t *testing.T) {
			if strings.HasPrefix(line, "demo --protocol") {
				need.FullRun(t, "takes seconds")
			}
			p := newProposer(t, dir, program)
			if status := p.try("tracelake " + line); status != statusDone || p.ran == 0 {
				t.Errorf("exits with %d, %d proposals", status, p.ran)
			}
			p.reports(t)
		})
	}
}
