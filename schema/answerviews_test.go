package schema_test

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/views"
)

// program is a program of three functions, two of which have one name. Padding is
// in no function; one instruction is inlined.
var program = dataset{
	&schema.Code: `
		- 0x8000 4 a32 0xe3a00001 other  false -      -   0 .text
		- 0x8004 4 a32 0x12800001 other  true  -      -   0 .text
		- 0x8008 4 a32 0x1afffffc branch true  0x8000 a32 0 .text
		- 0x800c 4 a32 0xeb000003 call   false 0x8020 a32 0 .text
		- 0x8010 4 a32 0xe12fff1e return false -      -   0 .text
		- 0x8014 4 a32 0xe320f000 other  false -      -   - .text
		- 0x8020 4 a32 0xe3500000 other  false -      -   1 .text
		- 0x8024 4 a32 0x0a000001 branch true  0x8030 a32 1 .text
		- 0x8028 4 a32 0xe2800001 other  false -      -   1 .text
		- 0x802c 4 a32 0xe12fff1e return false -      -   1 .text
		- 0x8030 2 t32 0x3001     other  true  -      -   2 .text
		- 0x8032 2 t32 0x4770     return false -      -   2 .text
	`,
	&schema.Functions: `
		- 0 0x8000 20 main main - main.c 1 symbol
		- 1 0x8020 16 twin twin - util.c 1 symbol
		- 2 0x8030  4 twin twin - far.c  1 symbol
	`,
	&schema.Lines: `
		- 0x8000 0 main.c 1 1 true 0 -
		- 0x8004 0 main.c 2 1 true 0 -
		- 0x8008 0 main.c 2 5 true 0 -
		- 0x800c 0 main.c 3 1 true 0 -
		- 0x8010 0 main.c 4 1 true 0 -
		- 0x8020 0 util.c 1 1 true 1 -
		- 0x8024 0 util.c 2 1 true 1 -
		- 0x8028 0 util.h 9 1 true 1 clamp
		- 0x8028 1 util.c 3 1 true 1 -
		- 0x802c 0 util.c 4 1 true 1 -
		- 0x8030 0 far.c  1 1 true 2 -
	`,
	&schema.Images: `
		fw.bin 00 - 0x8000 52 - - 0 memory  -   -
		fw.elf 01 - 0x8000 52 - - 1 symbols 0.995 c0de
	`,
	&schema.Sources: "0x13 cpu0 etmv3 3.5 cpu0 - decoded bytes 1000 990 10 99 1 40 0 2 - - {} 30 29 1 1 0.99 0.9 0.967\n",
}

// with returns a copy of d with other rows in some tables.
func (d dataset) with(other dataset) dataset {
	all := maps.Clone(d)
	maps.Copy(all, other)
	return all
}

// runA reaches all functions: one instruction always fails its condition, of two
// the trace never says it, and one address is no code.
var runA = program.with(dataset{
	&schema.Counts: `
		0x13 0x8000 a32 10 0 0 0 10 -  20
		0x13 0x8004 a32 0 10 0 1 10 -  10
		0x13 0x8008 a32 9  1 0 2 10 40 10
		0x13 0x800c a32 1  0 0 9 0  -  -
		0x13 0x8020 a32 0  0 1 10 0 -  -
		0x13 0x8024 a32 1  0 0 11 0 -  -
		0x13 0x8030 t32 0  2 1 12 0 -  -
		0x13 0x9000 a32 4  0 0 20 0 -  -
		0x13 0x8032 a32 1  0 0 30 0 -  -
	`,
	&schema.Edges: `
		0x13 0x8008 0x8000 branch taken     9 36
		0x13 0x8008 0x800c branch not_taken 1  4
		0x13 0x800c 0x8020 call   taken     1  -
		0x13 0x8024 0x8030 branch taken     1  -
		0x13 0x8024 0x9000 exception taken  1  -
	`,
})

// runB is of the same build; it covers what runA does not.
var runB = program.with(dataset{
	&schema.Counts: `
		0x13 0x8000 a32 1 0 0 0 0 - -
		0x13 0x8010 a32 1 0 0 1 0 - -
		0x13 0x8024 a32 0 3 0 2 0 - -
	`,
	&schema.Edges: `
		0x13 0x8024 0x8028 branch        not_taken 3 -
		0x13 0x800c 0x8020 call          not_taken 5 -
		0x13 0x800c 0xa000 indirect_call taken     2 -
	`,
})

// Coverage of one dataset: an instruction is covered if it ran other than failing
// its condition, functions are told apart by address, padding is not counted.
func TestCoverageViews(t *testing.T) {
	dir := t.TempDir()
	writeDataset(t, filepath.Join(dir, "a"), schema.LevelInstructions, runA)
	viewsTest{directory: dir, views: "a/views.sql", asks: []ask{
		{
			"SELECT datasets, instructions, covered, covered_pct, reached_only, unknown_only, functions, functions_covered, functions_full, functions_pct FROM coverage",
			"1 11 6 54.55 1 2 3 3 0 100",
		},
		{"SELECT lines, lines_covered, lines_pct, branches, outcomes_seen, outcomes_pct FROM coverage", "9 6 66.67 2 3 75"},
		{
			"SELECT decoded_pct, bytes_lost, bytes_unplaced, gaps, outside_executions, image_match, agreement, program_agrees FROM coverage",
			"99 10 99 0 5 0.995 0.967 true",
		},
		{"SELECT function, name, hex8(address), file, line, covered_pct, instructions, covered, reached_only, unknown_only, entries FROM coverage_functions ORDER BY function", `
			0 main 0x00008000 main.c 1 60 5 3 1 0 10
			1 twin 0x00008020 util.c 1 50 4 2 0 1  1
			2 twin 0x00008030 far.c  1 50 2 1 0 1  1
		`},
		{"SELECT file, line, covered, executions, instructions, instructions_covered, reached_only, unknown_only FROM coverage_lines ORDER BY file, line", `
			far.c  1 true  1  1 1 0 1
			main.c 1 true  10 1 1 0 0
			main.c 2 true  9  2 1 1 0
			main.c 3 true  1  1 1 0 0
			main.c 4 false 0  1 0 0 0
			util.c 1 true  1  1 1 0 1
			util.c 2 true  1  1 1 0 0
			util.c 4 false 0  1 0 0 0
			util.h 9 false 0  1 0 0 0
		`},
		{"SELECT file, covered_pct, lines, lines_covered, instructions, instructions_covered, reached_only, unknown_only, outcomes, outcomes_seen FROM coverage_files ORDER BY file", `
			far.c  100   1 1 1 1 0 1 0 0
			main.c 75    4 3 5 3 1 0 2 2
			util.c 66.67 3 2 3 2 0 1 2 1
			util.h 0     1 0 1 0 0 0 0 0
		`},
		{"SELECT hex8(address), name, line, verdict, taken, not_taken, unknown FROM coverage_branches ORDER BY address", `
			0x00008008 main 2 both         9 1 0
			0x00008024 twin 2 always_taken 1 0 0
		`},
		{"SELECT hex8(address), function, file, verdict, passed, failed, unknown FROM coverage_predicated ORDER BY address", `
			0x00008004 0 main.c always_failed 0 10 0
			0x00008030 2 far.c  always_failed 0 2  1
		`},
		{"SELECT hex8(address), bytes, instructions, reached_only, name, whole_function, file, line FROM uncovered ORDER BY address", `
			0x00008004 4 1 1 main false main.c 2
			0x00008010 4 1 0 main false main.c 4
			0x00008028 8 2 0 twin false util.h 9
			0x00008032 2 1 0 twin false -      -
		`},
		{"SELECT source, hex8(address), isa, executions, dataset FROM outside_code ORDER BY address", `
			19 0x00008032 a32 1 a
			19 0x00009000 a32 4 a
		`},
		{"SELECT hex8(address), executed, failed, unknown, executions, timed, cycles, cycles_spread, covered, reached FROM coverage_instructions WHERE address IN (32772, 32776, 32788) ORDER BY address", `
			0x00008004 0 10 0 10 10 -  10 false true
			0x00008008 9  1 0 10 10 40 10 true  true
			0x00008014 0  0 0  0  0 -  -  false false
		`},
	}}.run(t)
}

// Datasets of one build merge: the program is counted once, what ran is summed.
func TestCoverageOfTwoDatasets(t *testing.T) {
	dir := t.TempDir()
	writeDataset(t, filepath.Join(dir, "a"), schema.LevelInstructions, runA)
	writeDataset(t, filepath.Join(dir, "b"), schema.LevelInstructions, runB)
	viewsTest{directory: dir, views: "a/views.sql", datasets: []string{"b", "a"}, asks: []ask{
		{
			"SELECT datasets, instructions, covered, covered_pct, reached_only, functions, lines, lines_covered, branches, outcomes_seen, bytes_lost, decoded_pct FROM coverage",
			"2 11 7 63.64 1 3 9 7 2 4 20 99",
		},
		{"SELECT hex8(address), verdict, taken, not_taken FROM coverage_branches ORDER BY address", "0x00008008 both 9 1\n0x00008024 both 1 3"},
		{"SELECT executions, datasets FROM counts_all WHERE address = 32768", "11 2"},
		{"SELECT hex8(address), taken, not_taken, unknown, taken_pct, targets, taken_cycles, not_taken_cycles FROM branch_outcomes ORDER BY address", `
			0x00008008 9 1 0 90 1 36 4
			0x00008024 1 3 0 25 1 -  -
		`},
		{"SELECT hex8(from_address), caller_name, line, hex8(to_address), callee, callee_name, kind, calls FROM call_edges ORDER BY ALL", `
			0x0000800c main 3 0x00008020 1 twin call          1
			0x0000800c main 3 0x0000a000 - -    indirect_call 2
		`},
		{"SELECT dataset, source, name, line FROM counts JOIN places USING (dataset, source, address) WHERE address = 32784", "b 19 main 4"},
	}}.runBoth(t)
}

// Datasets of two builds stay apart, whatever the names of their functions.
func TestCoverageOfTwoBuilds(t *testing.T) {
	dir := t.TempDir()
	writeDataset(t, filepath.Join(dir, "a"), schema.LevelInstructions, runA)
	writeDataset(t, filepath.Join(dir, "b"), schema.LevelInstructions, runB.with(dataset{
		&schema.Images: "fw.elf 02 - 0x8000 52 - - 0 symbols 0.5 beef\n",
	}))
	viewsTest{directory: dir, views: "a/views.sql", datasets: []string{"a", "b"}, asks: []ask{
		{"SELECT c.datasets, c.instructions, c.covered, c.program_agrees FROM coverage c JOIN builds USING (build) ORDER BY dataset", "1 11 6 true\n1 11 2 false"},
		{"SELECT count(DISTINCT build), count(*) FROM coverage_functions WHERE name = 'twin'", "2 4"},
	}}.run(t)
}

// Each core has its own program, and all have that of every core.
func TestCoverageOfTwoCores(t *testing.T) {
	dir := t.TempDir()
	writeDataset(t, dir, schema.LevelInstructions, dataset{
		&schema.Code: `
			-    0x0100 4 a32 0 other  false - - 0 .rom
			-    0x0104 4 a32 0 call   false - - 0 .rom
			cpu0 0x8000 4 a32 0 other  false - - 0 .text
			cpu0 0x8004 4 a32 0 other  false - - 0 .text
			cpu1 0x8000 4 a32 0 other  false - - 0 .text
			cpu1 0x8004 2 t32 0 other  false - - 0 .text
		`,
		&schema.Functions: `
			-    0 0x0100 8 boot boot - - - symbol
			cpu0 0 0x8000 8 zero zero - - - symbol
			cpu1 0 0x8000 8 one  one  - - - symbol
		`,
		&schema.Images: `
			r.elf 00 - 0x0100 8 - -    0 symbols 1   aa
			0.elf 01 - 0x8000 8 - cpu0 1 symbols 1   bb
			1.elf 02 - 0x8000 8 - cpu1 2 symbols 0.9 cc
		`,
		&schema.Sources: `
			0x13 - - - cpu0 - decoded     bytes 10 10 0 0 1 6 0 0 - - {} 10 1 0 0 1 1 0.1
			0x14 - - - cpu1 - decoded     bytes 10 10 0 0 1 4 0 0 - - {} 18 2 2 0 1 1 0.1
			0x15 - - - -    - unsupported bytes 0  0  0 0 0 0 0 0 - - {} -  - - - - - -
		`,
		&schema.Counts: `
			0x13 0x0100 a32 1 0 0 0 0 - -
			0x13 0x8000 a32 2 0 0 1 0 - -
			0x14 0x0100 a32 3 0 0 0 0 - -
			0x14 0x0104 a32 3 0 0 0 0 - -
			0x14 0x8004 a32 1 0 0 1 0 - -
		`,
		&schema.Edges: "0x14 0x0104 0x8000 call taken 3 -\n",
	})
	viewsTest{directory: dir, views: "views.sql", asks: []ask{
		{"SELECT core, name, instructions, covered, entries FROM coverage_functions ORDER BY name", "- boot 2 2 4\ncpu1 one 2 0 0\ncpu0 zero 2 1 2"},
		{"SELECT core, hex8(address), executions FROM counts_all ORDER BY ALL", `
			cpu0 0x00000100 1
			cpu0 0x00008000 2
			cpu1 0x00000100 3
			cpu1 0x00000104 3
			cpu1 0x00008004 1
		`},
		{"SELECT core, caller_name, callee_name, calls FROM call_edges", "cpu1 boot one 3"},
		{"SELECT source, hex8(address) FROM outside_code", "20 0x00008004"},
		{"SELECT source, image_match, checks, program_agrees, outside_code FROM trust ORDER BY source", `
			19 1   10 true  0
			20 0.9 20 false 1
			21 1   -  true  0
		`},
		{"SELECT source, string_agg(name, '+' ORDER BY address) FROM places GROUP BY source ORDER BY source", "19 boot+boot+zero+zero\n20 boot+boot+one+one\n21 boot+boot"},
		{"SELECT instructions, covered, functions, functions_covered, datasets FROM coverage", "6 3 3 2 1"},
	}}.run(t)
}

// Without a program file there are counts by address, and no percentages.
func TestCoverageWithoutProgram(t *testing.T) {
	dir := t.TempDir()
	images := "fw.bin 00 - 0x8000 52 - - 0 memory - -\n"
	for name, code := range map[string]string{"a": "- 0x8000 4 a32 0 branch true 0x8000 a32 - -\n", "b": "- 0x8000 4 a32 0 branch true 0x8000 a32 - -\n- 0x8004 4 a32 0 other false - - - -\n"} {
		writeDataset(t, filepath.Join(dir, name), schema.LevelInstructions, dataset{
			&schema.Code: code, &schema.Images: images,
			&schema.Sources: "0x13 - etmv3 3.5 - - decoded bytes 10 10 0 0 1 6 0 0 - - {} - - - - 1 1 -\n",
			&schema.Counts:  "0x13 0x8000 a32 2 1 0 0 0 - -\n",
			&schema.Edges:   "0x13 0x8000 0x8000 branch taken 2 -\n",
		})
	}
	viewsTest{directory: dir, views: "a/views.sql", datasets: []string{"a", "b"}, asks: []ask{
		{"SELECT datasets, covered_pct, functions_pct, lines_pct, outcomes_pct, decoded_pct, image_match FROM coverage", "2 - - - - 100 -"},
		{"SELECT hex8(address), executions, covered, name FROM coverage_instructions ORDER BY address", "0x00008000 6 true -\n0x00008004 0 false -"},
		{"SELECT function, instructions, instructions_pct, entries FROM hot_functions", "- 6 100 -"},
		{"SELECT hex8(address), taken_pct FROM branch_outcomes", "0x00008000 100"},
		{"SELECT count(*) FROM coverage_branches", "0"},
		{"SELECT DISTINCT outside_code, program_agrees FROM trust", "- -"},
		{"SELECT isa, kind, instructions, failed FROM instruction_mix", "a32 branch 6 2"},
	}}.run(t)
}

// Cost: own instructions and cycles; the divisor of cycles is what ran in epochs
// that have them.
func TestHotViews(t *testing.T) {
	dir := t.TempDir()
	writeDataset(t, dir, schema.LevelInstructions, runA)
	viewsTest{directory: dir, views: "views.sql", asks: []ask{
		{"SELECT function, name, entries, instructions, instructions_pct, cycles, cycles_pct, ipc FROM hot_functions ORDER BY function", `
			0 main 10 31 75.61 40 100 0.75
			1 twin 1  2  4.88  -  -   -
			2 twin 1  3  7.32  -  -   -
		`},
		{"SELECT file, line, instructions, cycles, cycles_pct FROM hot_lines WHERE file = 'main.c' ORDER BY line", `
			main.c 1 10 20 50
			main.c 2 20 20 50
			main.c 3 1  -  -
		`},
		{"SELECT isa, kind, instructions, instructions_pct, failed, unknown, bytes_each, cycles_each FROM instruction_mix ORDER BY ALL", `
			a32 branch 11 26.83 1  0 4 1
			a32 call   1  2.44  0  0 4 -
			a32 other  21 51.22 10 1 4 1.5
			t32 other  3  7.32  2  1 2 -
		`},
	}}.run(t)
}

// The labels of a dataset are those of its manifest.
func TestViewOfRuns(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		writeDataset(t, filepath.Join(dir, name), schema.LevelInstructions, runA)
	}
	labels(t, filepath.Join(dir, "a"), map[string]string{"test": "it's", "board.rev": "2"})
	viewsTest{directory: dir, views: "a/views.sql", datasets: []string{"a", "b"}, asks: []ask{
		{`SELECT dataset, run, test, labels->>'$."board.rev"' FROM runs ORDER BY dataset`, "a - it's 2\nb - - -"},
	}}.run(t)
	viewsTest{directory: filepath.Join(dir, "a"), views: "views.sql", asks: []ask{
		{"SELECT dataset, test FROM runs", "here it's"},
	}}.run(t)
}

// A truth has no counts and no program, and so none of these views.
func TestViewsWithoutAnswers(t *testing.T) {
	text := schema.Views([]*schema.Table{&schema.Sources, &schema.Events, &schema.Images}, schema.Parquet, "", schema.Version)
	for _, v := range views.All() {
		if strings.Contains(text, "VIEW "+v.Name+" ") {
			t.Errorf("the view %s is there without its tables", v.Name)
		}
	}
}

// Each view has the columns that it is described with.
func TestAnswerViewsAreAsDescribed(t *testing.T) {
	dir := t.TempDir()
	writeDataset(t, dir, schema.LevelInstructions, runA)
	var asks []ask
	for _, v := range views.All() {
		var want strings.Builder
		for _, c := range v.Columns {
			want.WriteString(c.Name + " " + c.Type + "\n")
			if !strings.HasSuffix(c.Doc, ".") || c.Doc[:1] != strings.ToUpper(c.Doc[:1]) {
				t.Errorf("%s.%s: description %q is no sentence", v.Name, c.Name, c.Doc)
			}
		}
		asks = append(asks, ask{"SELECT column_name, column_type FROM (DESCRIBE " + v.Name + ")", want.String()})
	}
	viewsTest{directory: dir, views: "views.sql", asks: asks}.runBoth(t)
}

func TestPercentages(t *testing.T) {
	dir := t.TempDir()
	writeDataset(t, dir, schema.LevelInstructions, nil)
	viewsTest{directory: dir, views: "views.sql", asks: []ask{
		{
			"SELECT pct(0, 7), pct(7, 7), pct(1, 3), pct(1, 1000000), pct(999999, 1000000), pct(1, 0), pct(NULL, 1), pct(1, NULL)",
			"0 100 33.33 0.01 99.99 - - -",
		},
	}}.run(t)
}
