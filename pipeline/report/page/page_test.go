package page_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	kept "github.com/tracelake/tracelake/pipeline/keep"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/report/page"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
	"github.com/tracelake/tracelake/pipeline/report/reporttest"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// makePage returns the page of datasets, whose source files are in a folder.
func makePage(t testing.TB, root string, dirs ...string) (*page.Page, []byte) {
	t.Helper()
	p, err := page.Read(dirs, content.Options{Title: "page", Sources: content.Sources{Roots: []string{root}}})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	return p, out.Bytes()
}

// The figures of the sample and of captures of silicon, which were counted on another way (see
// report.TestFigures), are in the text and in the data of their pages.
func TestFigures(t *testing.T) {
	for _, tt := range []struct {
		capture, elf string
		verdict      string
		words        []string // of the text
		files        int
		hottest      string
		most         int // bytes of the page
	}{
		{
			capture: "sample", elf: sample.ELF, verdict: "✓ Good.", most: 220_000, files: 8,
			words: []string{
				"774 of 790", "4 reached, never passed", "236 of 245", "39 of 41", "31 wholly", "8 of 8", "102 of 106", "49 branches both ways", "14 of 14",
				"quicksort | 107,220 | 24.3 % | 165,426 | 46,749 | 120 | 0.44", "58,687 of 58,693 bytes; 6 lost: 6 before the first sync",
				"Functions are without inlining", "Inlined code counts at the line where it is written.",
				"Of the program this page holds addresses and kinds of instructions, the names of 41 functions and 8 source files, the text of 8 source files, opcodes.",
			},
			hottest: "quicksort 107220, multiply.constprop.0 41323, checksum_task 35822, by_digits 35543, fibonacci 30347",
		},
		{
			capture: "am243x-r5f-etmv3-freertos-002b37c", elf: "freertos.elf", verdict: "✓ Good.", most: 300_000, files: 85,
			words: []string{
				"521 of 34,642", "31 reached, never passed", "204 of 10,123", "26 of 633", "10 wholly", "15 of 85", "48 of 4,120", "1 branch both ways", "0 of 10",
				"free | 49,824 | 21.5 % | 61,242 | 519", "its only gap is at an end",
			},
			hottest: "free 49824, xTaskResumeAll 47748, vTaskExitCritical 27040, aligned_alloc 25478, vTaskEnterCritical 20800",
		},
		{
			capture: "am243x-r5f-etmv3-zephyr-e9185a9", elf: "zephyr.elf", verdict: "! Good with gaps", most: 400_000, files: 93,
			words: []string{
				"746 of 5,422", "59 reached, never passed", "298 of 1,694", "37 of 190", "9 wholly", "27 of 93", "93 of 968", "13 branches both ways", "0 of 25",
				"The trace has 3 gaps; 1 executed address is not in the ELF file",
				"126,509, 351,592, 351,593", "628 lost: 386 at a buffer seam, 242 before the first sync", "executed 4 times: 0x00000018",
				"the names of 190 functions and 93 source files, opcodes; no source text.",
			},
			hottest: "LowPrioTask 146302, tm_task_priority_get 146300, z_impl_k_thread_priority_get 58520, sys_clock_announce 165, ready_thread 158",
		},
		{
			capture: "am243x-r5f-etmv3-threadx-ce42d22", elf: "threadx.elf", verdict: "✓ Good.", most: 450_000, files: 141,
			words: []string{
				"3,437 of 38,122", "124 reached, never passed", "1,156 of 11,188", "118 of 636", "46 wholly", "59 of 141", "271 of 4,616", "38 branches both ways", "0 of 36",
				"0x6f: unconfigured, 256 bytes",
			},
			hottest: "TI_memset_small 182024, PMU_init 6906, UART_writePolling 6349, UART_readLineStatus 5634, __TI_printfi_nofloat 5632",
		},
		{
			capture: "am243x-r5f-etmv3-threadx-002b37c", elf: "threadx.elf", verdict: "✗ Wrong program", most: 450_000, files: 140,
			words:   []string{"(doubtful)", "Only 0.81 % of the checks agree with the program (8 of 993)", "5 of 985 branch addresses, 3 of 8 periodic synchronisations"},
			hottest: "",
		},
	} {
		t.Run(tt.capture, func(t *testing.T) {
			dir := reporttest.Export(t, tt.capture, tt.elf, pipeline.Options{Level: schema.LevelNone})
			p, out := makePage(t, filepath.Join(need.Module(t), "bench", "sample", "program"), dir)
			text := readable(string(out))
			for _, want := range append(tt.words, tt.verdict) {
				if !strings.Contains(text, want) {
					t.Errorf("the page does not say %s", want)
				}
			}
			f := &p.Data.Functions
			var hottest []string
			for i := range 5 {
				hottest = append(hottest, fmt.Sprintf("%s %d", f.Name[i], f.Own[i]))
			}
			if got := strings.Join(hottest, ", "); tt.hottest != "" && got != tt.hottest {
				t.Errorf("the hottest are %s, want %s", got, tt.hottest)
			}
			if n := len(p.Data.Files.Path); n != tt.files {
				t.Errorf("%d files, want %d", n, tt.files)
			}
			if len(out) > tt.most {
				t.Errorf("%d bytes, want %d at most", len(out), tt.most)
			}
			checkData(t, &p.Data)
		})
	}
}

// checkData checks what is true of the data of every page with a time.
func checkData(t *testing.T, d *content.Data) {
	t.Helper()
	sum := func(list []int64) (all int64) {
		for _, n := range list {
			all += n
		}
		return all
	}
	if got := sum(d.Functions.Own); got < d.Spent-int64(len(d.Functions.Own)) || got > d.Spent+int64(len(d.Functions.Own)) {
		t.Errorf("functions took %d of %d", got, d.Spent)
	}
	roots := int64(0)
	for i, parent := range d.Flame.Parent {
		switch {
		case parent == 0:
			roots += d.Flame.Instructions[i]
		case parent < 0 || int(parent) > i:
			t.Fatalf("node %d has its parent %d before it", i, parent)
		}
	}
	time := &d.Times[0]
	tasks, exceptions := int64(0), map[string]int64{}
	for _, l := range time.Lanes {
		if l.Exception {
			exceptions[l.Name] = l.Turns
		} else {
			tasks += l.All
		}
	}
	if tasks > time.Length || tasks < time.Length*99/100 {
		t.Errorf("tasks took %d of %d", tasks, time.Length)
	}
	for i, name := range d.Exceptions.Name {
		if exceptions[name] != d.Exceptions.Entries[i] && d.Exceptions.Longest[i] >= 0 {
			t.Errorf("the lane of %s has %d entries, the table %d", name, exceptions[name], d.Exceptions.Entries[i])
		}
		for _, w := range d.Exceptions.Worst[i] {
			if w[1] == 0 && (w[2] < 0 || w[2]+w[3] > time.Length) {
				t.Errorf("one of the worst %s is at %v of %d", name, w, time.Length)
			}
		}
	}
	checkSpans(t, time)
}

// checkSpans checks that spans are in order of time, and inside those below.
func checkSpans(t *testing.T, x *content.Time) {
	t.Helper()
	at := int64(0)
	var ends []int64 // of the spans that are open
	for i := range x.Depth {
		at += x.Start[i]
		depth := int(x.Depth[i])
		if depth > len(ends) {
			t.Fatalf("span %d is at depth %d above nothing", i, depth)
		}
		ends = append(ends[:depth], at+x.Took[i])
		if x.Took[i] <= 0 || depth > 0 && ends[depth] > ends[depth-1] || ends[depth] > x.Length {
			t.Fatalf("span %d from %d to %d is not in %v", i, at, ends[depth], ends)
		}
	}
}

// The worst exceptions are those of the metric that the table shows, and drawn one by one.
func TestWorst(t *testing.T) {
	p, _ := makePage(t, t.TempDir(), reporttest.Sample(t, schema.LevelNone))
	e, spans := p.Data.Exceptions, p.Data.Times[0]
	for i, name := range e.Name {
		if e.Unit[i] != "cycles" || e.Worst[i][0][0] != e.Longest[i] || len(e.Worst[i]) != int(min(5, e.Entries[i])) {
			t.Errorf("%s: the longest took %d %s, the worst are %v", name, e.Longest[i], e.Unit[i], e.Worst[i])
		}
		for _, w := range e.Worst[i] {
			at, found := int64(0), false
			for j := range spans.Depth {
				at += spans.Start[j]
				found = found || at == w[2] && spans.Took[j] == w[3] && spans.Frames.Name[spans.Frame[j]] == name
			}
			if w[1] != 0 || !found {
				t.Errorf("%s: no span is at %v", name, w)
			}
			if w[3] > w[0] || w[3] < w[0]*8/10 {
				t.Errorf("%s: one took %d, drawn are %d", name, w[0], w[3])
			}
		}
		if w := e.Worst[i][0]; w[3] < w[0]*9/10 {
			t.Errorf("%s: the longest took %d, drawn are %d", name, w[0], w[3])
		}
	}
}

// The line that takes most has its count, the outcomes of its branch, and the predicated
// instructions of which no outcome is told.
func TestHottestLine(t *testing.T) {
	p, _ := makePage(t, filepath.Join(need.Module(t), "bench", "sample", "program"), reporttest.Sample(t, schema.LevelNone))
	s := p.Data.Source
	f := &s.Files[s.Hottest[0]]
	line := uint32(0)
	for i := range s.Hottest[1] + 1 {
		line += f.Seen.Number[i]
	}
	i := s.Hottest[1]
	if path := p.Data.Files.Path[f.File]; path != "sort.c" || line != 13 || f.Seen.Count[i] != 1509 || f.Seen.Heat[i] != 35543 ||
		len(f.Seen.Predicated[i]) != 4 || slices.ContainsFunc(f.Seen.Predicated[i], func(p [3]int64) bool { return p[0] != 0 || p[1] != 0 || p[2] == 0 }) ||
		!slices.Equal(f.Seen.Branches[i], [][3]int64{{84, 1425, 0}}) || !strings.HasPrefix(f.Text[line-1], "static int by_digits(") {
		t.Errorf("%s:%d ran %d times, took %d, has %v predicated and branches %v: %s", path, line, f.Seen.Count[i], f.Seen.Heat[i], f.Seen.Predicated[i], f.Seen.Branches[i], f.Text[line-1])
	}
}

// Pages do not depend on how many workers exported the dataset, nor on when, where or from what
// folder; that of an archive is that of the dataset, but for the title.
func TestSame(t *testing.T) {
	capture := filepath.Join(t.TempDir(), "capture")
	if err := sample.Extract(capture); err != nil {
		t.Fatal(err)
	}
	var pages [][]byte
	for _, workers := range []int{1, 2, 3} {
		opt := pipeline.Options{Level: schema.LevelNone, Workers: workers}
		opt.Capture.Symbols = []string{filepath.Join(capture, sample.ELF)}
		dir := filepath.Join(t.TempDir(), fmt.Sprint("workers", workers))
		if _, err := pipeline.Export(t.Context(), capture, dir, opt); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			_, out := makePage(t, t.TempDir(), dir)
			pages = append(pages, out)
		}
	}
	opt := pipeline.Options{Level: schema.LevelNone, Workers: 1}
	opt.Capture.Symbols = []string{filepath.Join(capture, sample.ELF)}
	archive := filepath.Join(t.TempDir(), "run.tla")
	if _, err := pipeline.Archive(t.Context(), capture, archive, kept.ArchiveOptions{Export: opt}); err != nil {
		t.Fatal(err)
	}
	_, out := makePage(t, t.TempDir(), archive)
	for _, other := range append(pages, out)[1:] {
		if !bytes.Equal(pages[0], other) {
			t.Error("two pages of one capture differ")
		}
	}
}

// The policy of a page has the hashes of its style and of its module, and there is no other script.
func TestPolicyText(t *testing.T) {
	_, out := makePage(t, t.TempDir(), datasettest.Datasets(t, aSource+aProgram+itsLines)...)
	text := string(out)
	element := func(pattern string) string {
		found := regexp.MustCompile(`(?s)` + pattern).FindStringSubmatch(text)
		if found == nil {
			t.Fatalf("no %s", pattern)
		}
		return found[1]
	}
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	want := "default-src 'none'; script-src " + hash(element(`<script type="module">(.*?)</script>`)) + "; style-src " + hash(element(`<style>(.*?)</style>`)) +
		"; base-uri 'none'; form-action 'none'"
	if got := element(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`); got != want {
		t.Errorf("the policy is %s, want %s", got, want)
	}
	if n := strings.Count(strings.ToLower(text), "<script"); n != 2 {
		t.Errorf("%d script elements, want 2", n)
	}
	if found := regexp.MustCompile(`<[^>]* (style|on\w+)=`).FindString(dataBlock.ReplaceAllString(regexp.MustCompile(`(?s)<script type="module">.*</script>|<style>.*?</style>`).ReplaceAllString(text, ""), "")); found != "" {
		t.Errorf("an element has style or a handler: %s", found)
	}
}
