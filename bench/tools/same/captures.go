package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/bench/internal/splitmix"
	"github.com/tracelake/tracelake/bench/sample"
)

// made is how many captures synth makes.
const made = 200

// A job is a capture of which a list is made.
type job struct {
	name string
	// make writes the capture to the working directory of c, and returns what to give export:
	// INPUT and flags, with paths below that directory.
	make func(ctx context.Context, c commands) (input []string, err error)
	// damage is of which seed the damage is that the trace has suffered; 0: none.
	damage uint64
}

// captures returns the jobs of a run.
func (s *settings) captures() ([]job, error) {
	jobs := []job{{name: "sample", make: makeSample}, {name: "sample-damaged", make: makeSample, damage: 1}}
	if !s.tenth {
		silicon, err := s.silicon()
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, silicon...)
	}
	for i := range made {
		if s.tenth && i%10 != i/10%10 { // one of ten, of every protocol
			continue
		}
		j := job{name: fmt.Sprintf("made-%03d", i), make: recipe(i).make}
		if splitmix.Hash(uint64(i), 0)%4 == 0 {
			j.name, j.damage = j.name+"-damaged", uint64(i+1)
		}
		jobs = append(jobs, j)
	}
	return slices.DeleteFunc(jobs, func(j job) bool { return !s.only.MatchString(j.name) }), nil
}

// silicon returns a job for each capture beside the checkout, and one for it damaged.
func (s *settings) silicon() (jobs []job, err error) {
	files, err := filepath.Glob(filepath.Join(s.shared, "*", "*"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		fmt.Fprintf(os.Stderr, "same: no captures of silicon in %s: they are left out\n", s.shared)
	}
	for _, path := range files {
		if base := filepath.Base(path); base != "snapshot.ini" && base != "perf.data" {
			continue
		}
		dir := filepath.Dir(path)
		name := filepath.Base(dir)
		copied := func(_ context.Context, c commands) ([]string, error) { return copySilicon(dir, c.dir) }
		jobs = append(jobs, job{name: name, make: copied}, job{name: name + "-damaged", make: copied, damage: 1})
	}
	return jobs, nil
}

func makeSample(_ context.Context, c commands) ([]string, error) {
	return []string{"input"}, sample.Extract(filepath.Join(c.dir, "input"))
}

// copySilicon copies a capture, without its listings.
func copySilicon(from, to string) ([]string, error) {
	if err := os.CopyFS(filepath.Join(to, "input"), os.DirFS(from)); err != nil {
		return nil, err
	}
	if err := os.RemoveAll(filepath.Join(to, "input", "expected")); err != nil {
		return nil, err
	}
	input := []string{"input"}
	if _, err := os.Stat(filepath.Join(to, "input", "perf.data")); err == nil {
		input[0] = "input/perf.data"
	}
	elves, err := filepath.Glob(filepath.Join(to, "input", "*.elf"))
	for _, path := range elves {
		input = append(input, "-e", "input/"+filepath.Base(path))
	}
	return input, err
}

// A recipe is the number of a capture that synth makes: its hashes decide its flags.
type recipe int

// chance returns a number below n for a property of the capture.
func (r recipe) chance(property string, n int) int {
	h := uint64(0)
	for _, c := range []byte(property) {
		h = splitmix.Hash(h, uint64(c))
	}
	return int(splitmix.Hash(h, uint64(r)) % uint64(n))
}

// protocols are those of synth: half of the captures are of the two of today's cores.
var protocols = []string{"pft", "etmv3", "pft", "etmv3", "etmv2", "etmv1"}

// flags returns the flags of synth.
func (r recipe) flags() []string {
	protocol := protocols[int(r)%len(protocols)]
	flags := []string{"--protocol", protocol, "--seed", fmt.Sprint(int(r) + 1)}
	flags = append(flags, "--instructions", fmt.Sprint(4000+8000*r.chance("length", 4)))
	add := func(one int, property string, flag ...string) bool {
		yes := r.chance(property, one) == 0
		if yes {
			flags = append(flags, flag...)
		}
		return yes
	}
	add(2, "cycles", "--cycle-accurate")
	add(3, "context", "--context-id", "4", "--switches", "300")
	add(4, "broadcast", "--branch-broadcast")
	add(3, "exceptions", "--exceptions", "5000")
	add(3, "off", "--trace-off", "500")
	add(3, "overflow", "--overflow", "300")
	add(5, "debug", "--debug", "200")
	add(3, "code", "--code-bytes", "60000")
	switch protocol {
	case "pft", "etmv3":
		add(3, "timestamps", "--timestamps")
		add(4, "sources", "--sources", "3")
		ring := add(5, "ring", "--ring", "4096")
		if !ring {
			add(3, "vary", "--vary", "0.2")
		}
		add(8, "profile", "--profile", "M")
	default:
		flags = append(flags, "--port", []string{"4", "8", "16"}[r.chance("port", 3)])
		add(3, "vary", "--vary", "0.2")
	}
	if protocol == "pft" {
		add(2, "stack", "--return-stack")
	} else {
		add(3, "data", "--data", []string{"address", "value", "both"}[r.chance("what", 3)])
	}
	return flags
}

// make makes the capture. Flags that do not go together are dropped from the end.
func (r recipe) make(ctx context.Context, c commands) ([]string, error) {
	flags := r.flags()
	for {
		synth, err := c.run(ctx, append([]string{"synth", "-o", "synth", "--overwrite", "--quiet"}, flags...)...)
		if err != nil {
			return nil, err
		}
		if synth.code == 0 {
			break
		}
		if len(flags) <= 6 {
			return nil, fmt.Errorf("synth %s: %s", strings.Join(flags, " "), synth.stderr)
		}
		last := len(flags) - 1
		for last > 6 && !strings.HasPrefix(flags[last], "--") {
			last--
		}
		flags = flags[:last]
	}
	text, err := os.ReadFile(filepath.Join(c.dir, "synth", "capture", "export.txt"))
	if err != nil {
		return []string{"synth/snapshot"}, nil // of a protocol that has snapshots
	}
	// "tracelake export INPUT FLAGS -o run", with paths from the folder of the capture's.
	input := strings.Fields(string(text))
	input = slices.Delete(input, len(input)-2, len(input))[2:]
	for i := range input {
		if strings.HasPrefix(input[i], "capture/") {
			input[i] = "synth/" + input[i]
		}
	}
	return input, nil
}

// traceNames are the names of files of trace.
var traceNames = []string{
	"trace.bin", "capture.etms", "tbr.bin", "tpiu.bin", "cstrace.bin", "PTM_0_2.bin", "session1.bin", "perf.data",
	"etb.bin",
}

// spoil damages the files of trace below a folder: bits flip, bytes are cut out and put in.
func spoil(dir string, seed uint64) error {
	return filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || !slices.Contains(traceNames, e.Name()) {
			return err
		}
		p, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for k := uint64(0); k < 3 && len(p) > 0; k++ {
			at := int(splitmix.Hash(seed, 3*k) % uint64(len(p)))
			end := min(at+int(splitmix.Hash(seed, 3*k+1)%40), len(p))
			switch (k + seed) % 3 {
			case 0:
				p[at] ^= 1 << (splitmix.Hash(seed, 3*k+2) % 8)
			case 1:
				p = slices.Delete(p, at, end)
			case 2:
				p = slices.Insert(p, at, slices.Clone(p[at:end])...)
			}
		}
		return os.WriteFile(path, p, 0o644)
	})
}
