package generate

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Programs made up are traced with exceptions and switches of tasks: the stacks and tasks that are rebuilt are those
// that the executor knows, at all levels.
func TestStacksAreTrue(t *testing.T) {
	captures, paths := 0, int64(0)
	for seed := range need.Size[uint64](24, 1000) {
		r := stackRecipe(rand.New(rand.NewPCG(seed, 's')))
		dir := t.TempDir()
		c := stackCapture(t, &r)
		var symbols []string
		if seed%2 == 1 {
			name := filepath.Join(dir, "symbols.elf")
			if err := os.WriteFile(name, symbolFile(&c.Cores[0]), 0o644); err != nil {
				t.Fatal(err)
			}
			symbols = []string{name}
		} else {
			c.Cores[0].Functions = nil
		}
		_, err := c.Write(t.Context(), dir)
		if errors.Is(err, errLost) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v, %+v", seed, err, r)
		}
		captures++
		for _, level := range []schema.Level{schema.LevelBlocks, schema.LevelNone} {
			out := filepath.Join(dir, level.String())
			input, opt := c.exportOptions(dir)
			opt.Level, opt.Workers, opt.Capture.Symbols = level, 2, symbols
			if _, err := pipeline.Export(t.Context(), input, out, opt); err != nil {
				t.Fatal(err)
			}
			v := compare(t, out, filepath.Join(dir, TruthFolder))
			for i := range v.Tables {
				x := &v.Tables[i]
				if x.Table != schema.Stacks.Name && x.Table != schema.Tasks.Name {
					continue
				}
				paths += x.Compared
				if n := x.Differences(); n > 0 || x.Lacking {
					t.Errorf("seed %d, %+v, level %s: %d of %d rows of %s differ", seed, r, level, n, x.TruthRows, x.Table)
				}
			}
			if !v.Equal() {
				for _, d := range v.Differences {
					t.Logf("%s %s: %s: %q, want %q", d.Table, d.Key, d.Column, d.Dataset, d.Truth)
				}
				break
			}
		}
	}
	t.Logf("%d captures, %d paths and tasks compared", captures, paths)
	if captures < 12 {
		t.Errorf("the core got lost in all but %d", captures)
	}
}

// stackRecipe is one of a PTM or an ETMv3 whose stacks are known.
func stackRecipe(random *rand.Rand) Recipe {
	yes := func() bool { return random.IntN(2) == 0 }
	r := Recipe{
		Seed: random.Uint64(), Instructions: 40_000, Protocol: "pft", Minor: random.IntN(2), Stacks: true,
		CycleAccurate: yes(), Timestamps: yes(), ContextIDBytes: []int{0, 1, 2, 4}[random.IntN(4)], Broadcast: random.IntN(4) == 0,
		Exceptions: []float64{0, 300, 3000}[random.IntN(3)],
	}
	if r.ContextIDBytes > 0 {
		r.Switches = []float64{0, 200, 2000}[random.IntN(3)]
	}
	switch r.Protocol = Protocols()[random.IntN(4)]; r.Protocol {
	case "pft":
		r.ReturnStack = yes()
	case "etmv3":
		r.Minor = random.IntN(6)
		r.Timestamps = r.Timestamps && r.Minor >= 5
		r.AltBranch = r.Minor >= 4 && yes()
	case "etmv2":
		r.Timestamps = false
	case "etmv1":
		r.Minor, r.Timestamps = random.IntN(4), false
		r.Samples.CoprocessorWords = 1
		if r.Minor < 2 {
			r.ContextIDBytes, r.Switches = 0, 0
		}
	}
	return r
}

// stackCapture traces a program made up.
func stackCapture(t *testing.T, r *Recipe) *Capture {
	t.Helper()
	o := codegen.Options{Seed: r.Seed, Bytes: 10_000, Base: 0x8000, Arch: r.Arch(), Switches: true}
	if o.Arch == program.V7A {
		o.Security = schema.NonSecure
	}
	o.HighVectors = o.Arch == program.V5TE && r.Seed%4 == 0
	w, err := GeneratedWorkload(o)
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.Capture(w.Looped())
	if err != nil {
		t.Fatal(err)
	}
	c.Cores[0].Functions = functionsOf(w)
	return c
}

// functionsOf are the functions of a program made up, but for one in five; code of handlers and vectors is in none.
func functionsOf(w *Workload) (all []Function) {
	end := w.Memory[0].Address + schema.Address(len(w.Memory[0].Bytes))
	for i, f := range slices.Backward(w.Targets) {
		if i%5 != 3 {
			all = append(all, Function{f.Address, uint32(end - f.Address)})
		}
		end = f.Address
	}
	slices.Reverse(all)
	return all
}

// symbolFile is the ELF file of a core's program, with symbols of its functions.
func symbolFile(core *TracedCore) []byte {
	code := core.Memory[0]
	names, symbols := []byte{0}, make([]elf.Sym32, 1)
	for _, f := range core.Functions {
		symbols = append(symbols, elf.Sym32{
			Name: uint32(len(names)), Value: uint32(f.Address), Size: f.Size, Info: elf.ST_INFO(elf.STB_GLOBAL, elf.STT_FUNC), Shndx: 1,
		})
		names = fmt.Appendf(names, "f%x\x00", f.Address)
	}
	const header, section, symbol = 52, 40, 16
	sections := []elf.Section32{
		{},
		{Type: uint32(elf.SHT_PROGBITS), Flags: uint32(elf.SHF_ALLOC | elf.SHF_EXECINSTR), Addr: uint32(code.Address), Size: uint32(len(code.Bytes))},
		{Type: uint32(elf.SHT_SYMTAB), Size: uint32(len(symbols) * symbol), Link: 3, Info: 1, Entsize: symbol},
		{Type: uint32(elf.SHT_STRTAB), Size: uint32(len(names))},
	}
	at := uint32(header + len(sections)*section)
	for i := range sections[1:] {
		sections[i+1].Off = at
		at += sections[i+1].Size
	}
	var file bytes.Buffer
	for _, part := range []any{
		&elf.Header32{
			Ident: [16]byte{0x7F, 'E', 'L', 'F', 1, 1, 1}, Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_ARM), Version: 1,
			Shoff: header, Ehsize: header, Shentsize: section, Shnum: uint16(len(sections)), Shstrndx: 3,
		}, sections, code.Bytes, symbols, names,
	} {
		_ = binary.Write(&file, binary.LittleEndian, part) // into memory
	}
	return file.Bytes()
}

// Instructions of one node moved to another are found, and named by task and path.
func TestWrongStacksAreFound(t *testing.T) {
	r := Recipe{Seed: 3, Instructions: 5000, Protocol: "pft", Stacks: true, Exceptions: 3000}
	dirs := [2]string{t.TempDir(), t.TempDir()}
	for i, dir := range dirs {
		c := stackCapture(t, &r)
		if i == 1 {
			steps := c.Cores[0].Steps
			c.Cores[0].Steps = func(yield func(step.Step, error) bool) {
				n := 0
				for s, err := range steps {
					if s.Moves == step.Returns {
						if n++; n == 5 {
							s.Moves = step.Stays // so the caller's instructions are those of the callee
						}
					}
					if !yield(s, err) {
						return
					}
				}
			}
		}
		if _, err := c.Write(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
	}
	v := compare(t, filepath.Join(dirs[1], TruthFolder), filepath.Join(dirs[0], TruthFolder))
	wrong := 0
	for i := range v.Tables {
		if x := &v.Tables[i]; x.Differences() > 0 && x.Table != schema.Stacks.Name {
			t.Errorf("%s differs, too", x.Table)
		} else if x.Columns[schema.Stacks.Columns[schema.StacksInstructions].Name] > 1 {
			wrong++
		}
	}
	if wrong != 1 || !strings.HasPrefix(v.Differences[0].Key, "task=0x") || !strings.Contains(v.Differences[0].Key, "path=root 0x") {
		t.Errorf("%d tables have wrong instructions; %+v", wrong, v.Differences)
	}
}

// Programs made up are traced in windows, by trace that goes off or by overflows: what is on each stack is on that of the
// executor. Two things may be wrong, of few instructions. What a function jumps to lies below the function that was called, in
// place of the function that jumped: of the first one of a stretch nobody saw whether it was called or jumped to. And a stack may
// be taken for one from before the gap: where trace was off and restarts where it stopped, or where a kept one is joined.
func TestStacksAfterGaps(t *testing.T) {
	var all, replaced, taken, paths int64
	for seed := range need.Size[uint64](12, 300) {
		random := rand.New(rand.NewPCG(seed, 'w'))
		r := stackRecipe(random)
		c := stackCapture(t, &r)
		core := &c.Cores[0]
		window := []struct{ seen, lost int }{{61, 400}, {1000, 1000}, {5000, 500}}[random.IntN(3)]
		jumps := map[string]bool{}
		core.Steps = noteJumps(core, jumps)
		how := []step.Tracing{step.TraceOff, step.Overflowed}[random.IntN(2)]
		core.Steps = windows(core.Steps, window.seen, window.lost, how)
		dir := t.TempDir()
		symbols := filepath.Join(dir, "symbols.elf")
		if err := os.WriteFile(symbols, symbolFile(core), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Write(t.Context(), dir); errors.Is(err, errLost) {
			continue
		} else if err != nil {
			t.Fatalf("seed %d: %v, %+v", seed, err, r)
		}
		out := filepath.Join(dir, "dataset")
		input, opt := c.exportOptions(dir)
		opt.Level, opt.Workers, opt.Capture.Symbols = schema.LevelNone, 2, []string{symbols}
		if _, err := pipeline.Export(t.Context(), input, out, opt); err != nil {
			t.Fatal(err)
		}
		truth, got := endsOf(t, filepath.Join(dir, TruthFolder), core), endsOf(t, out, core)
		for path := range got.whole {
			paths++
			more := got.ends[path] - truth.ends[path]
			if more <= 0 {
				continue
			}
			if jumped(path, jumps) {
				replaced += more
				continue
			}
			taken += more
			t.Logf("seed %d, %+v, %+v: %d instructions of %d, not %d: %s", seed, r, window, more, got.ends[path], truth.ends[path], path)
			if how == step.Overflowed && joined(t, out) == 0 {
				t.Error("no stack was taken for one from before the gap")
			}
		}
		all += got.ends[""]
	}
	t.Logf("%d paths of %d instructions; %d are below what was jumped to, %d on a stack from before the gap", paths, all, replaced, taken)
	if all == 0 || float64(replaced+taken) > 0.008*float64(all) {
		t.Error("more than 0.8 % contradict the truth")
	}
}

// noteJumps notes from which functions the core jumps into which, as in paths.
func noteJumps(core *TracedCore, jumps map[string]bool) step.Steps {
	steps, functions := core.Steps, stackRows{program: core.Functions}
	return func(yield func(step.Step, error) bool) {
		for s, err := range steps {
			from, to := functions.text(s.At.Address), functions.text(s.Next.Address)
			if !s.Entered && s.Moves == step.Stays && from != to {
				jumps[to+"~ "+from] = true
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// jumped says whether a path has jumps, all of which the core did.
func jumped(path string, jumps map[string]bool) bool {
	functions, n := strings.Fields(path), 0
	for i := range len(functions) - 1 {
		if to, from := functions[i], strings.TrimSuffix(functions[i+1], "~"); strings.HasSuffix(to, "~") {
			if !jumps[to+" "+from] {
				return false
			}
			n++
		}
	}
	return n > 0
}

// joined is how many stretches of a dataset were taken to go on with a stack from before the gap.
func joined(t *testing.T, dir string) (n int64) {
	t.Helper()
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for b, err := range d.Batches(&schema.Tasks) {
		if err != nil {
			t.Fatal(err)
		}
		for row := range b.Rows() {
			n += int64(schema.TasksJoined.At(b, row))
		}
	}
	return n
}

// windows traces some instructions, and some not, and so on.
func windows(steps step.Steps, seen, lost int, how step.Tracing) step.Steps {
	return func(yield func(step.Step, error) bool) {
		n := 0
		for s, err := range steps {
			if n%(seen+lost) >= seen {
				s.Trace = how
			}
			if !s.Entered {
				n++
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// ends are paths of calls, and what executed instructions in how many.
type ends struct {
	whole map[string]bool
	ends  map[string]int64 // by the end of a path: the innermost functions
}

// endsOf reads the stacks of a dataset. Functions are what a path has, and that there was an exception; code of no function
// is any, and the last of it, where a stretch may begin, nothing. What jumped to another function, F~, may be missing.
func endsOf(t *testing.T, dir string, core *TracedCore) *ends {
	t.Helper()
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	x := &ends{map[string]bool{}, map[string]int64{}}
	var nodes []stackEnd
	functions := stackRows{program: core.Functions}
	for b, err := range d.Batches(&schema.Stacks) {
		if err != nil {
			t.Fatal(err)
		}
		for row := range b.Rows() {
			n := stackEnd{parent: -1, text: functions.text(schema.StacksAddress.At(b, row))}
			if parent := &b.Columns[schema.StacksParent]; !parent.Null(row) {
				n.parent = int(parent.U32[row])
			}
			entry := schema.StackEntry(schema.StacksEntry.At(b, row))
			if n.jumped = entry == schema.StackTail; entry == schema.StackException {
				n.text = "!"
			}
			nodes = append(nodes, n)
			if own := int64(schema.StacksInstructions.At(b, row)); own > 0 {
				x.add(nodes, len(nodes)-1, own)
			}
		}
	}
	return x
}

// text is what paths have of the function of an address.
func (s *stackRows) text(at schema.Address) string {
	function, begins := s.functionOf(at)
	if function == noFunction {
		return "?"
	}
	return fmt.Sprintf("%x", begins)
}

type stackEnd struct {
	parent int
	text   string
	jumped bool
}

// add adds what a node executed to all ends of its path.
func (x *ends) add(nodes []stackEnd, node int, own int64) {
	seen := map[string]bool{}
	var walk func(at int, path string)
	walk = func(at int, path string) {
		seen[path] = true
		if at < 0 || nodes[at].parent < 0 && nodes[at].text == "?" {
			x.whole[path] = true
			return
		}
		n := &nodes[at]
		if !n.jumped {
			walk(n.parent, path+" "+n.text)
			return
		}
		walk(n.parent, path+" "+n.text+"~")
		walk(nodes[n.parent].parent, path+" "+n.text)
	}
	walk(node, "")
	for path := range seen {
		x.ends[path] += own
	}
}
