//go:build unix

package browsertest

import (
	"image"
	"math"
)

// A Box is where something is in the window, in pixels: what getBoundingClientRect returns.
type Box struct{ X, Y, Width, Height float64 }

// Rectangle returns b in pixels of a picture.
func (b Box) Rectangle() image.Rectangle {
	return image.Rect(int(b.X), int(b.Y), int(b.X+b.Width), int(b.Y+b.Height))
}

// Colours returns how many colours a picture has in a rectangle.
func Colours(picture image.Image, in image.Rectangle) int {
	seen := map[[3]uint8]bool{}
	each(picture, in, func(r, g, b uint8) { seen[[3]uint8{r, g, b}] = true })
	return len(seen)
}

// Luminance returns the mean luminance of a picture in a rectangle, from 0 to 255 (ITU-R BT.709,
// of the values as they are, gamma and all).
func Luminance(picture image.Image, in image.Rectangle) float64 {
	sum, n := 0.0, 0
	each(picture, in, func(r, g, b uint8) {
		sum += 0.2126*float64(r) + 0.7152*float64(g) + 0.0722*float64(b)
		n++
	})
	return sum / float64(max(n, 1))
}

func each(picture image.Image, in image.Rectangle, f func(r, g, b uint8)) {
	in = in.Intersect(picture.Bounds())
	for y := in.Min.Y; y < in.Max.Y; y++ {
		for x := in.Min.X; x < in.Max.X; x++ {
			r, g, b, _ := picture.At(x, y).RGBA()
			f(uint8(r>>8), uint8(g>>8), uint8(b>>8))
		}
	}
}

// Difference returns by how much the mean colours of two pictures differ in a rectangle: the largest of red, green and
// blue, of 255.
func Difference(x, y image.Image, in image.Rectangle) float64 {
	a, b := mean(x, in), mean(y, in)
	most := 0.0
	for i := range a {
		most = max(most, math.Abs(a[i]-b[i]))
	}
	return most
}

func mean(picture image.Image, in image.Rectangle) (colour [3]float64) {
	n := 0.0
	each(picture, in, func(r, g, b uint8) {
		colour[0], colour[1], colour[2] = colour[0]+float64(r), colour[1]+float64(g), colour[2]+float64(b)
		n++
	})
	for i := range colour {
		colour[i] /= max(n, 1)
	}
	return colour
}
