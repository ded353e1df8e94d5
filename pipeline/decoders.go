package pipeline

import (
	"context"
	"sync"

	"github.com/tracelake/tracelake/decode"
)

// decoders lends out the decoders of one source.
type decoders struct {
	new  func() decode.Decoder
	mu   sync.Mutex
	idle []decode.Decoder
}

// decode decodes a unit, with the decoder of the unit before if it goes on its
// segment.
func (d *decoders) decode(ctx context.Context, u *unit) (decoded, error) {
	rows := &decode.Unit{}
	if len(u.parts) == 0 {
		return decoded{u, rows}, nil
	}
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
