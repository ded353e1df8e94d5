package reading

import (
	"maps"
	"slices"
	"strings"
)

// A Cause is what made something go wrong, and how often.
type Cause struct {
	Count int64  `json:"count"`
	Text  string `json:"text"`
}

// maxCauses bounds how many causes are counted separately.
const maxCauses = 256

// Causes counts why something went wrong. The zero value is ready for use.
type Causes struct {
	sums map[string]*sum
	text []byte // the last text that was added, without addresses
}

// A sum is how often a cause was there, and what it came to.
type sum struct{ cases, weight int64 }

// Add counts cases of a cause that come to this weight. Addresses in the text do
// not matter. Beyond 256 different ones new causes are not counted.
func (c *Causes) Add(text string, cases, weight int64) {
	c.text = appendWithoutAddresses(c.text[:0], text)
	s := c.sums[string(c.text)]
	if s == nil {
		if len(c.sums) == maxCauses {
			return
		}
		if c.sums == nil {
			c.sums = map[string]*sum{}
		}
		s = &sum{}
		c.sums[string(c.text)] = s
	}
	s.cases += cases
	s.weight += weight
}

// minAddress is how many digits a number of base 16 has at least to be an address.
const minAddress = 5

// appendWithoutAddresses appends a text to b, with a word for each address: they are what
// differs between two cases of one cause.
func appendWithoutAddresses(b []byte, text string) []byte {
	for {
		before, after, found := strings.Cut(text, "0x")
		b = append(b, before...)
		if !found {
			return b
		}
		if rest := strings.TrimLeft(after, "0123456789abcdef"); len(after)-len(rest) < minAddress {
			b, text = append(b, "0x"...), after
		} else {
			b, text = append(b, "ADDRESS"...), rest
		}
	}
}

// Commonest returns the cause with the most weight, nil if there is none.
func (c *Causes) Commonest() *Cause {
	var most *Cause
	var weight int64
	for _, text := range slices.Sorted(maps.Keys(c.sums)) {
		if s := c.sums[text]; most == nil || s.weight > weight {
			most, weight = &Cause{s.cases, text}, s.weight
		}
	}
	return most
}
