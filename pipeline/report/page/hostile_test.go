//go:build unix

package page_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/pipeline/report/page/browsertest"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// hostile are names and texts that would do something in a page that takes them for what they
// pretend to be, with how they are shown.
var hostile = []struct{ name, shown string }{
	{`</script><script>window.pwned=1</script>`, `</script><script>window.pwned=1</script>`},
	{`<img src=x onerror="window.pwned=1">`, `<img src=x onerror="window.pwned=1">`},
	{`<!--<script>`, `<!--<script>`},
	{`"><svg onload="window.pwned=1">`, `"><svg onload="window.pwned=1">`},
	{`' autofocus onfocus='window.pwned=1`, `' autofocus onfocus='window.pwned=1`},
	{`javascript:window.pwned=1`, `javascript:window.pwned=1`},
	{`{{.Data}}${window.pwned=1}`, `{{.Data}}${window.pwned=1}`},
	{"left\u202etfel", `left\u202etfel`},
	{"zero\u200bwidth", `zero\u200bwidth`},
	{"one\u2028two", `one\u2028two`},
	{"\x1b[31mred\x07", `\u001b[31mred\u0007`},
	{"nul\x00nul", `nul\u0000nul`},
	{"bad\xff\xfebytes", `bad\xff\xfebytes`},
	{"half\xed\xa0\x80pair", `half\xed\xa0\x80pair`},
	{`__proto__`, `__proto__`},
	{`constructor`, `constructor`},
	{`toString`, `toString`},
	{"begin" + strings.Repeat("long", 16<<10) + "end", "…"},
}

// hostileDataset describes a dataset in which everything that has a name has hostile ones:
// functions, files, a core, images, labels and tasks.
func hostileDataset() string {
	var d strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&d, format+"\n", args...) }
	core := strconv.Quote(hostile[1].name)
	line("source 0x10 core=%s bytes=1000 checks=10", core)
	seq := 0
	var tasks, stacks, calls, spans strings.Builder
	for i, h := range hostile {
		name, address := strconv.Quote(h.name), 0x1000+16*i
		at := strconv.Quote(fmt.Sprintf("evil.c:%d", i+1))
		if i%2 == 1 {
			at = strconv.Quote(fmt.Sprintf("%s.c:%d", h.name, i+1))
		}
		line("label %s %s", name, name)
		line("file %s %#x 16 core=%s", name, address, core)
		line("function %#x 16 %s core=%s at=%s", address, name, core, at)
		for j := range 4 {
			conditional := ""
			kind := "other"
			if j == 2 {
				kind, conditional = "branch", fmt.Sprintf(" conditional target=%#x", address)
			}
			line("code %#x a32 %s core=%s at=%s executed=%d%s", address+4*j, kind, core, at, 100*(len(hostile)-i)-j, conditional)
		}
		// Each task calls its function, which an exception interrupts.
		fmt.Fprintf(&tasks, "task %s first=%d instructions=100\n", name, seq)
		fmt.Fprintf(&stacks, "stack task=%d function=%d instructions=40 total=100\n", i, i)
		fmt.Fprintf(&stacks, "stack task=%d function=%d parent=%d entry=call instructions=40 total=60\n", i, (i+1)%len(hostile), 3*i)
		fmt.Fprintf(&stacks, "stack task=%d parent=%d entry=exception type=irq number=%d instructions=20\n", i, 3*i+1, i)
		fmt.Fprintf(&calls, "call %d %d stack=%d instructions=60\n", seq+20, seq+80, 3*i+1)
		fmt.Fprintf(&spans, "exception %d entry type=irq number=%d\n", seq+40, i)
		fmt.Fprintf(&spans, "span %d %d ordinal=%d stack=%d instructions=20\n", seq+40, seq+60, i, 3*i+1)
		seq += 100
	}
	return d.String() + tasks.String() + stacks.String() + calls.String() + spans.String()
}

// Names, paths, texts and tasks are other people's: none of them runs, or hides what is
// around it, and each can be read.
func TestHostile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), `<img src=x onerror="window.pwned=1">`)
	if err := datasettest.Write(dir, hostileDataset()); err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	var source strings.Builder
	for _, h := range hostile {
		source.WriteString(h.name + "\n")
	}
	if err := os.WriteFile(filepath.Join(root, "evil.c"), []byte(source.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	text := written(t, dir, content.Options{Title: hostile[0].name + hostile[1].name, Sources: content.Sources{Roots: []string{root}}})
	if n := strings.Count(strings.ToLower(string(text)), "<script"); n != 2 {
		t.Errorf("the page has %d script elements, want 2", n)
	}
	s := see(t, text, browsertest.View{Width: 1200, Height: 900})
	// The script of the test is the third.
	if s.Pwned || s.Images != 0 || s.Scripts != 3 || s.Overflow != 0 {
		t.Errorf("a hostile name ran: %v; %d images, %d scripts, want 0 and 3; %d pixels wider than the window", s.Pwned, s.Images, s.Scripts, s.Overflow)
	}
	if want := hostile[0].shown + hostile[1].shown; s.Title != want {
		t.Errorf("the title: %s, want %s", s.Title, want)
	}
	for _, section := range []string{"code", "source", "time"} {
		for _, h := range hostile {
			if !strings.Contains(s.Sections[section], h.shown) {
				t.Errorf("%s: no %s", section, h.shown)
			}
		}
	}
}
