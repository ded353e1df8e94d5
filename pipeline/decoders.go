package pipeline

import (
	"context"
	"slices"
	"sync"
	"unsafe"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// decoders lends out the decoders of one source.
type decoders struct {
	new  func() decode.Decoder
	mu   sync.Mutex
	idle []decode.Decoder
	// density is runs per 1024 bytes in the unit seen last.
	density int
}

// decoded is a unit on its way from a worker to the stitcher.
type decoded struct {
	*stitch.Unit
	bytes int64 // of memory that its rows take up
}

// decode decodes a unit, with the decoder of the unit before if it continues its
// segment.
func (d *decoders) decode(ctx context.Context, u *workUnit) (decoded, error) {
	if len(u.parts) == 0 {
		u.Rows = &decode.Result{}
		return decoded{&u.Unit, 0}, nil
	}
	// Units are much alike, and growing costs as much as decoding does.
	rows := &decode.Result{Runs: make([]schema.Run, 0, d.runs(u.bytes))}
	var decoder decode.Decoder
	if u.prev == nil {
		decoder = d.get()
	} else {
		select {
		case decoder = <-u.prev:
		case <-ctx.Done():
			return decoded{}, ctx.Err()
		}
	}
	for i := range u.parts {
		decoder.Decode(rows, u.parts[i])
	}
	u.parts = nil // their bytes are no longer needed
	d.observe(len(rows.Runs), u.bytes)
	if cap(rows.Runs) > 2*len(rows.Runs) {
		rows.Runs = slices.Clip(slices.Clone(rows.Runs)) // they may wait for long
	}
	if u.next != nil {
		u.next <- decoder
	} else {
		d.put(decoder)
	}
	u.Rows = rows
	return decoded{&u.Unit, memoryOf(rows)}, nil
}

func (d *decoders) get() decode.Decoder {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := len(d.idle); n > 0 {
		decoder := d.idle[n-1]
		d.idle = d.idle[:n-1]
		return decoder
	}
	return d.new()
}

func (d *decoders) put(decoder decode.Decoder) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.idle = append(d.idle, decoder)
}

// runs estimates how many runs so many bytes make.
func (d *decoders) runs(bytes int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return bytes * d.density / 1024
}

// observe takes note of how many runs so many bytes made.
func (d *decoders) observe(runs, bytes int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.density = runs*1024/max(bytes, 1) + 64
}

// memoryOf returns the bytes that the rows of a unit take up.
func memoryOf(u *decode.Result) int64 {
	n := sizeOf(u.Blocks) + sizeOf(u.Runs) + sizeOf(u.Costs) + sizeOf(u.Spans) + sizeOf(u.Exceptions) + sizeOf(u.Counts) +
		sizeOf(u.Timestamps) + sizeOf(u.Contexts) + sizeOf(u.Data) + sizeOf(u.Events) + sizeOf(u.Losses) + sizeOf(u.Packets) +
		sizeOf(u.Segments)
	for i := range u.Packets {
		n += int64(len(u.Packets[i].Bytes) + len(u.Packets[i].Fields))
	}
	for i := range u.Segments {
		if in := u.Segments[i].Inside; in != nil {
			n += memoryOf(in)
		}
	}
	return n
}

func sizeOf[T any](s []T) int64 {
	var x T
	return int64(cap(s)) * int64(unsafe.Sizeof(x))
}
