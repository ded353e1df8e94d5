//go:build unix

package page_test

import (
	"testing"

	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/report/page/browsertest"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
	"github.com/tracelake/tracelake/pipeline/report/reporttest"
)

// senseless is a script that returns what no page should show: values of the program in place of words, one of many, and
// frames with nothing in them.
const senseless = `
const shown = e => e.checkVisibility() && e.getBoundingClientRect().height > 1;
for (const fold of document.querySelectorAll("details")) fold.open = true;
const words = document.body.innerText;
const many = "instructions|cycles|functions|exceptions|entries|rows|tasks|gaps|lines|files|branches|calls|times|bytes|switches|sources";
const found = [...words.matchAll(new RegExp(".{0,40}(\\bNaN\\b|\\bundefined\\b(?! \\d)|\\bInfinity\\b|\\[object|(?<![\\d,.] ?|of )\\b1 (" + many + ")\\b).{0,40}", "g"))].map(m => m[0]);
for (const e of document.querySelectorAll("figure, section, article, table, .scroll, .deep")) {
  if (shown(e) && !e.innerText.trim() && !e.querySelector("canvas, svg")) found.push("empty: " + e.outerHTML.slice(0, 120));
}
for (const c of document.querySelectorAll("canvas")) {
  if (shown(c) && c.getContext("2d").getImageData(0, 0, c.width, c.height).data.every(x => x === 0)) found.push("nothing drawn: " + c.getAttribute("aria-label"));
}
return found;`

// Pages of captures that have much and of those that have little, on a desk and on a telephone, say what they do in
// words, and have no frame around nothing.
func TestPagesMakeSense(t *testing.T) {
	exported := func(name, elf string, opt pipeline.Options) func(*testing.T) []byte {
		return func(t *testing.T) []byte {
			return written(t, reporttest.Export(t, name, elf, opt), content.Options{Title: name, Detail: 200_000, Rows: decodeAgain(t)})
		}
	}
	ofCapture := func(name string) func(*testing.T) []byte { return func(t *testing.T) []byte { return pageOf(t, name) } }
	for _, p := range []struct {
		name string
		page func(t *testing.T) []byte
	}{
		{"sample", ofCapture("sample")},
		{"freertos", ofCapture("am243x-r5f-etmv3-freertos-002b37c")},
		{"zephyr", ofCapture("am243x-r5f-etmv3-zephyr-e9185a9")},
		{"wrong ELF", ofCapture("am243x-r5f-etmv3-threadx-002b37c")},
		{"return stack, without ELF", exported("opencsd-tc2-ptm-rstk-t32", "", pipeline.Options{})},
		{"four sources, windowed", exported("opencsd-TC2", "", pipeline.Options{})},
		{"zephyr without ELF", exported("am243x-r5f-etmv3-zephyr-e9185a9", "", pipeline.Options{})},
		{"packets alone", exported("lpc1769-m3-etmv34-smoothieware", "", pipeline.Options{PacketsOnly: true})},
		{"no sources", func(t *testing.T) []byte {
			return written(t, reporttest.Export(t, "sample", captures["sample"], pipeline.Options{}), content.Options{Title: "sample", Sources: content.Sources{None: true}})
		}},
		{"two runs", func(t *testing.T) []byte { return pageOfTwo(t) }},
	} {
		t.Run(p.name, func(t *testing.T) {
			text := p.page(t)
			for _, v := range []browsertest.View{{Width: 1200, Height: 8000}, {Width: 390, Height: 12000, Dark: true}} {
				found, visit := browsertest.Ask[[]string](t, text, v, senseless)
				keep(t, visit.Picture)
				for _, f := range found {
					t.Errorf("%s: %s", v, f)
				}
			}
		})
	}
}
