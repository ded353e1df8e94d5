//go:build unix

package page_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/report/page/browsertest"
	"github.com/tracelake/tracelake/pipeline/report/reporttest"
	"github.com/tracelake/tracelake/schema"
)

//go:embed testdata/range.js
var drags string

// A ranged is what a page says of a range of the time.
type ranged struct {
	Hash, Said string
	From, To   int64 // on the axis
	Seq, Until int64 // of its instructions
	Rows       [][]string
}

// took returns what rows of a kind have, by name: a column of numbers.
func (r *ranged) took(t *testing.T, kind string, column int) map[string]int64 {
	t.Helper()
	sums := map[string]int64{}
	for _, row := range r.Rows {
		if row[4] == kind {
			sums[row[0]] += number(t, row[column])
		}
	}
	return sums
}

// What the page says of ranges that somebody drags over is what DuckDB counts in rows of the dataset: instructions and
// cycles, entries of exceptions, and what the functions took that took most. Tables do not say in which function
// handlers of zephyr begin, nor, right after the gaps near its end, what ran.
func TestRange(t *testing.T) {
	for _, tt := range []struct {
		capture, unit string
		top           int
		shares        [][2]float64
	}{
		{"sample", "cycles", 5, [][2]float64{{0, 1}, {0, 0.4}, {0.4, 1}, {0.25, 0.5}, {0.31, 0.33}}},
		{"am243x-r5f-etmv3-freertos-002b37c", "instructions", 5, [][2]float64{{0, 1}, {0.2, 0.7}, {0.6, 0.61}}},
		{"am243x-r5f-etmv3-zephyr-e9185a9", "instructions", 3, [][2]float64{{0, 0.9}, {0.3, 0.5}, {0.7, 0.72}}},
	} {
		t.Run(tt.capture, func(t *testing.T) {
			d := rowsOf{t, reporttest.Export(t, tt.capture, captures[tt.capture], pipeline.Options{Level: schema.LevelInstructions}), need.DuckDB(t)}
			shares, err := json.Marshal(tt.shares)
			if err != nil {
				t.Fatal(err)
			}
			ranges, visit := browsertest.Ask[[]ranged](t, opened(t, tt.capture), browsertest.View{Width: 1200, Height: 900},
				fmt.Sprintf("const shares = %s;\n%s", shares, drags))
			keep(t, visit.Picture)
			for i := range ranges {
				d.check(&ranges[i], tt.unit, tt.top)
			}
			if tt.unit == "cycles" {
				d.checkTasks(&ranges[1], &ranges[2])
			}
		})
	}
}

// A rowsOf is a dataset with rows of instructions, for DuckDB.
type rowsOf struct {
	*testing.T
	dir, duckdb string
}

// query returns what queries say, each of a name and a number, by its own name.
func (d *rowsOf) query(queries map[string]string) map[string]map[string]int64 {
	d.Helper()
	rows := map[string]map[string]int64{}
	var all []string
	for of, query := range queries {
		rows[of] = map[string]int64{}
		all = append(all, "SELECT '"+of+"', * FROM ("+query+")")
	}
	command := exec.Command(d.duckdb, "-noheader", "-list", "-separator", "\t", "-cmd", ".read views.sql", "-c", strings.Join(all, "\nUNION ALL "))
	command.Dir = d.dir
	out, err := command.CombinedOutput()
	if err != nil {
		d.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		n, err := strconv.ParseInt(cells[len(cells)-1], 10, 64)
		if err != nil || len(cells) != 3 {
			d.Fatalf("%q", line)
		}
		rows[cells[0]][cells[1]] = n
	}
	return rows
}

// check compares what a page says of a range with the rows.
func (d *rowsOf) check(r *ranged, unit string, top int) {
	d.Helper()
	in := fmt.Sprintf("seq >= %d AND seq < %d", r.Seq, r.Until)
	took := map[string]string{"cycles": "coalesce(sum(cycles), 0)::BIGINT", "instructions": "count(*)"}[unit]
	before := func(seq int64) string {
		return fmt.Sprintf("SELECT 'at', coalesce(max(cycle), 0) FROM (SELECT seq, cycle FROM instructions UNION ALL SELECT seq, cycle FROM exceptions) WHERE seq < %d", seq)
	}
	rows := d.query(map[string]string{
		"from": before(r.Seq), "to": before(r.Until),
		"range": "SELECT 'instructions', count(*) FROM instructions WHERE " + in,
		"entries": "SELECT type || ' ' || number, count(*) FROM (FROM exceptions WHERE event = 'entry' AND " + in +
			") JOIN exception_spans USING (dataset, source, ordinal) GROUP BY 1",
		"functions": "SELECT f.name, " + took + " AS n FROM instructions i JOIN functions f ON i.address >= f.address AND i.address < f.address + f.size WHERE " +
			in + fmt.Sprintf(" GROUP BY 1 ORDER BY n DESC LIMIT %d", top),
	})
	n := rows["range"]["instructions"]
	from, to, said := r.Seq, r.Until, figures.Count(n, "instruction")
	if unit == "cycles" {
		from, to = rows["from"]["at"], rows["to"]["at"]
		said = figures.Count(to-from, "cycle") + ", " + said
	}
	if r.From != from || r.To != to || !strings.HasPrefix(r.Said, said+"; from ") {
		d.Errorf("%s is of %d to %d, want %d to %d; it says %q, want %q", r.Hash, r.From, r.To, from, to, r.Said, said)
	}
	entries := r.took(d.T, "exception", 3)
	maps.DeleteFunc(entries, func(_ string, n int64) bool { return n == 0 }) // entered before
	if diff := cmp.Diff(rows["entries"], entries); diff != "" {
		d.Errorf("%s: entries of exceptions want -, got +:\n%s", r.Hash, diff)
	}
	own := r.took(d.T, "function", 1)
	for name, want := range rows["functions"] {
		if own[name] != want {
			d.Errorf("%s: %s took %d %s, want %d", r.Hash, name, own[name], unit, want)
		}
	}
	if sum := r.busy(d.T); sum != r.To-r.From {
		d.Errorf("%s: tasks and interrupts took %d of %d", r.Hash, sum, r.To-r.From)
	}
}

// busy returns what tasks took, the interrupts of the captures, and what was not traced.
func (r *ranged) busy(t *testing.T) int64 {
	t.Helper()
	sum := r.took(t, "exception", 1)["irq 14"] // others are part of tasks
	for _, kind := range []string{"task", "gap"} {
		for _, n := range r.took(t, kind, 1) {
			sum += n
		}
	}
	return sum
}

// checkTasks compares what tasks and interrupts took in two ranges that are all of the time with the table of tasks.
func (d *rowsOf) checkTasks(first, second *ranged) {
	d.Helper()
	want := d.query(map[string]string{"tasks": "SELECT trim(name, '[]'), cycles FROM tasks"})["tasks"]
	got := map[string]int64{}
	for _, r := range []*ranged{first, second} {
		for name, n := range r.took(d.T, "task", 1) {
			got[name] += n
		}
		got["irq 14"] += r.took(d.T, "exception", 1)["irq 14"]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		d.Errorf("tasks want -, got +:\n%s", diff)
	}
}
