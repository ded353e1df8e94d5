package isa

// A Pattern is a set of words, those with word & Mask == Value.
type Pattern struct{ Mask, Value uint32 }

// PatternsA64 are the rules of A64, of which tests make words.
func PatternsA64() []Pattern { return patterns(a64) }

// Patterns are the rules of a dialect for the 32-bit instructions of A32 and of T32.
func (d Dialect) Patterns() (a32, t32 []Pattern) {
	if d == PFT {
		return patterns(a32Unconditional, a32Conditional), patterns(t32Wide)
	}
	return patterns(a32Unconditional, a32ConditionalETMv4), patterns(t32Rules[d].wide)
}

func patterns(lists ...[]rule) (all []Pattern) {
	for _, rules := range lists {
		for _, r := range rules {
			all = append(all, Pattern{r.mask, r.value})
		}
	}
	return all
}
