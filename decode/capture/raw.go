package capture

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
)

// openRaw opens a file of one stream, or of formatter frames (§7).
func (r *reader) openRaw(path string) error {
	f, name, size, err := r.openRawFile(path)
	if err != nil {
		return err
	}
	if isRecording, err := startsRecording(name, f); err != nil || isRecording {
		if err == nil {
			err = r.openRecording(name, f, size)
		}
		return err
	}
	if r.opt.Buffer != "" {
		return usage("--buffer "+r.opt.Buffer, "is given, but a raw file is one buffer", "leave it out")
	}
	header, err := r.families.readHeader(path, f, size, r.givenOptions)
	if err != nil {
		return err
	}
	if err := r.chooseProtocol(path, header); err != nil {
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
	r.addRawSource(name, header)
	if len(r.images) == 0 {
		r.noMemory(path)
	}
	if err := r.readSymbolsFlags(); err != nil {
		return err
	}
	return r.checkWide(r.families.find(r.protocol).AArch64)
}

// chooseProtocol sets the protocol of a raw file: what the file says, else that of the
// command line.
func (r *reader) chooseProtocol(path string, h fileHeader) error {
	given := r.opt.Protocol
	r.protocol = given
	switch known := r.families.raw(); {
	case h.family != nil && given == "":
		r.protocol = h.family.Name
	case h.family != nil && given != h.family.Name:
		return usage("--protocol "+given, fmt.Sprintf("is given, but %s says itself that it is %s", path, h.family.Name),
			"leave it out")
	case given == "":
		return &InputError{
			File: path, Problem: "is no snapshot, and its protocol is not given",
			Remedy: "add --protocol " + strings.Join(known, "|") +
				", and --framed if it is in formatter frames (tracelake inspect finds out which)", Err: ErrNoProtocol,
		}
	case !slices.Contains(known, given):
		return usage("--protocol "+given, "is not known", "known are "+strings.Join(known, ", "))
	}
	if r.opt.Framed && r.families.find(r.protocol).Unframed {
		return usage("--framed", fmt.Sprintf("is given, but formatter frames never carry %s", r.protocol), "leave it out")
	}
	return nil
}

// addRawSource adds the source of a raw file.
func (r *reader) addRawSource(name string, header fileHeader) {
	s := &Source{
		Name: name, Type: r.protocol, Protocol: r.protocol, Registers: r.rawRegisters(name, header),
		Buffers: r.c.Buffers,
	}
	s.Memory = image.New(image.Order(r.images)...)
	s.file = "--protocol"
	r.settleProtocol(s)
	s.Profile = Profile(r.families.find(s.Protocol).Profile)
	if r.opt.Framed {
		s.splitData = r.families.splitsData(s)
		r.c.Template = s
	} else {
		r.c.Sources = []*Source{s}
	}
}

// programProfile is the profile of the core, if the program can only be one of profile M.
func (r *reader) programProfile() Profile {
	profile := ProfileUnknown
	for i := range r.images {
		switch x := &r.images[i]; {
		case x.AArch64 || x.Profile == 'A' || x.Profile == 'R':
			return ProfileUnknown
		case x.Profile == 'M':
			profile = ProfileM
		}
	}
	return profile
}

// openRawFile opens the file, or takes the one that was unpacked, which whoever did
// that closes.
func (r *reader) openRawFile(path string) (f File, name string, size int64, err error) {
	if u := r.opt.Unpacked; u != nil {
		if u.Note != "" {
			r.add("%s", u.Note)
		}
		r.input(path, u.Name, TraceFile, u.File.Name(), u.Size).Data = u.File
		return u.File, u.Name, u.Size, nil
	}
	name = filepath.Base(path)
	if stored := r.opt.Stored; stored != nil {
		name, _ = stored.Begin()
		if f, size, err = stored.Open(name); err != nil {
			return nil, "", 0, err
		}
	} else if f, size, err = openRegular(path, os.Stat, os.Open); err != nil {
		return nil, "", 0, unreadable(path, err, howToName)
	}
	r.keep(path, name, f, size)
	return f, name, size, nil
}

// rawRegisters are the registers of the command line, what the file says of itself,
// and defaults for others, each announced.
func (r *reader) rawRegisters(name string, header fileHeader) Registers {
	regs := Registers(nil)
	for _, reg := range r.regs {
		regs = regs.set(reg)
	}
	regs = r.withHeader(name, regs, header)
	family := r.families.find(r.protocol)
	defaults := family.Defaults
	if family.Missing != nil {
		defaults = family.Missing(decode.Source{Profile: string(r.programProfile())})
	}
	for _, d := range defaults {
		if _, given := regs.Lookup(d.Register); given {
			continue
		}
		reg := r.defaultRegister(family, d.Register, d.Value)
		regs = append(regs, reg)
		r.add("register %s is not given: %s is taken (%s); --reg %s=VALUE sets it", reg.Name, reg.text(), d.Means, reg.Name)
	}
	return regs
}

// placeBuffers applies the options for the start of the frames and of the ring in
// the buffer.
func (r *reader) placeBuffers() error {
	if r.opt.RingStart != nil && slices.ContainsFunc(r.opt.Regs, setsWritePointer) {
		return usage(fmt.Sprintf("--ring-start %d", *r.opt.RingStart),
			"is given beside --reg "+writePointer+", which says too where the ring starts", "leave out one of them")
	}
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

// writePointer is the register with the write pointer of an ETB.
const writePointer = "ETBRWP"

// setsWritePointer reports whether NAME=VALUE sets it.
func setsWritePointer(arg string) bool {
	name, _, _ := strings.Cut(arg, "=")
	return strings.EqualFold(strings.TrimSpace(name), writePointer)
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
