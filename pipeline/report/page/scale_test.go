//go:build unix

package page_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/pipeline/report/page/browsertest"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// A scale is how much a page shows.
type scale struct{ functions, frames, spans, lines int }

// block is the data block of a page: gzip in base64.
var block = regexp.MustCompile(`(?s)(<script type="application/octet-stream" id="data">)(.*?)(</script>)`)

// changeData returns a page with other data. Its text stays.
func changeData(t testing.TB, text []byte, change func(d *content.Data)) []byte {
	t.Helper()
	found := block.FindSubmatch(text)
	if found == nil {
		t.Fatal("the page has no data")
	}
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(bytes.TrimSpace(found[2]))))
	if err != nil {
		t.Fatal(err)
	}
	var d content.Data
	if err := json.NewDecoder(z).Decode(&d); err != nil {
		t.Fatal(err)
	}
	change(&d)
	var packed bytes.Buffer
	to := base64.NewEncoder(base64.StdEncoding, &packed)
	w := gzip.NewWriter(to)
	if err := json.NewEncoder(w).Encode(&d); err != nil {
		t.Fatal(err)
	}
	w.Close()
	to.Close()
	return block.ReplaceAll(text, []byte("${1}"+packed.String()+"${3}"))
}

// enlarge repeats what a page shows until it is of a scale.
func (s scale) enlarge(d *content.Data) {
	f := &d.Functions
	named := len(f.Name)
	for i := named; i < s.functions; i++ {
		j := i % named
		f.Name = append(f.Name, fmt.Sprintf("%s_%d", f.Name[j], i))
		f.Address, f.File, f.Line = append(f.Address, f.Address[j]), append(f.File, f.File[j]), append(f.Line, f.Line[j])
		f.Covered, f.Reached, f.Of = append(f.Covered, f.Covered[j]), append(f.Reached, f.Reached[j]), append(f.Of, f.Of[j])
		f.Percent, f.Share = append(f.Percent, f.Percent[j]), append(f.Share, f.Share[j])
		f.Branches, f.Both, f.Entries = append(f.Branches, f.Branches[j]), append(f.Both, f.Both[j]), append(f.Entries, f.Entries[j])
		f.Own, f.Why = append(f.Own, f.Own[j]/int64(i)), append(f.Why, f.Why[j])
		if f.Worst != nil {
			f.Worst = append(f.Worst, f.Worst[j])
		}
		if f.All != nil {
			f.All = append(f.All, f.All[j]/int64(i))
		}
		if f.IPC != nil {
			f.IPC = append(f.IPC, f.IPC[j])
		}
	}
	for i := len(d.Flame.Parent); i < s.frames; i++ {
		parent := int32(1 + i%1000)
		d.Flame.Parent, d.Flame.Frame = append(d.Flame.Parent, min(parent, int32(i))), append(d.Flame.Frame, int32(i%len(d.Flame.Frames.Name)))
		d.Flame.Calls, d.Flame.Instructions = append(d.Flame.Calls, 1), append(d.Flame.Instructions, int64(1+i%7))
		if d.Flame.Cycles != nil {
			d.Flame.Cycles = append(d.Flame.Cycles, int64(1+i%7))
		}
	}
	x := &d.Times[0]
	for i := len(x.Frame); i < s.spans; i++ {
		x.Depth, x.Frame = append(x.Depth, uint16(i%20)), append(x.Frame, int32(i%len(x.Frames.Name)))
		x.Start, x.Took = append(x.Start, 1), append(x.Took, 3)
		x.Length += 1
	}
	file := &d.Source.Files[0]
	for i := len(file.NotSeen); i < s.lines; i++ {
		file.NotSeen = append(file.NotSeen, 2)
	}
}

// A page of a big program shows as few rows as that of a small one, and no list is so long that
// the module fails over it.
func TestScale(t *testing.T) {
	size := need.Size(200_000, 1_000_000)
	big := changeData(t, pageOf(t, "sample"), scale{functions: 200_000, frames: size, spans: size, lines: size}.enlarge)
	s := see(t, big, browsertest.View{Width: 1200, Height: 8000})
	s.complete(t, 8000)
	if len(s.Table) != 20 || len(s.Hottest) != 20 || s.Nodes > 20_000 {
		t.Errorf("%d rows of the table and %d of the hottest, want 20; %d elements in all, want 20,000 at most", len(s.Table), len(s.Hottest), s.Nodes)
	}
}

// BenchmarkOpen says how long pages take to open, until all is drawn, to sort and to filter their table, and to show
// what somebody clicks at or drags over in the time: in milliseconds as the browser counts them.
func BenchmarkOpen(b *testing.B) {
	measure := func(name string, text []byte) {
		b.Run(name, func(b *testing.B) {
			sums := map[string]float64{}
			for b.Loop() {
				took, _ := browsertest.Ask[map[string]float64](b, text, browsertest.View{Width: 1200, Height: 900, Clock: true}, timing)
				for what, ms := range took {
					sums[what] += ms
				}
			}
			for what, ms := range sums {
				b.ReportMetric(ms/float64(b.N), "ms-"+what+"/op")
			}
			b.ReportMetric(float64(len(text))/1000, "KB")
		})
	}
	for _, capture := range []string{"sample", "am243x-r5f-etmv3-freertos-002b37c", "am243x-r5f-etmv3-zephyr-e9185a9"} {
		measure(capture, pageOf(b, capture))
	}
	measure("functions=10000", largePage(b, datasettest.Large{Functions: 10_000, Stacks: 40_000, Calls: 40_000}))
	if need.Long() {
		measure("functions=100000", largePage(b, datasettest.Large{Functions: 100_000, Stacks: 40_000, Calls: 1_000_000}))
	}
}

// largePage returns the page of a large dataset.
func largePage(t testing.TB, l datasettest.Large) []byte {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if err := l.Write(dir); err != nil {
		t.Fatal(err)
	}
	return written(t, dir, content.Options{Title: "large"})
}

// timing is a script that measures: data-ready was set just before it. What a frame of the screen would draw is drawn
// at once, and counts.
const timing = `
const ready = performance.now();
let frames = [];
globalThis.requestAnimationFrame = draw => frames.push(draw);
const took = act => {
  const from = performance.now();
  act();
  for (const draw of frames.splice(0)) draw(from);
  document.body.offsetHeight; // until it is laid out
  return performance.now() - from;
};
const filter = document.querySelector("#table input");
const heads = document.querySelectorAll("#table th button");
const sorting = [0, 1, 4].map(i => took(() => heads[i].click()));
const filtering = ["q", "qu", "quicksort", ""].map(text => took(() => { filter.value = text; filter.dispatchEvent(new Event("input")); }));
[...document.querySelectorAll("#flame button")].find(b => b.textContent === "in time order").click();
const pointer = (canvas, type, share, y) => {
  const {x, width, top} = canvas.getBoundingClientRect();
  canvas.dispatchEvent(new (type === "click" ? MouseEvent : PointerEvent)(type, {bubbles: true, buttons: 1, clientX: x + 150 + share * (width - 150), clientY: top + y}));
};
const [lanes, flame] = ["#lanes .deep canvas", "#flame canvas"].map(of => document.querySelector(of));
lanes.setPointerCapture = flame.setPointerCapture = () => {};
const click = [0.3, 0.6].flatMap(share => [[lanes, 30], [flame, 50]].map(([canvas, y]) => took(() => { pointer(canvas, "pointerdown", share, y); pointer(canvas, "click", share, y); })));
pointer(lanes, "pointerdown", 0.1, 30);
const drag = [0.2, 0.5, 0.95].map(share => took(() => pointer(lanes, "pointermove", share, 30)));
drag.push(took(() => pointer(lanes, "click", 0.95, 30)));
return {open: ready, sort: Math.max(...sorting), filter: Math.max(...filtering), click: Math.max(...click), drag: Math.max(...drag)};`
