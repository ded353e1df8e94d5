package page_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"

	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/report/page"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
	"github.com/tracelake/tracelake/pipeline/report/reporttest"
	"github.com/tracelake/tracelake/schema/datasettest"
)

var update = flag.Bool("update", false, "write testdata/*.golden and the pictures of the README; they are looked at before they are committed")

// The parts of programs and traces that pages are of.
const (
	aSource = `
buffer ETB_0 1000
input trace.bin 1000
source 0x10 name=PTM_0 protocol=pft core=cpu_0 buffer=ETB_0 bytes=900 checks=100
`
	aProgram = `
file fw.elf 0x1000 0x100 match=1
function 0x1000 12 main at=src/app/main.c:3
function 0x100c 12 helper at=src/lib/util.c:7
function 0x1018 4 never at=src/lib/util.c:30
function 0x101c 8 handler at=src/irq.c:1
`
	itsLines = `
code 0x1000 a32 other  at=src/app/main.c:4 executed=10 first=0
code 0x1004 a32 call   at=src/app/main.c:5 executed=10 first=1
code 0x1008 a32 branch at=src/app/main.c:6 conditional executed=9 failed=1 first=4
code 0x100c a32 other  at=src/lib/util.c:8 executed=10 first=2
code 0x1010 a32 other  at=src/lib/util.c:8 conditional unknown=10 first=3
code 0x1014 a32 other  at=src/lib/util.c:9 conditional failed=10 first=3
code 0x1018 a32 other  at=src/lib/util.c:31
code 0x101c a32 other  at=src/irq.c:2 executed=2 first=30
code 0x1020 a32 return at=src/irq.c:3 executed=2 first=31
`
	itsStacks = `
exception 20 entry type=irq number=14
exception 40 entry type=irq number=14
stack function=0 instructions=30 total=64
stack parent=0 function=1 entry=call calls=10 instructions=30
stack parent=0 entry=exception type=irq number=14 calls=2 total=4
stack parent=2 function=3 instructions=4
task main context=1 instructions=64
call 6 12 stack=1 instructions=6
call 22 26 stack=1 instructions=4
span 20 22 ordinal=0 instructions=2
span 40 ? ordinal=1 end=open
`
)

// without removes a word from a description.
func without(text, pattern string) string {
	return regexp.MustCompile(pattern).ReplaceAllString(text, "")
}

// poor are the pages of datasets and options that lack something.
var poor = []struct {
	name  string
	texts []string
	opt   content.Options
	data  bool // the golden has the data, too
}{
	{name: "no sources on disk", texts: []string{aSource + aProgram + itsLines + manyFiles(21) + itsStacks}},
	{name: "no cycles", texts: []string{aSource + aProgram + itsLines + itsStacks}, data: true},
	{name: "no line table", texts: []string{aSource + without(aProgram+itsLines, ` at=\S+`) + itsStacks}},
	{name: "no symbols", texts: []string{aSource + "memory rom.bin 0x1000 0x100\n" + without(itsLines, ` at=\S+`) + without(itsStacks, ` function=\d+`)}, data: true},
	{name: "stripped program", texts: []string{aSource + "file fw.elf 0x1000 0x100 match=1\n" + without(itsLines, ` at=\S+`)}},
	{name: "wrong image", texts: []string{strings.Replace(aSource, "checks=100", "checks=1000 agrees=8", 1) + aProgram + itsLines + itsStacks}},
	{name: "no stacks", texts: []string{aSource + aProgram + itsLines}},
	{name: "no text wanted", texts: []string{aSource + aProgram + itsLines}, opt: content.Options{Sources: content.Sources{None: true}}},
	{name: "nothing decoded", texts: []string{aSource + aProgram + without(itsLines, ` (executed|failed|unknown)=\d+`)}},
	{name: "much to find fault with", texts: []string{`
buffer ETB_0 1000
source 0x10 protocol=pft buffer=ETB_0 bytes=900 unplaced=30 checks=100 agrees=99 gaps=2
source 0x11 status=unsupported bytes=7 problem="no decoder for stm"
source 0x6f status=unconfigured bytes=256
loss 40 unsynced offset=0
loss 60 bad_packet offset=500 seq=30
event 0 trace_on
event 30 overflow
event 50 debug_exit
run 0x8000 a32 executed=4
` + aProgram + itsLines + itsStacks}},
	{name: "two datasets", texts: []string{aSource + aProgram + itsLines + itsStacks, aSource + "label test boot\n" + aProgram + itsLines + itsStacks}},
}

// manyFiles describes functions of as many files.
func manyFiles(n int) string {
	text := &strings.Builder{}
	for i := range n {
		fmt.Fprintf(text, "function %#x 4 f%d at=gen/f%02d.c:1\n", 0x2000+4*i, i, i)
		fmt.Fprintf(text, "code %#x a32 other at=gen/f%02d.c:2\n", 0x2000+4*i, i)
	}
	return text.String()
}

// What a page says of datasets that lack something can be read without JavaScript.
func TestPoor(t *testing.T) {
	for _, tt := range poor {
		t.Run(tt.name, func(t *testing.T) {
			opt := tt.opt
			opt.Title = tt.name
			if !opt.Sources.None {
				opt.Sources.Roots = []string{t.TempDir()}
			}
			golden(t, tt.data, datasettest.Datasets(t, tt.texts...), opt)
		})
	}
	t.Run("packets alone", func(t *testing.T) {
		dir := reporttest.Export(t, "sample", "", pipeline.Options{PacketsOnly: true})
		golden(t, false, []string{dir}, content.Options{Title: "packets alone"})
	})
}

// golden compares a page with the file of its title.
func golden(t *testing.T, data bool, dirs []string, opt content.Options) {
	t.Helper()
	p, err := page.Read(dirs, opt)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	got := readable(out.String())
	if data {
		got += "\n" + outline(t, dataOf(t, out.Bytes()))
	}
	file := filepath.Join("testdata", strings.ReplaceAll(opt.Title, " ", "-")+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

var (
	notText = regexp.MustCompile(`(?s)<style>.*?</style>|<script.*?</script>|<!DOCTYPE html>`)
	cellEnd = regexp.MustCompile(`</t[dh]>`)
	spanEnd = regexp.MustCompile(`</span>|</strong>|</a>`)
	tag     = regexp.MustCompile(`<[^>]*>`)
	bars    = regexp.MustCompile(`<svg class="bar".*?</svg>`)
	spaces  = regexp.MustCompile(`[ \n]*\n[ \n]*`)
)

// readable returns the text of a page, a bar as its parts.
func readable(page string) string {
	text := notText.ReplaceAllString(page, "")
	text = bars.ReplaceAllStringFunc(text, func(bar string) string {
		var parts []string
		for _, m := range regexp.MustCompile(`class="(\w+)" x="(\d+)" y="0" width="(\d+)"`).FindAllStringSubmatch(bar, -1) {
			parts = append(parts, m[1]+" "+m[2]+"+"+m[3])
		}
		return "[" + strings.Join(parts, ", ") + "]"
	})
	text = strings.ReplaceAll(text, `<body class="doubtful">`, "(doubtful)")
	text = cellEnd.ReplaceAllString(text, " | ")
	text = spanEnd.ReplaceAllString(text, " ")
	text = tag.ReplaceAllString(text, "\n")
	return strings.TrimSpace(strings.ReplaceAll(spaces.ReplaceAllString(html.UnescapeString(strings.ReplaceAll(text, " | \n", " | ")), "\n"), "  ", " ")) + "\n"
}

var dataBlock = regexp.MustCompile(`<script type="application/octet-stream" id="data">([A-Za-z0-9+/=]*)</script>`)

// dataOf returns the data of a page.
func dataOf(t testing.TB, page []byte) (data map[string]any) {
	t.Helper()
	found := dataBlock.FindSubmatch(page)
	if found == nil {
		t.Fatal("the page has no data")
	}
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(found[1])))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(z).Decode(&data); err != nil {
		t.Fatal(err)
	}
	return data
}

// outline writes data, a column a line.
func outline(t testing.TB, data map[string]any) string {
	t.Helper()
	b := &strings.Builder{}
	var write func(path string, v any)
	write = func(path string, v any) {
		list, isList := v.([]any)
		object, isObject := v.(map[string]any)
		if isList && len(list) > 0 {
			_, isObject := list[0].(map[string]any)
			for i := 0; isObject && i < len(list); i++ {
				write(fmt.Sprintf("%s[%d]", path, i), list[i])
			}
			if isObject {
				return
			}
		}
		if isObject {
			for _, key := range slices.Sorted(maps.Keys(object)) {
				write(strings.TrimPrefix(path+"."+key, "."), object[key])
			}
			return
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(b, "%s: %s\n", path, text)
	}
	write("", data)
	return b.String()
}
