package port

import (
	"math"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/decode"
)

// A Layout is how a capture holds samples (docs/etmv2.md §3). Its number is the value
// of --reg LAYOUT.
type Layout uint8

// The layouts.
const (
	LayoutETMS      Layout = iota // records of 4 bytes after a header
	LayoutETB                     // 32-bit words of an ETB, little-endian
	LayoutETBBE                   // the same, big-endian
	LayoutETB24                   // words of an ETB in 3 bytes
	LayoutETBv2Flat               // words of an ETB with all of PIPESTAT in the low bits (ETMv2)
	LayoutBytes                   // a byte a sample, of 4 pins
	LayoutDump                    // a file of OpenOCD's etm dump (ETMv1)
	LayoutDumpOld                 // the same, as written from 2007 to 2009
	LayoutDemux                   // raw pins of a demultiplexed port
	LayoutMux                     // raw pins of a multiplexed port
	layouts                       // how many there are
)

var layoutNames = [layouts]string{
	"etms", "etb", "etb-be", "etb24", "etb-v2-flat", "bytes", "dump", "dump-old", "demux",
	"mux",
}

// String returns the word for l in --reg LAYOUT=WORD.
func (l Layout) String() string {
	if l < layouts {
		return layoutNames[l]
	}
	return strconv.Itoa(int(l))
}

// has reports whether captures of the major version come in l.
func (l Layout) has(major uint8) bool {
	switch l {
	case LayoutETBv2Flat:
		return major == 2
	case LayoutDump, LayoutDumpOld: // PIPESTAT has 3 bits there
		return major == 1
	}
	return true
}

// hasETBWords reports whether l is the words of an ETB.
func (l Layout) hasETBWords() bool { return l >= LayoutETB && l <= LayoutETBv2Flat }

// hasHeader reports whether files in l begin with a header.
func (l Layout) hasHeader() bool { return l == LayoutETMS || l == LayoutDump || l == LayoutDumpOld }

// isDump reports whether files in l are dumps of OpenOCD.
func (l Layout) isDump() bool { return l == LayoutDump || l == LayoutDumpOld }

// Layouts returns the layouts that captures of a major version come in.
func Layouts(major uint8) []Layout {
	var all []Layout
	for l := range layouts {
		if l.has(major) {
			all = append(all, l)
		}
	}
	return all
}

func layoutWords(major uint8) string {
	var words []string
	for _, l := range Layouts(major) {
		words = append(words, l.String())
	}
	return strings.Join(words, ", ")
}

// defaultMeans describes defaultETMCR.
const defaultMeans = "8 pins, not cycle-accurate, no Context ID, no data"

// Sync are the words for where segments begin: there are no packets for it alone.
var Sync = decode.SyncNames{Cut: "cut"}

// Defaults are the values of registers that are not given for a raw file.
func Defaults() []decode.RegisterDefault {
	return []decode.RegisterDefault{{Register: "ETMCR", Value: defaultETMCR, Means: defaultMeans}}
}

// Versions returns the versions of a protocol, with the registers of a port of 8 pins.
func Versions(major uint8) []decode.FamilyVersion {
	var all []decode.FamilyVersion
	for minor := range newestMinor[major] + 1 {
		n := major<<4 | minor
		all = append(all, decode.FamilyVersion{Name: versionWord(n), Registers: []decode.RegisterValue{
			{Name: "ETMCR", Value: 0x10}, {Name: "ETMVERSION", Value: uint64(n)},
		}})
	}
	return all
}

// Options are the settings beside registers that both protocols have, for a major
// version.
func Options(major uint8) []decode.Option {
	layout := decode.Option{Name: "LAYOUT", Means: "how the capture holds the samples"}
	for _, l := range Layouts(major) {
		layout.Words = append(layout.Words, decode.OptionWord{Word: l.String(), Value: uint64(l)})
		if !l.hasHeader() {
			layout.Try = append(layout.Try, uint64(l))
		}
	}
	size := decode.Option{Name: "PORTSIZE", Means: "how many TRACEPKT pins there are, whatever ETMCR says"}
	for _, w := range widths {
		size.Words = append(size.Words, decode.OptionWord{Word: strconv.Itoa(int(w)), Value: uint64(w)})
		size.Try = append(size.Try, uint64(w))
	}
	var versions []decode.OptionWord
	for minor := range newestMinor[major] + 1 {
		n := major<<4 | minor
		versions = append(versions, decode.OptionWord{Word: versionWord(n), Value: uint64(n)})
	}
	return []decode.Option{
		layout,
		{Name: "ETMVERSION", Means: "the version of the ETM, where ETMCCR and ETMIDR are not given", Words: versions},
		size,
		{
			Name: "HIVECS", Means: "1: the exception vectors are at 0xFFFF0000",
			Words: []decode.OptionWord{{Word: "0", Value: 0}, {Word: "1", Value: 1}},
		},
		{
			Name: "ENDIAN", Means: "the order of the bytes of data values",
			Words: []decode.OptionWord{{Word: "little", Value: 0}, {Word: "big", Value: 1}},
		},
		{Name: "ETBRWP", Means: "the write pointer of the ETB, in words", Numbers: true, Most: math.MaxUint32},
		{Name: "ETBSTS", Means: "the status of the ETB: bit 0, it was full", Numbers: true, Most: math.MaxUint32},
	}
}
