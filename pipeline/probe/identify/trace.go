package identify

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/frame"
)

// This file knows trace that is not decoded, by its synchronisation: that of no other protocol
// looks so.

// traces are the protocols, and what to do with trace of them.
var traces = []struct {
	what, do string
	is       func(stream []byte) bool
	sure     bool     // by a synchronisation alone, whatever else is in the bytes
	types    []string // that snapshots have for their sources, as they begin
}{
	{"trace of an STM (MIPI STP)", "use trc_pkt_lister of OpenCSD; " + ofSoftware, isSTP, true, []string{"STM"}},
	{"a recording of SEGGER SystemView", "open it in SystemView; " + ofSoftware, isSystemView, true, nil},
	{"trace of an ITM (SWO)", "use orbuculum; " + ofSoftware, isITM, false, []string{"ITM"}},
}

const ofSoftware = "it says what software wrote, not what was executed"

// Do says what to do with trace of a source that has a type in its snapshot; "": it is not known.
func Do(sourceType string) string {
	for i := range traces {
		if slices.ContainsFunc(traces[i].types, func(t string) bool { return strings.HasPrefix(sourceType, t) }) {
			return traces[i].do
		}
	}
	return ""
}

// stream says what a stream of trace is that is not decoded; nil: it is not known. sure is whether to ask
// only for what one synchronisation shows.
func stream(data []byte, sure bool) *Finding {
	for i := range traces {
		if t := &traces[i]; (t.sure || !sure) && t.is(data) {
			return &Finding{Kind: Foreign, What: t.what, Do: t.do}
		}
	}
	return nil
}

// foreignTrace knows trace that is not decoded, as one stream or in formatter frames. If only some of the
// sources in frames are known, the file is not.
func foreignTrace(_ string, head []byte) *Finding {
	if f := stream(head, false); f != nil {
		return f
	}
	of, rest := streams(head)
	if len(of) == 0 {
		return nil
	}
	if rest > 0 {
		return &Finding{Kind: Unknown, What: unknownFile, Streams: of}
	}
	first := of[slices.Min(slices.Collect(maps.Keys(of)))]
	f := *first
	f.What += " in formatter frames"
	return &f
}

// streams says which sources in formatter frames are of no protocol that is decoded, and how many others
// there are that have more than a few bytes.
func streams(head []byte) (known map[uint8]*Finding, rest int) {
	const few = 64
	layout, sure := frame.Layout{}, true // frames that cannot be told begin with the buffer
	in := bytes.NewReader(head)
	if d, err := frame.Detect(in, in.Size(), frame.DetectOptions{}); err == nil {
		layout, sure = d.Layout, false
	}
	census, err := frame.Scan(in, in.Size(), layout)
	if err != nil {
		return nil, 0
	}
	known = map[uint8]*Finding{}
	for id, n := range census.Streams {
		if n == 0 || !frame.IsSource(uint8(id)) {
			continue
		}
		data, err := decode.ReadAll(frame.NewReader(in, in.Size(), layout, uint8(id)))
		switch f := stream(data.Data, sure); {
		case err != nil:
			return nil, 0
		case f != nil:
			known[uint8(id)] = f
		case n > few && !sure:
			rest++
		}
	}
	return known, rest
}

// isSTP says whether trace synchronises as the System Trace Protocol does: 21 or more nibbles F and one 0
// (ASYNC), then F00 (VERSION), which need not begin with a byte. The low nibble is the first.
func isSTP(data []byte) bool {
	const fs = 21
	var is, isNot, n int
	nibble := func(i int) byte { return data[i/2] >> (i % 2 * 4) & 0xf }
	for i := range 2 * len(data) {
		switch x := nibble(i); {
		case x == 0xf:
			n++
			continue
		case x == 0 && n >= fs && i+4 < 2*len(data):
			if nibble(i+1) == 0xf && nibble(i+2) == 0 && nibble(i+3) == 0 {
				is++
			} else {
				isNot++
			}
		}
		n = 0
	}
	return is > isNot
}

// isSystemView says whether a recording begins as those of SystemView do: ten bytes 0, then the packets
// TRACE_START (10, a time) and INIT (24, its length, four numbers); or with the text that SystemView
// writes before them.
func isSystemView(data []byte) bool {
	const traceStart, initialise, numbers = 10, 24, 4
	if bytes.HasPrefix(data, []byte(";")) && bytes.Contains(data[:min(len(data), headBytes)], []byte("SystemView")) {
		return true
	}
	_, at, found := bytes.Cut(data[:min(len(data), headBytes)], make([]byte, 10))
	at = bytes.TrimLeft(at, "\x00")
	if !found || len(at) == 0 || at[0] != traceStart {
		return false
	}
	n := varint(at[1:])
	if at = at[1+n:]; n == 0 || len(at) < 2 || at[0] != initialise || len(at) < 2+int(at[1]) {
		return false
	}
	payload := at[2 : 2+at[1]]
	for range numbers {
		if n = varint(payload); n == 0 {
			return false
		}
		payload = payload[n:]
	}
	return len(payload) == 0
}

// varint returns how many bytes a number has, of seven bits a byte and 32 bits at most; 0: there is none.
func varint(b []byte) int {
	for i := range min(len(b), 5) {
		if b[i] < 0x80 {
			return i + 1
		}
	}
	return 0
}
