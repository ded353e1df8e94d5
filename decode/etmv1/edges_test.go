package etmv1

import (
	"math/rand/v2"
	"testing"

	"github.com/tracelake/tracelake/decode/port"
)

// What the fast paths take begins and ends anywhere: at each sample of a part, inside a run
// of instructions, inside the offset and the address of a branch. Wherever a part ends, they
// make what the plain rules make.
func TestFastPathEdges(t *testing.T) {
	const begin = start + "TD:00 "
	for _, tt := range []struct{ name, samples string }{
		{"a branch first and last", begin + "BE:41* IE:00 IE:00 IE:00 IN:00 BE:18* IE:00 IE:00"},
		{"an address that goes on after the offset", begin + "BE:90* IE:80 IE:02 IE:00 BE:90* IE:80 WT:82 IE:00"},
		{"an address longer than the offset", begin + "BE:90* IE:80 IE:82 BE:41* IE:00 IE:00 IE:00 TD:00"},
		{"a status that cannot be in the offset", begin + "BE:10* BE:00 IE:00 IE:00 IE:00 TD:00"},
		{"and one in its second sample", begin + "BE:10* IE:00 BE:00 IE:00 IE:00 IE:00 TD:00"},
		{"bad first", begin + "BE:10* TD:00 IE:00 IE:00 " + start},
		{"bad second", begin + "BE:10* IE:00 TR:07 IE:00 " + start},
		{"an abandoned branch before a usual one", begin + "BE:10* BE:18* IE:00 IE:00 BE:10* IE:00 IE:00 IE:00 TD:00"},
		{"a trigger in the offset", begin + "BE:10* TR:00 IE:00 IE:00 BE:10* IE:00 TR:00 IE:00 TD:00"},
		{"a trigger first in the offset", begin + "BE:10* IE:00 TR:00 IE:00 BE:10* TR:00 IE:00 IE:00 TD:00"},
		{"waits between", begin + "IE:00 WT:00 BE:10* IE:00 IE:00 WT:00 WT:00 IE:00 TD:00"},
		{"a pair of halves", begin + "BE:49* IE:00 IE:00 IE:00 IE:00 IE:00 IE:00 IE:00 TD:00"},
	} {
		b := records(t, tt.samples)
		for samples := 1; samples <= len(b)/port.SampleBytes; samples++ {
			for _, data := range []bool{false, true} {
				c := config(8)
				c.DataAddress, c.DataValue = data, data
				t.Run(tt.name, func(t *testing.T) { sameWarm(t, c, b, samples) })
			}
		}
	}
	for seed := range uint64(12) {
		c := config(8)
		c.DataAddress, c.DataValue = seed%2 == 1, seed%3 > 0
		b := withData(seed, randomTrace(seed, 150))
		for samples := 1; samples < 150; samples++ {
			sameWarm(t, c, b, samples)
		}
	}
}

// withData is a stream in which some instructions owe data.
func withData(seed uint64, b []byte) []byte {
	random := rand.New(rand.NewPCG(seed, 'd'))
	for i := 0; i < len(b); i += port.SampleBytes {
		if b[i]&0xF == statusIE && random.IntN(6) == 0 {
			b[i] |= statusID
		}
	}
	return b
}

// Data may come before its status, but not before the status of the instruction before it,
// whichever path took that one.
func TestDataAfterFastPath(t *testing.T) {
	c := config(8)
	c.DataValue = true
	const target = "BE:30* IE:00 IE:00 " // ldrb, ldrh
	const end = "TD:00 BE:10* IE:00 IE:00 ID:78 WT:56 WT:34 WT:12 TD:00 IE:00 TD:00"
	for _, before := range []string{"IE:00 ", "IN:00 ", "IE:77 ", "TD:00 IE:00 TD:00 ", "WT:77 IN:00 "} {
		for _, load := range []string{"ID:34 WT:12 ", "WT:34 ID:12 ", "WT:34 WT:12 ID:00 ", "WT:77 WT:34 ID:12 "} {
			b := records(t, start+target+before+load+end)
			for samples := 1; samples <= len(b)/port.SampleBytes; samples++ {
				sameWarm(t, c, b, samples)
			}
		}
		b := records(t, start+target+"ID:12 "+before+target+"WT:12 ID:12 "+end) // a branch before a load
		for samples := 1; samples <= len(b)/port.SampleBytes; samples++ {
			sameWarm(t, c, b, samples)
		}
	}
}
