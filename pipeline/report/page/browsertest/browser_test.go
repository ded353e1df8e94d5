//go:build unix

package browsertest

import (
	"fmt"
	"image"
	"image/color"
	"slices"
	"strings"
	"testing"
)

// small is a page of the kind that tests look at: a module that draws on a canvas, says a word
// on the console and sets data-ready.
func small(module string) []byte {
	return []byte(`<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>small</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'"></head>
<body><main><h1>small</h1></main><script type="module">` + module + `</script></body></html>`)
}

const draws = `
const stream = new Blob(["word ".repeat(1000)]).stream().pipeThrough(new CompressionStream("gzip")).pipeThrough(new DecompressionStream("gzip"));
const text = await new Response(stream).text();
document.querySelector("h1").textContent = text.length;
console.log("one\ntwo");
console.log("three");
document.documentElement.dataset.ready = "1";
`

// A test learns what its script returns after the page is ready, whatever is in it, and what
// the console said; a window is as wide as it is to be.
func TestAsk(t *testing.T) {
	type answer struct {
		Heading, Odd string
		Width        int
		Dark         bool
	}
	const script = `
const odd = document.createElement("p");
odd.textContent = "</pre>&lt;";
document.body.append(odd);
return {Heading: document.querySelector("h1").textContent, Odd: odd.textContent + "\u202e\ud800", Width: innerWidth, Dark: matchMedia("(prefers-color-scheme: dark)").matches};`
	// A hash in the policy makes 'unsafe-inline' void: the page's own script would not run.
	page := []byte(strings.Replace(string(small(draws)), "'unsafe-inline'", "'sha256-"+hash(draws)+"'", 1))
	got, visit := Ask[answer](t, page, View{Width: 390, Height: 844, Dark: true}, script)
	if want := (answer{"5000", "</pre>&lt;\u202e\ufffd", 390, true}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	var said []string
	for _, message := range visit.Console {
		said = append(said, strings.SplitN(message, "\"", 3)[1])
	}
	if want := []string{"one\ntwo", "three"}; !slices.Equal(said, want) {
		t.Errorf("the console: %q, want %q", said, want)
	}
	if size := visit.Picture.Bounds().Size(); size != image.Pt(390, 844) {
		t.Errorf("a picture of %v", size)
	}
}

// A failing is a test that may fail.
type failing struct {
	testing.TB
	text string
}

func (f *failing) Helper() {}

func (f *failing) Fatalf(format string, args ...any) {
	f.text = fmt.Sprintf(format, args...)
	panic(f) // the test goes no further
}

// A page that does not get ready fails the test, with what the console said of it.
func TestNotReady(t *testing.T) {
	f := &failing{TB: t}
	func() {
		defer func() { recover() }()
		Open(f, small(`console.log("so far"); null.x;`), View{Width: 390, Height: 844}).Ready(f)
	}()
	for _, want := range []string{"data-ready", "so far", "Uncaught TypeError"} {
		if !strings.Contains(f.text, want) {
			t.Errorf("%q is not in %q", want, f.text)
		}
	}
}

// Colours and luminance are those of a picture that is known.
func TestPicture(t *testing.T) {
	picture := image.NewRGBA(image.Rect(0, 0, 4, 2))
	for x := range 4 {
		picture.Set(x, 0, color.White)
		picture.Set(x, 1, color.RGBA{uint8(x), 0, 0, 255})
	}
	for _, tt := range []struct {
		in   image.Rectangle
		want int
	}{{image.Rect(0, 0, 4, 2), 5}, {image.Rect(0, 0, 4, 1), 1}, {image.Rect(2, 1, 9, 9), 2},
		{image.Rect(9, 9, 10, 10), 0}} {
		if got := Colours(picture, tt.in); got != tt.want {
			t.Errorf("%v: %d colours, want %d", tt.in, got, tt.want)
		}
	}
	if got, want := Luminance(picture, picture.Bounds()), (255*4+0.2126*6)/8; got < want-0.001 || got > want+0.001 {
		t.Errorf("luminance %v, want %v", got, want)
	}
}
