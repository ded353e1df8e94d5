//go:build unix

package page_test

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/pipeline/report/page/browsertest"
)

// The pictures of the README are of the page as it is. Letters may differ, as fonts do: what is compared is
// where the page is how light and of which colour.
func TestREADMEPictures(t *testing.T) {
	for name, dark := range map[string]bool{"report-light.png": false, "report-dark.png": true} {
		t.Run(name, func(t *testing.T) {
			got := browsertest.Open(t, pageOf(t, "sample"), browsertest.View{Width: 1200, Height: 1430, Dark: dark})
			got.Ready(t)
			file := filepath.Join(need.Module(t), "docs", name)
			if *update {
				if err := os.WriteFile(file, encoded(t, fewColours(got.Picture)), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := png.Decode(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if len(text) > 100_000 {
				t.Errorf("docs/%s has %d bytes, want 100,000 at most", name, len(text))
			}
			if want.Bounds() != got.Picture.Bounds() {
				t.Fatalf("docs/%s is of %v, the page of %v: go test -run TestREADMEPictures -update", name, want.Bounds(),
					got.Picture.Bounds())
			}
			different, cells := 0, 0
			const cell = 60
			for y := 0; y < want.Bounds().Dy(); y += cell {
				for x := 0; x < want.Bounds().Dx(); x += cell {
					cells++
					in := image.Rect(x, y, x+cell, y+cell)
					if browsertest.Difference(want, got.Picture, in) > 25 {
						different++
					}
				}
			}
			if different > cells/20 {
				t.Errorf("docs/%s differs from the page in %d of %d places: go test -run TestREADMEPictures -update", name,
					different, cells)
			}
		})
	}
}

// fewColours returns a picture in 256 colours, a third of the bytes: in those that it has most of, of which
// none is like another, so that rare ones have their place.
func fewColours(picture image.Image) image.Image {
	count := map[color.RGBA]int{}
	in := picture.Bounds()
	for y := in.Min.Y; y < in.Max.Y; y++ {
		for x := in.Min.X; x < in.Max.X; x++ {
			count[color.RGBAModel.Convert(picture.At(x, y)).(color.RGBA)]++
		}
	}
	var palette color.Palette
	for _, c := range slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(count[b]-count[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	}) {
		alike := func(other color.Color) bool {
			o := other.(color.RGBA)
			return max(apart(c.R, o.R), apart(c.G, o.G), apart(c.B, o.B)) <= 8
		}
		if len(palette) < 256 && !slices.ContainsFunc(palette, alike) {
			palette = append(palette, c)
		}
	}
	few := image.NewPaletted(in, palette)
	draw.Draw(few, in, picture, in.Min, draw.Src)
	return few
}

func apart(a, b uint8) uint8 { return max(a, b) - min(a, b) }
