package capture

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tracelake/tracelake/decode"
)

// A fileHeader is what a file says of itself.
type fileHeader struct {
	family *decode.Family // nil: it says nothing
	says   []decode.RegisterValue
}

// readHeader reads what a buffer of trace says of itself. shown is its name; given
// returns what the user has given of a family.
func (fs families) readHeader(shown string, data io.ReaderAt, size int64,
	given func(*decode.Family) decode.Registers) (fileHeader, error) {
	head := make([]byte, min(size, decode.HeaderBytes))
	if _, err := data.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return fileHeader{}, fmt.Errorf("read %s: %w", shown, err)
	}
	for i := range fs {
		if fs[i].ReadHeader == nil {
			continue
		}
		says, ok, err := fs[i].ReadHeader(head, size, given(&fs[i]))
		if err != nil {
			return fileHeader{}, fmt.Errorf("%s: %w", shown, err)
		}
		if ok {
			return fileHeader{&fs[i], says}, nil
		}
	}
	return fileHeader{}, nil
}

// KnowsHeader reports whether a raw file says itself of which of the protocols it is. It
// fails if what it says cannot be.
func KnowsHeader(path string, protocols []decode.Family, opt *Options) (bool, error) {
	r := &reader{opt: *opt, c: &Capture{Path: path}}
	defer r.c.Close()
	f, _, size, err := r.openRawFile(path)
	if err != nil {
		return false, err
	}
	h, err := families(protocols).readHeader(path, f, size, r.givenOptions)
	return h.family != nil, err
}

// givenOptions are the options of a family among the arguments of --reg, whose other
// arguments are read once the protocol is known.
func (r *reader) givenOptions(f *decode.Family) decode.Registers { return givenOptions{f, r.opt.Regs} }

type givenOptions struct {
	family *decode.Family
	args   []string // NAME=VALUE
}

// Lookup implements [decode.Registers].
func (g givenOptions) Lookup(name string) (value uint64, ok bool) {
	o := g.family.Option(name)
	if o == nil {
		return 0, false
	}
	for _, arg := range g.args {
		key, word, _ := strings.Cut(arg, "=")
		if v, known := o.Parse(strings.TrimSpace(word)); known && strings.EqualFold(strings.TrimSpace(key), name) {
			value, ok = v, true
		}
	}
	return value, ok
}

// withHeader returns regs with what the file says of itself. Where both say something,
// regs hold: they are the user's word.
func (r *reader) withHeader(shown string, regs Registers, h fileHeader) Registers {
	for _, v := range h.says {
		reg := r.defaultRegister(h.family, v.Name, v.Value)
		given, ok := regs.Lookup(v.Name)
		if !ok {
			regs = regs.set(reg)
		} else if given != v.Value {
			holds := r.defaultRegister(h.family, v.Name, given)
			r.add("%s=%s is given and holds, but %s says %s", v.Name, holds.text(), shown, reg.text())
		}
	}
	return regs
}

// readBufferHeaders reads what the buffers of a snapshot say of themselves that hold
// the stream of one source.
func (b *binder) readBufferHeaders() error {
	for _, s := range b.c.Sources {
		f := b.families.find(s.Protocol)
		if f.ReadHeader == nil {
			continue
		}
		for _, buffer := range s.Buffers {
			if buffer.Format != SourceData {
				continue
			}
			h, err := families{*f}.readHeader(buffer.Name, buffer.Data, buffer.Size,
				func(*decode.Family) decode.Registers { return s.Registers })
			if err != nil {
				return err
			}
			s.Registers = b.withHeader(buffer.Name, s.Registers, h)
		}
	}
	return nil
}
