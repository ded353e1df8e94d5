//go:build unix

package page_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/page/browsertest"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
	"github.com/tracelake/tracelake/pipeline/report/reporttest"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// listed are the instructions that `report disasm` lists of all functions, by address.
func listed(t testing.TB, dir string) map[schema.Address]report.ListingRow {
	t.Helper()
	m, err := report.Read([]string{dir}, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows := map[schema.Address]report.ListingRow{}
	for _, l := range m.Listings() {
		for _, r := range l.Rows {
			rows[r.Address] = r
		}
	}
	return rows
}

// The instructions between lines are those of `report disasm`, with its figures: of files without text all of
// lines that were reached. A page that is to hold no code has none.
func TestCode(t *testing.T) {
	for _, capture := range []string{"sample", "am243x-r5f-etmv3-freertos-002b37c", "am243x-r5f-etmv3-zephyr-e9185a9"} {
		dir := reporttest.Export(t, capture, captures[capture], pipeline.Options{Level: schema.LevelNone})
		p, _ := makePage(t, t.TempDir(), dir)
		rows, n, shown := listed(t, dir), 0, 0
		for _, r := range rows {
			n += int(min(r.Executions(), 1) * int64(min(r.Line, 1)))
		}
		for i := range p.Data.Source.Files {
			f := &p.Data.Source.Files[i]
			if f.Code == nil {
				continue
			}
			line, address := uint32(0), int64(0)
			for k := range f.Code.Line {
				line, address = line+f.Code.Line[k], address+f.Code.Address[k]
				r, c := rows[schema.Address(address)], f.Code
				outcome := []int64{}
				if r.Conditional || r.Failed > 0 {
					outcome = []int64{r.Executed, r.Failed, r.Unknown}
				}
				want := fmt.Sprint(content.Name(r.File), r.Line, answer.Opcode(r.Opcode, r.Size), answer.KindOf(&r), r.Executions(), outcome,
					answer.Own(r.Executions(), r.Cycles, p.Data.Unit == content.Cycles))
				if got := fmt.Sprint(p.Data.Files.Path[f.File], line, c.Opcode[k], c.Kind[k], c.Count[k], c.Outcome[k], c.Heat[k]); got != want {
					t.Errorf("%s: 0x%08x is %s, want %s", capture, address, got, want)
				}
				shown += int(min(c.Count[k], 1))
			}
		}
		if shown != n || n < 400 {
			t.Errorf("%s: %d executed instructions are below their lines, want %d", capture, shown, n)
		}
		none, err := content.Read([]string{dir}, content.Options{Sources: content.Sources{None: true}})
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(none.Data.Source.Files, func(f content.SourceFile) bool { return f.Code != nil }) {
			t.Errorf("%s: a page that is to hold no code has some", capture)
		}
	}
}

// checkCode checks that rows of the sample's source have the instructions of their lines below them.
func checkCode(t *testing.T, rows [][]string, file string) {
	t.Helper()
	var want, got []string
	shown := map[string]bool{}
	for _, row := range rows {
		text := row[len(row)-1]
		if row[0] != "" {
			shown[row[0]] = true
		} else if strings.HasPrefix(text, "0x") {
			got = append(got, row[2]+" "+strings.Join(strings.Fields(text), " "))
		}
	}
	for _, r := range listed(t, reporttest.Sample(t, schema.LevelNone)) {
		if strings.HasSuffix(r.File, file) && shown[fmt.Sprint(r.Line)] {
			want = append(want, fmt.Sprintf("%s %s %s %s", figures.Thousands(r.Executions()), r.Address.Hex(), answer.Opcode(r.Opcode, r.Size), answer.KindOf(&r)))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 50 {
		t.Errorf("%d instructions of %s are shown (-want +got):\n%s", len(got), file, diff)
	}
}

// What became of branches and predicated instructions is said in words, below the line for each instruction.
func TestOutcomes(t *testing.T) {
	dirs := datasettest.Datasets(t, `
source 0x10
file fw.elf 0x1000 0x100 match=1
function 0x1000 0x20 main at=main.c:1
code 0x1000 a32 branch at=main.c:1 conditional executed=12 target=0x1010
code 0x1004 a32 other  at=main.c:2 conditional executed=3 failed=6
code 0x1008 a32 other  at=main.c:2 conditional failed=9
code 0x100c a32 other  at=main.c:2 conditional executed=1 failed=1 unknown=1500
code 0x1010 a32 branch at=main.c:3 conditional unknown=5
code 0x1014 a32 branch at=main.c:3 conditional
code 0x1018 a32 other  at=main.c:3 conditional unknown=5
code 0x101c a32 other  at=main.c:3 conditional
`)
	_, page := makePage(t, writeFiles(t, "main.c"), dirs...)
	const script = `
return [...document.querySelectorAll("#lines tbody tr:not([hidden])")].map(r => [r.cells[0], r.cells[4], r.cells[5]].map(c => [...c.querySelectorAll(".mark")].map(m => m.innerText).join(" | ") || c.innerText));`
	got, _ := browsertest.Ask[[][]string](t, page, browsertest.View{Width: 1200, Height: 900, Hash: "#code=1"}, script)
	want := [][]string{
		{"1", "taken 12, not 0", "main.c"},
		{"", "taken 12, not 0", "0x00001000  00000000  branch 0x00001010"},
		{"2", "passed 3 of 9 | passed 0 of 9 | passed 1 of 2, not recorded 1,500", "\tof main.c"},
		{"", "passed 3 of 9", "0x00001004  00000000  other"},
		{"", "passed 0 of 9", "0x00001008  00000000  other"},
		{"", "passed 1 of 2, not recorded 1,500", "0x0000100c  00000000  other"},
		{"3", "outcome not recorded | never | never | outcome not recorded", ""},
		{"", "outcome not recorded", "0x00001010  00000000  branch"},
		{"", "never", "0x00001014  00000000  branch"},
		{"", "outcome not recorded", "0x00001018  00000000  other"},
		{"", "never", "0x0000101c  00000000  other"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
