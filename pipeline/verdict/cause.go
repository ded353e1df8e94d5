package verdict

import (
	"maps"
	"regexp"
	"slices"
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
	sums map[string]sum
}

// A sum is how often a cause was there, and what it came to.
type sum struct{ cases, weight int64 }

// number matches what differs between two cases of one cause.
var number = regexp.MustCompile(`0x[0-9a-f]{5,}`)

// Add counts cases of a cause that come to this weight. Addresses in the text do
// not matter. Beyond 256 different ones new causes are not counted.
func (c *Causes) Add(text string, cases, weight int64) {
	if _, known := c.sums[text]; !known {
		text = number.ReplaceAllString(text, "ADDRESS")
	}
	s, known := c.sums[text]
	if !known && len(c.sums) == maxCauses {
		return
	}
	if c.sums == nil {
		c.sums = map[string]sum{}
	}
	c.sums[text] = sum{s.cases + cases, s.weight + weight}
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
