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
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/bench/repeat"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
)

// A subject is a capture that is decoded.
type subject struct {
	name     string
	dir      string           // a snapshot, or a sample file; "": it is generated
	recipe   *generate.Recipe // nil: it is not
	workload func(*generate.Recipe) (*generate.Workload, error)
	beside   *subject // the same execution in another protocol; nil: there is none
	// kept is how many instructions of a copy OpenCSD counts though the trace cancels
	// them (docs/conformance.md).
	kept int64

	input  string   // the snapshot or sample file, repeated
	images []string // its program, of a sample file
	list   string   // what the driver reads of it
	copies int64
	runs   map[string][]measured // by mode, in the order of rounds
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
		{name: "ETE", dir: in("ete-trace_file_cid_vmid")},
		{name: "ETE-cycles", dir: in("ete-src_addr")},
	}
}

func generated() []*subject {
	pft := generate.Recipe{
		Seed: 1, Instructions: generatedInstructions, Framing: generate.NoFrames, Protocol: "pft",
		Minor: 1, ReturnStack: true,
	}
	etmv3 := generate.Recipe{
		Seed: 1, Instructions: generatedInstructions, Framing: generate.NoFrames, Protocol: "etmv3",
		Minor: 5,
	}
	etmv4 := generate.Recipe{
		Seed:         5, // half of its code executes; that of others stays in a loop
		Instructions: generatedInstructions, Framing: generate.NoFrames, Protocol: "etmv4", Minor: 2, ReturnStack: true,
	}
	cycles := func(r generate.Recipe) *generate.Recipe { r.CycleAccurate = true; return &r }
	return []*subject{
		{name: "synth-pft", recipe: &pft, workload: madeUp},
		{name: "synth-etmv3", recipe: &etmv3, workload: madeUp},
		{name: "synth-pft-cycles", recipe: cycles(pft), workload: madeUp},
		{name: "synth-etmv3-cycles", recipe: cycles(etmv3), workload: madeUp},
		{name: "synth-etmv4", recipe: &etmv4, workload: madeUp},
		{name: "synth-etmv4-cycles", recipe: cycles(etmv4), workload: madeUp},
	}
}

// madeUp is the program of a generated capture.
func madeUp(r *generate.Recipe) (*generate.Workload, error) {
	return generate.GeneratedWorkload(codegen.Options{Seed: r.Seed, Bytes: codeBytes, Base: codeBase, Arch: r.Arch()})
}

// subjects are the captures that are asked for.
func (o *options) subjects(out io.Writer) ([]*subject, error) {
	if o.ports > 0 {
		return ports(o.ports), nil
	}
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

// prepare makes the capture that is decoded, with at least so many instructions, in a folder
// of its own.
func (s *subject) prepare(work string, instructions float64) error {
	if s.recipe != nil {
		if err := s.generate(filepath.Join(work, "generated")); err != nil {
			return err
		}
	}
	s.input, s.list = filepath.Join(work, "repeated"), filepath.Join(work, "list")
	once := filepath.Join(work, "once")
	if s.images != nil {
		s.input, once = s.dir, s.dir
	} else if err := repeat.Snapshot(s.dir, once, 1); err != nil {
		return err
	}
	totals, err := s.count(once)
	if err != nil {
		return err
	}
	if totals.Instructions == 0 {
		return fmt.Errorf("%s: there are no instructions in it", s.dir)
	}
	s.copies = int64(math.Ceil(instructions / float64(totals.Instructions)))
	if s.images != nil {
		return repeat.Samples(s.input, int(s.copies))
	}
	return repeat.Snapshot(s.dir, s.input, int(s.copies*totals.Bytes))
}

// count decodes a capture.
func (s *subject) count(input string) (schema.Totals, error) {
	return pipeline.Count(context.Background(), input,
		pipeline.CountOptions{Capture: capture.Options{Images: s.images}, Workers: 1})
}

// generate writes the capture of the recipe, and sets its directory, and the program of one of
// a trace port.
func (s *subject) generate(to string) error {
	w, err := s.workload(s.recipe)
	if err != nil {
		return err
	}
	c, err := s.recipe.Capture(w)
	if err != nil {
		return err
	}
	if _, err := c.Write(context.Background(), to); err != nil {
		return err
	}
	in := c.Input(to)
	s.dir, s.images = in.Path, in.Images
	return os.RemoveAll(filepath.Join(to, generate.TruthFolder))
}

// check decodes with both sides and says what each counts. It fails if they differ but
// for what OpenCSD is known to count wrongly.
func (s *subject) check(driver string, out io.Writer) error {
	if err := writeList(s.list, s.input); err != nil {
		return err
	}
	totals, err := s.count(s.input)
	if err != nil {
		return err
	}
	var theirs driverRun
	if err := process(exec.Command(driver, s.list, null), &theirs); err != nil {
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
		s.runs = map[string][]measured{}
	}
	for _, mode := range modes {
		args := []string{"-one", mode}
		for _, image := range s.images {
			args = append(args, "-image", image)
		}
		c := exec.Command(os.Args[0], append(args, s.input)...)
		if mode == null || mode == csv {
			c = exec.Command(driver, s.list, mode)
		}
		var r measured
		if err := process(c, &r); err != nil {
			return err
		}
		s.runs[mode] = append(s.runs[mode], r)
	}
	return nil
}
