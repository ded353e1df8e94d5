//go:build unix

package page_test

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/report/page"
	"github.com/tracelake/tracelake/pipeline/report/page/browsertest"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
	"github.com/tracelake/tracelake/pipeline/report/reporttest"
)

// captures are those of which the tests look at the pages, with their programs.
var captures = map[string]string{
	"sample":                            sample.ELF,
	"am243x-r5f-etmv3-freertos-002b37c": "freertos.elf",
	"am243x-r5f-etmv3-zephyr-e9185a9":   "zephyr.elf",
	"am243x-r5f-etmv3-threadx-ce42d22":  "threadx.elf",
	"am243x-r5f-etmv3-threadx-002b37c":  "threadx.elf",
}

// made has the pages of captures: each is made once.
var made = map[string][]byte{}

// pageOf returns the page of a capture.
func pageOf(t testing.TB, capture string) []byte {
	t.Helper()
	if made[capture] == nil {
		opt := content.Options{Title: capture, Detail: 200_000, Rows: decodeAgain(t), Sources: content.Sources{Roots: []string{filepath.Join(need.Module(t), "bench", "sample", "program")}}}
		made[capture] = written(t, reporttest.Export(t, capture, captures[capture], pipeline.Options{}), opt)
	}
	return made[capture]
}

// written returns the page of a dataset.
func written(t testing.TB, dir string, opt content.Options) []byte {
	t.Helper()
	p, err := page.Read([]string{dir}, opt)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := p.Write(&text); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

//go:embed testdata/look.js
var look string

// A sight is what is to be seen of a page: what look.js finds.
type sight struct {
	Title, Verdict         string
	Sections               map[string]string // text by id
	Totals, Table, Hottest [][]string
	Scripts, Images, Nodes int
	Pwned                  bool
	Overflow, Height       int // pixels by which the page is wider than the window; height of the page
	Canvases               []struct {
		In, Label string
		Box       browsertest.Box
		Rows      int
	}
	Violations []string
	picture    image.Image
}

// see looks at a page.
func see(t testing.TB, page []byte, v browsertest.View, libraries ...string) *sight {
	t.Helper()
	s, visit := browsertest.Ask[sight](t, page, v, look, libraries...)
	for _, message := range visit.Console {
		t.Errorf("%s: the console: %s", v, message)
	}
	s.picture = visit.Picture
	keep(t, s.picture)
	return &s
}

// pictures is where pictures are kept for people to look at.
var pictures = flag.String("pictures", "", "keep what pages look like in this `directory`")

// keep writes a picture that a test has of a page, where that is asked for.
func keep(t testing.TB, picture image.Image) {
	t.Helper()
	if *pictures == "" {
		return
	}
	name := strings.NewReplacer("/", "-", " ", "-").Replace(t.Name()) + ".png"
	if err := os.WriteFile(filepath.Join(*pictures, name), encoded(t, picture), 0o666); err != nil {
		t.Fatal(err)
	}
}

// encoded returns a picture as PNG.
func encoded(t testing.TB, picture image.Image) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&text, picture); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// The pages of captures say the figures that were counted on another way, the hottest
// functions with what each took, and how far all that can be trusted.
func TestCaptures(t *testing.T) {
	for _, tt := range []struct {
		capture, verdict string
		unknown          string   // conditions, of those that were reached
		totals           []string // instructions, lines, functions, files, outcomes
		hottest          []string // with what each took: cycles of the sample, else instructions
	}{
		{
			"sample", "✓ Good.", "14 of 14",
			[]string{"774 of 790", "236 of 245", "39 of 41", "8 of 8", "102 of 106"},
			[]string{"quicksort 107,220", "multiply.constprop.0 41,323", "checksum_task 35,822", "by_digits 35,543", "fibonacci 30,347"},
		},
		{
			"am243x-r5f-etmv3-freertos-002b37c", "✓ Good.", "0 of 10",
			[]string{"521 of 34,642", "204 of 10,123", "26 of 633", "15 of 85", "48 of 4,120"},
			[]string{"free 49,824", "xTaskResumeAll 47,748", "vTaskExitCritical 27,040", "aligned_alloc 25,478", "vTaskEnterCritical 20,800"},
		},
		{
			"am243x-r5f-etmv3-zephyr-e9185a9", "! Good with gaps.", "0 of 25",
			[]string{"746 of 5,422", "298 of 1,694", "37 of 190", "27 of 93", "93 of 968"},
			[]string{"LowPrioTask 146,302", "tm_task_priority_get 146,300", "z_impl_k_thread_priority_get 58,520", "sys_clock_announce 165", "ready_thread 158"},
		},
		{
			"am243x-r5f-etmv3-threadx-ce42d22", "✓ Good.", "0 of 36",
			[]string{"3,437 of 38,122", "1,156 of 11,188", "118 of 636", "59 of 141", "271 of 4,616"},
			[]string{"TI_memset_small 182,024", "PMU_init 6,906", "UART_writePolling 6,349", "UART_readLineStatus 5,634", "__TI_printfi_nofloat 5,632"},
		},
		{"am243x-r5f-etmv3-threadx-002b37c", "✗ Wrong program.", "", nil, nil},
	} {
		t.Run(tt.capture, func(t *testing.T) {
			s := see(t, pageOf(t, tt.capture), browsertest.View{Width: 768, Height: 1024})
			if !strings.HasPrefix(s.Verdict, tt.verdict) {
				t.Errorf("the verdict: %s, want %s", s.Verdict, tt.verdict)
			}
			if trust := s.Sections["trust"]; !strings.Contains(trust, "conditions unknown "+tt.unknown) {
				t.Errorf("not %s conditions unknown: %s", tt.unknown, trust)
			}
			if s.Overflow != 0 {
				t.Errorf("the page is %d pixels wider than the window", s.Overflow)
			}
			for i, want := range tt.totals {
				if i >= len(s.Totals) || !strings.Contains(strings.Join(s.Totals[i], " "), want) {
					t.Errorf("totals %q: line %d is without %s", s.Totals, i, want)
				}
			}
			for i, want := range tt.hottest {
				if i >= len(s.Hottest) || !namesAndTook(s.Hottest[i], want) {
					t.Errorf("the hottest %q: line %d is without %s", s.Hottest, i, want)
				}
			}
			if tt.hottest != nil && (len(s.Table) != 20 || len(s.Hottest) != 20) {
				t.Errorf("%d rows of the table, %d of the hottest, want 20", len(s.Table), len(s.Hottest))
			}
		})
	}
}

// namesAndTook reports whether a row has a name and a figure as its cells.
func namesAndTook(row []string, want string) bool {
	name, took, _ := strings.Cut(want, " ")
	return len(row) > 1 && row[0] == name && strings.Contains(strings.Join(row[1:], " ")+" ", took+" ")
}

// looks are the windows of a desk and of a telephone, also with instructions between lines. They are so high that all of the page is
// in their pictures, of which the first screen is height pixels.
var looks = []struct {
	browsertest.View
	screen int
}{
	{browsertest.View{Width: 1200, Height: 8000}, 900},
	{browsertest.View{Width: 1200, Height: 8000, Dark: true}, 900},
	{browsertest.View{Width: 390, Height: 12000, Hash: "#code=1"}, 844},
	{browsertest.View{Width: 390, Height: 12000}, 844},
	{browsertest.View{Width: 390, Height: 12000, Dark: true}, 844},
}

// The pages of two captures are whole on a desk and on a telephone, light and dark: nothing is
// wider than the window, nothing is drawn in vain or without words, and axe-core finds nothing that
// some people could not use.
func TestLooks(t *testing.T) {
	axe := need.AxeCore(t)
	for _, capture := range []string{"sample", "am243x-r5f-etmv3-freertos-002b37c"} {
		for _, v := range looks {
			t.Run(fmt.Sprint(capture, " ", v.View), func(t *testing.T) {
				s := see(t, pageOf(t, capture), v.View, axe)
				s.complete(t, v.Height)
				screen := image.Rect(0, 0, v.Width, v.screen)
				if l := browsertest.Luminance(s.picture, screen); v.Dark && l >= 80 || !v.Dark && l <= 180 {
					t.Errorf("the luminance of the first screen is %.0f", l)
				}
			})
		}
	}
}

// complete checks that the page fits its window, in which all of it is, with its pictures.
func (s *sight) complete(t *testing.T, height int) {
	t.Helper()
	if s.Overflow != 0 {
		t.Errorf("the page is %d pixels wider than the window", s.Overflow)
	}
	if s.Height > height {
		t.Fatalf("the page is %d pixels high: a picture of %d has not all of it", s.Height, height)
	}
	drawn := map[string]bool{}
	for _, c := range s.Canvases {
		drawn[c.In] = true
		if n := browsertest.Colours(s.picture, c.Box.Rectangle()); n <= 30 {
			t.Errorf("%s: %d colours at %v", c.In, n, c.Box)
		}
		if c.Label == "" || c.Rows == 0 {
			t.Errorf("%s: the canvas has the label %q, and a table of %d rows", c.In, c.Label, c.Rows)
		}
	}
	for _, figure := range []string{"map", "flame", "lanes"} {
		if !drawn[figure] {
			t.Errorf("%s has no canvas", figure)
		}
	}
	for _, v := range s.Violations {
		t.Errorf("axe: %s", v)
	}
}
