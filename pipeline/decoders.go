package pipeline

import (
	"context"
	"sync"

	"github.com/tracelake/tracelake/decode"
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

// decode decodes a unit, with the decoder of the unit before if it continues its
// segment.
func (d *decoders) decode(ctx context.Context, u *workUnit) (decoded, error) {
	if len(u.parts) == 0 {
		return decoded{u, &decode.Result{}}, nil
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
	if u.next != nil {
		u.next <- decoder
	} else {
		d.put(decoder)
	}
	return decoded{u, rows}, nil
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
