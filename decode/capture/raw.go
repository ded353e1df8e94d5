package capture

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode/image"
)

// openRaw opens a file of one stream, or of formatter frames (§7).
func (r *reader) openRaw(path string) error {
	switch {
	case r.opt.Protocol == "":
		return &InputError{
			File: path, Problem: "is no snapshot, and its protocol is not given",
			Remedy: "add --protocol " + strings.Join(r.families.raw(), "|") + ", and --framed if it is in formatter frames (tracelake inspect finds out which)", Err: ErrUsage,
		}
	case !slices.Contains(r.families.raw(), r.opt.Protocol):
		return usage("--protocol "+r.opt.Protocol, "is not known", "known are "+strings.Join(r.families.raw(), ", "))
	case r.opt.Buffer != "":
		return usage("--buffer "+r.opt.Buffer, "is given, but a raw file is one buffer", "leave it out")
	}
	f, name, size, err := r.openRawFile(path)
	if err != nil {
		return err
	}
	if err := r.readCommandLine(); err != nil {
		return err
	}
	b := &Buffer{ID: name, Name: name, Files: []string{name}, Format: SourceData}
	if r.opt.Framed {
		b.Format = CoreSight
	}
	b.Data, b.Size = f, size
	r.c.Buffers = []*Buffer{b}
	if err := r.placeBuffers(); err != nil {
		return err
	}

	s := &Source{Name: name, Type: r.opt.Protocol, Protocol: r.opt.Protocol, Registers: r.rawRegisters(), Buffers: r.c.Buffers}
	s.Memory = image.New(image.Order(r.images)...)
	s.file = "--protocol"
	r.settleProtocol(s)
	s.Profile = Profile(r.families.find(s.Protocol).Profile)
	if len(r.images) == 0 {
		r.noMemory(path)
	}
	if r.opt.Framed {
		r.c.Template = s
	} else {
		r.c.Sources = []*Source{s}
	}
	return r.readSymbolsFlags()
}

// openRawFile opens the file, or takes the one that was unpacked, which whoever did
// that closes.
func (r *reader) openRawFile(path string) (f *os.File, name string, size int64, err error) {
	if u := r.opt.Unpacked; u != nil {
		if u.Note != "" {
			r.add("%s", u.Note)
		}
		r.input(path, u.Name, u.Size).Data = u.File
		return u.File, u.Name, u.Size, nil
	}
	f, size, err = openRegular(path, os.Stat, os.Open)
	if err != nil {
		return nil, "", 0, unreadable(path, err, howToName)
	}
	name = filepath.Base(path)
	r.keep(path, name, f, size)
	return f, name, size, nil
}

// rawRegisters are the registers of the command line, and defaults for others,
// each announced.
func (r *reader) rawRegisters() Registers {
	regs := Registers(nil)
	for _, reg := range r.regs {
		regs = regs.set(reg)
	}
	for _, d := range r.families.find(r.opt.Protocol).Defaults {
		if _, given := regs.Lookup(d.Register); given {
			continue
		}
		number, _ := registerNumber(d.Register)
		reg := Register{Name: d.Register, Number: number, HasNumber: true, Bits: 32, Value: d.Value}
		regs = append(regs, reg)
		r.add("register %s is not given: %s is taken (%s); --reg %s=VALUE sets it", reg.Name, reg.text(), d.Means, reg.Name)
	}
	return regs
}

// placeBuffers applies the options for the start of the frames and of the ring in
// the buffer.
func (r *reader) placeBuffers() error {
	for _, o := range []struct {
		flag  string
		value *int64
		apply func(b *Buffer, at int64) (problem string)
	}{
		{"--ring-start", r.opt.RingStart, (*Buffer).setRingStart},
		{"--frame-offset", r.opt.FrameOffset, (*Buffer).setFrameOffset},
	} {
		if o.value == nil {
			continue
		}
		flag := fmt.Sprintf("%s %d", o.flag, *o.value)
		if n := len(r.c.Buffers); n != 1 {
			return usage(flag, fmt.Sprintf("is given, but there are %d buffers", n), "choose one with --buffer NAME")
		}
		if problem := o.apply(r.c.Buffers[0], *o.value); problem != "" {
			return usage(flag, problem, "correct it or leave it out")
		}
	}
	return nil
}

// setRingStart makes b a ring with its oldest byte at start.
func (b *Buffer) setRingStart(start int64) (problem string) {
	if start < 0 || start > 0 && start >= b.Size {
		return fmt.Sprintf("is outside buffer %s, which has %d bytes", b.Name, b.Size)
	}
	b.RingStart = start
	return ""
}

func (b *Buffer) setFrameOffset(at int64) (problem string) {
	switch {
	case b.Format == SourceData:
		return fmt.Sprintf("is given, but buffer %s is not in frames (a raw file is with --framed)", b.Name)
	case at < 0 || at > b.Size:
		return fmt.Sprintf("is outside buffer %s, which has %d bytes", b.Name, b.Size)
	}
	b.FrameOffset = &at
	return ""
}
