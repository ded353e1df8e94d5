package queries

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
)

// without leaves out queries by name.
func without(all []query, names ...string) []query {
	return slices.DeleteFunc(slices.Clone(all), func(q query) bool { return slices.Contains(names, q.name) })
}

func texts(all []query) []string {
	sql := make([]string, len(all))
	for i := range all {
		sql[i] = all[i].sql
	}
	return sql
}

// Each query has the answers that its file shows, in both versions of DuckDB.
func TestAnswers(t *testing.T) {
	m := newMaker(t)
	m.sample()
	groups := map[string][]query{} // by datasets: what is asked of them
	for _, q := range queries(t) {
		for _, a := range q.answers {
			of := strings.Join(a.datasets, " ")
			groups[of] = append(groups[of], query{name: q.name, sql: q.sql, answers: []answer{a}})
		}
	}
	var jobs []job
	for of, asked := range groups {
		jobs = append(jobs, job{
			Directory: m.dir, Datasets: strings.Fields(of), Before: "SET VARIABLE flat = 'sample'", Queries: texts(asked),
			check: func(t *testing.T, results []result) {
				for i, q := range asked {
					t.Run(q.name+" of "+of, func(t *testing.T) { q.answers[0].compare(t, results[i]) })
				}
			},
		})
	}
	run(t, jobs)
}

// holds holds results against what is wanted of some queries: that a row has a text,
// its cells apart by spaces, or "": that there is no row.
func holds(t *testing.T, all []query, results []result, want map[string]string) {
	t.Helper()
	for i, q := range all {
		text, ok := want[q.name]
		delete(want, q.name)
		switch {
		case !ok:
		case text == "" && len(results[i].Rows) > 0:
			t.Errorf("%s gives %d rows, want none: %q", q.name, len(results[i].Rows), results[i].Rows[0])
		case text != "" && !slices.ContainsFunc(results[i].Rows, func(row []string) bool { return strings.Contains(strings.Join(row, " "), text) }):
			t.Errorf("%s: no row of %d has %q; %q …", q.name, len(results[i].Rows), text, results[i].Rows[:min(1, len(results[i].Rows))])
		}
	}
	for name := range want {
		t.Errorf("%s was not asked", name)
	}
}

// All queries run on captures of silicon, of three programs at once.
func TestSilicon(t *testing.T) {
	need.FullRun(t, "DuckDB, which the race detector does not see, runs all queries")
	m := newMaker(t)
	m.silicon(map[string]string{
		"freertos": "am243x-r5f-etmv3-freertos-002b37c", "zephyr": "am243x-r5f-etmv3-zephyr-e9185a9", "threadx": "am243x-r5f-etmv3-threadx-ce42d22",
	})
	names := []string{"freertos", "zephyr", "threadx"}
	all := without(queries(t), "Q37", "Q38")
	jobs := []job{{
		Directory: m.dir, Datasets: names, Queries: texts(all),
		check: func(t *testing.T, results []result) {
			for _, want := range []map[string]string{
				// figures that were counted by other means, of each capture
				{"Q02": "1 34642 521 1.5 31 0 633 26 4.11 10123 204 2.02 2060 48 1.17 ", "Q36": "", "Q42": "always_failed 34 ", "Q18": "LowPrioTask NULL start 1 351385 NULL 99.64", "Q32": "threadx_main 1 0 instructions 226986 "},
				{"Q02": "1 5422 746 13.76 59 0 190 37 19.47 1694 298 17.59 484 93 9.61 ", "Q42": "both 8 ", "Q40": "irq 14 HwiP_irq_handler 3", "Q09": "TI_memset_small 88 182024 70.99 "},
				{"Q02": "1 38122 3437 9.02 124 0 636 118 18.55 11188 1156 10.33 2308 271 5.87 ", "Q42": "always_passed 29 ", "Q41": "489 255559 65124 tm_thread_entry Hwip_dataAndInstructionBarrier", "Q09": "LowPrioTask 0 146302 41.48 "},
				{"Q05": "all files 10123 204 ", "Q09": "free 519 49824 21.46 "},
				{"Q05": "all files 1694 298 ", "Q10": "/memset32.S 125 36440 "},
				{"Q05": "all files 11188 1156 ", "Q10": "/memory.c 264 10901 "},
			} {
				holds(t, all, results, want)
			}
		},
	}}
	run(t, append(jobs, m.blocksEqualFlat(t, names[:need.Size(1, 3)]...)...))
}

// All queries run on generated captures at level blocks; no step is impossible.
func TestGenerated(t *testing.T) {
	need.FullRun(t, "DuckDB, which the race detector does not see, runs all queries")
	m := newMaker(t)
	m.generated()
	all := without(queries(t), "Q38")
	run(t, append(m.blocksEqualFlat(t, "ptm", "etm"), job{
		Directory: m.dir, Datasets: []string{"ptmblocks", "etmblocks"}, Queries: texts(all),
		check: func(t *testing.T, results []result) { holds(t, all, results, map[string]string{"Q36": ""}) },
	}))
}

// blocksEqualFlat are jobs that hold the runs of blocks against rows, and what they
// cover against counts.
func (m *maker) blocksEqualFlat(t *testing.T, names ...string) []job {
	t.Helper()
	all := slices.DeleteFunc(queries(t), func(q query) bool { return q.name != "Q37" && q.name != "Q38" })
	var jobs []job
	for _, name := range names {
		jobs = append(jobs, job{
			Directory: m.dir, Datasets: []string{name + "blocks"}, Queries: texts(all),
			Before: "SET VARIABLE flat = '" + filepath.Join(m.dir, name) + "'",
			check: func(t *testing.T, results []result) {
				holds(t, all, results, map[string]string{"Q38": ""})
				if row := results[0].Rows[0]; row[0] != row[1] || row[0] == "0" {
					t.Errorf("%s: blocks cover %s instructions, counts %s", name, row[0], row[1])
				}
			},
		})
	}
	return jobs
}
