package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/tracelake/tracelake/bench/generate"
	"github.com/tracelake/tracelake/bench/measure"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/bench/repeat"
	"github.com/tracelake/tracelake/pipeline"
)

// A subject is a capture that both sides decode.
type subject struct {
	name   string
	dir    string           // a snapshot; "": it is generated
	recipe *generate.Recipe // nil: it is not
	// kept is how many instructions of a copy OpenCSD counts though the trace cancels
	// them (docs/conformance.md).
	kept int64

	input  string // the snapshot, repeated
	list   string // what the driver reads of it
	copies int64
	runs   map[string][]measure.Run // by mode, in the order of rounds
}

// The captures. Those of silicon have a name in the folder of all of them.
const (
	codeBytes             = 400_000
	generatedInstructions = 2_000_000
	codeBase              = 0x8000
)

func silicon(folder string) []*subject {
	in := func(name string) string { return filepath.Join(folder, name) }
	return []*subject{
		{name: "rstk", dir: in("opencsd-tc2-ptm-rstk-t32")},
		{name: "freertos", dir: in("am243x-r5f-etmv3-freertos-002b37c"), kept: 1},
		{name: "TC2", dir: in("opencsd-TC2")},
	}
}

func generated() []*subject {
	pft := generate.Recipe{Seed: 1, Instructions: generatedInstructions, Framing: generate.NoFrames, Protocol: "pft",
		Minor: 1, ReturnStack: true}
	etmv3 := generate.Recipe{Seed: 1, Instructions: generatedInstructions, Framing: generate.NoFrames, Protocol: "etmv3",
		Minor: 5}
	cycles := func(r generate.Recipe) *generate.Recipe { r.CycleAccurate = true; return &r }
	return []*subject{
		{name: "synth-pft", recipe: &pft},
		{name: "synth-etmv3", recipe: &etmv3},
		{name: "synth-pft-cycles", recipe: cycles(pft)},
		{name: "synth-etmv3-cycles", recipe: cycles(etmv3)},
	}
}

// subjects are the captures that are asked for.
func (o *options) subjects(out io.Writer) ([]*subject, error) {
	var all []*subject
	if o.silicon != "" {
		all = silicon(o.silicon)
	} else {
		fmt.Fprintln(out, "captures of silicon are left out: -silicon DIR says where they are")
	}
	all = append(all, generated()...)
	if len(o.names) == 0 {
		return all, nil
	}
	var chosen []*subject
	for _, name := range o.names {
		i := slices.IndexFunc(all, func(s *subject) bool { return s.name == name })
		if i >= 0 {
			chosen = append(chosen, all[i])
			continue
		}
		if _, err := os.Stat(name); err != nil {
			return nil, fmt.Errorf("capture %q is neither known nor a snapshot directory: %w", name, err)
		}
		chosen = append(chosen, &subject{name: filepath.Base(name), dir: name})
	}
	return chosen, nil
}

// prepare makes the capture that is decoded, with at least so many instructions, and
// what the driver reads of it, in a folder of its own.
func (s *subject) prepare(work string, instructions float64) error {
	if s.recipe != nil {
		var err error
		if s.dir, err = generateCapture(work, s.recipe); err != nil {
			return err
		}
	}
	once := filepath.Join(work, "once")
	if err := repeat.Snapshot(s.dir, once, 1); err != nil {
		return err
	}
	totals, err := pipeline.Count(context.Background(), once, pipeline.CountOptions{Workers: 1})
	if err != nil {
		return err
	}
	if totals.Instructions == 0 {
		return fmt.Errorf("%s: there are no instructions in it", s.dir)
	}
	s.copies = int64(math.Ceil(instructions / float64(totals.Instructions)))
	s.input, s.list = filepath.Join(work, "repeated"), filepath.Join(work, "list")
	if err := repeat.Snapshot(s.dir, s.input, int(s.copies*totals.Bytes)); err != nil {
		return err
	}
	return writeList(s.list, s.input)
}

// generateCapture writes a capture made by a recipe, and returns its snapshot.
func generateCapture(work string, r *generate.Recipe) (dir string, err error) {
	w, err := generate.GeneratedWorkload(codegen.Options{Seed: r.Seed, Bytes: codeBytes, Base: codeBase, Arch: r.Arch()})
	if err != nil {
		return "", err
	}
	c, err := r.Capture(w)
	if err != nil {
		return "", err
	}
	to := filepath.Join(work, "generated")
	if _, err := c.Write(context.Background(), to); err != nil {
		return "", err
	}
	return filepath.Join(to, c.Folder()), os.RemoveAll(filepath.Join(to, generate.TruthFolder))
}

// check decodes with both sides and says what each counts. It fails if they differ but
// for what OpenCSD is known to count wrongly.
func (s *subject) check(driver string, out io.Writer) error {
	totals, err := pipeline.Count(context.Background(), s.input, pipeline.CountOptions{Workers: 1})
	if err != nil {
		return err
	}
	var theirs driverRun
	if err := measure.Process(exec.Command(driver, s.list, null), &theirs); err != nil {
		return err
	}
	kept := s.copies * s.kept
	fmt.Fprintf(out, "%s: %d copies, %d bytes of trace; %d instructions; OpenCSD %s: %d in %d elements, %d fatal errors",
		s.name, s.copies, totals.Bytes, totals.Instructions, theirs.Version, theirs.Instructions, theirs.Elements,
		theirs.Fatals)
	if kept > 0 {
		fmt.Fprintf(out, "; %d of them are cancelled in the trace, and OpenCSD keeps them", kept)
	}
	fmt.Fprintln(out)
	if theirs.Instructions != totals.Instructions+kept || theirs.Fatals > 0 {
		return fmt.Errorf("OpenCSD counts %d instructions with %d fatal errors, where %d and none are expected: the two "+
			"sides do not do the same work",
			theirs.Instructions, theirs.Fatals, totals.Instructions+kept)
	}
	return nil
}

// round runs all modes once, each in a process of its own.
func (s *subject) round(driver string, modes []string) error {
	if s.runs == nil {
		s.runs = map[string][]measure.Run{}
	}
	for _, mode := range modes {
		c := exec.Command(os.Args[0], "-one", mode, s.input)
		if mode == null || mode == csv {
			c = exec.Command(driver, s.list, mode)
		}
		var r measure.Run
		if err := measure.Process(c, &r); err != nil {
			return err
		}
		s.runs[mode] = append(s.runs[mode], r)
	}
	return nil
}
