// Package figures writes numbers for people: everywhere in the same way.
//
// Its API is not stable (docs/guide/library.md).
package figures

import (
	"math"
	"strconv"
	"strings"
)

// Count puts n before its noun, which is given in the singular: "1 gap", "2 losses", "3 entries".
func Count(n int64, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "ch"):
		noun += "es"
	case strings.HasSuffix(noun, "ry"):
		noun = strings.TrimSuffix(noun, "y") + "ies"
	default:
		noun += "s"
	}
	return Thousands(n) + " " + noun
}

// Percent writes n of total as a percentage: "33.33 %". See [PercentTo].
func Percent(n, total int64) string { return PercentTo(n, total, 2) + " %" }

// PercentTo writes n of total in percent, with that many decimals. It is rounded, but
// 100 only if n is all and 0 only if n is nothing; all of nothing is 100. With decimals,
// less than a tenth is "< 0.1".
func PercentTo(n, total int64, decimals int) string {
	switch n {
	case total:
		return "100"
	case 0:
		return "0"
	}
	return inside(float64(n)/float64(total), decimals)
}

// Share writes a share from 0 to 1 as a percentage, as Percent does.
func Share(share float64) string {
	switch share {
	case 1:
		return "100 %"
	case 0:
		return "0 %"
	}
	return inside(share, 2) + " %"
}

// inside writes a share that is neither all nor nothing.
func inside(share float64, decimals int) string {
	if decimals > 0 && 100*share < 0.1 {
		return "< 0.1"
	}
	least := math.Pow10(-decimals)
	return strconv.FormatFloat(min(max(100*share, least), 100-least), 'f', decimals, 64)
}

// Thousands writes n with commas: "1,234,567".
func Thousands(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
