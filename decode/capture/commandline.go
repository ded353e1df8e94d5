package capture

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
)

// readCommandLine reads the registers and images of the options. Among images
// the later goes before the earlier, and --image before --elf.
func (r *reader) readCommandLine() error {
	if err := r.readRegisterFlags(); err != nil {
		return err
	}
	for _, arg := range r.opt.ELFs {
		if err := r.readELFFlag(arg); err != nil {
			return err
		}
	}
	for _, arg := range r.opt.Images {
		if err := r.readImageFlag(arg); err != nil {
			return err
		}
	}
	r.c.Regions = append(r.c.Regions, r.images...)
	return nil
}

// readRegisterFlags reads NAME=VALUE. A name must be known, so that a typing error
// is reported; a number instead of a name may be any.
func (r *reader) readRegisterFlags() error {
	for _, arg := range r.opt.Regs {
		key, value, ok := strings.Cut(arg, "=")
		if !ok {
			return usage("--reg "+arg, "has no '='", "write --reg NAME=VALUE")
		}
		reg, err := r.readRegisterFlag(arg, strings.TrimSpace(key), strings.TrimSpace(value))
		if err != nil {
			return err
		}
		r.regs = append(r.regs, reg)
	}
	return nil
}

func (r *reader) readRegisterFlag(arg, key, value string) (Register, error) {
	if options := r.optionsOf(key); options != nil {
		return r.optionFlag(arg, value, options)
	}
	unknown := usage("--reg "+arg, "names no register that matters here", r.knownNames())
	known := slices.ContainsFunc(r.knownRegisters(), func(name string) bool { return strings.EqualFold(name, key) })
	_, notNumber := parseNumber(key)
	if !known && notNumber != nil && !strings.Contains(key, "(") {
		return Register{}, unknown
	}
	reg, err := r.parseNumberedRegister(key, value)
	if notNumber != nil {
		reg, err = r.parseRegister(key, value)
	}
	if err == nil && reg.Bits > 64 {
		err = errors.New("has more than 64 bits")
	}
	if err != nil {
		return Register{}, usage("--reg "+arg, err.Error(), "write --reg NAME=VALUE, as ETMCR=0x400")
	}
	if number, ok := registerNumber(reg.Name); ok {
		reg.Number, reg.HasNumber = number, true
	} else if !reg.HasNumber {
		return Register{}, unknown
	}
	return reg, nil
}

// readELFFlag reads FILE or FILE@BASE: memory, and the names of what is in it.
func (r *reader) readELFFlag(arg string) error {
	name, base := r.splitBase("--elf", arg)
	p, err := r.openProgram(name, base)
	if err != nil {
		return err
	}
	r.c.Programs = append(r.c.Programs, p)
	r.c.Arguments.ELFs = append(r.c.Arguments.ELFs, r.argument("", name, arg))
	regions, err := image.ReadELF(p.File, base)
	if err != nil {
		return memoryError(name, err)
	}
	for _, region := range regions {
		r.memory += uint64(len(region.Bytes))
		if region.AArch64 {
			r.needWide(&InputError{File: name, Problem: "is a program of AArch64", Remedy: "give the 32-bit Arm program that ran"})
		}
	}
	if r.memory > maxMemory {
		return memoryError(name, errTooMuchMemory)
	}
	r.images = append(r.images, regions...)
	return nil
}

// readImageFlag reads FILE@ADDR or FILE@ADDR:SPACE.
func (r *reader) readImageFlag(arg string) error {
	const form = "write --image FILE@ADDR or FILE@ADDR:SPACE"
	i := strings.LastIndexByte(arg, '@')
	if i < 0 {
		return usage("--image "+arg, "says no address", form)
	}
	address, word, hasSpace := strings.Cut(arg[i+1:], ":")
	d := image.Dump{ToEnd: true}
	var err error
	if d.Address, err = parseNumber(address); err != nil {
		return usage("--image "+arg, err.Error(), form)
	}
	if hasSpace {
		var ok bool
		if d.Space, ok = image.ParseSpace(word); !ok {
			return usage("--image "+arg, fmt.Sprintf("has the unknown space %q", word), "known are "+image.SpaceWords)
		}
	}
	name := arg[:i]
	f, err := r.openMemory(name)
	if err != nil {
		return err
	}
	defer f.close()
	if narrow, ok := errors.AsType[*image.FormatError](tooWide(d, f.Size)); ok {
		r.needWide(&InputError{File: name, Problem: narrow.Problem, Remedy: narrow.Remedy})
	}
	d.Wide = true
	n, err := d.Len(f.Size)
	if err == nil && r.memory+n > maxMemory {
		err = errTooMuchMemory
	}
	if err != nil {
		return memoryError(name, err)
	}
	region, err := d.Read(f.File)
	if err != nil {
		return memoryError(name, err)
	}
	r.memory += n
	r.images = append(r.images, region)
	r.c.Arguments.Images = append(r.c.Arguments.Images, r.argument("", name, arg))
	return nil
}

// tooWide returns the error of a dump whose memory goes beyond 2³² but not beyond 2⁶⁴.
func tooWide(d image.Dump, size int64) error {
	_, narrow := d.Len(size)
	d.Wide = true
	if _, wide := d.Len(size); wide != nil {
		return nil // which is another error
	}
	return narrow
}

// needWide keeps the error for an argument that only a core of AArch64 can have: which cores there are
// is not known yet.
func (r *reader) needWide(err *InputError) {
	if r.narrow == nil {
		err.Problem += ", and all that is traced is AArch32"
		err.Err = errors.Join(ErrAArch32, err.Err)
		r.narrow = err
	}
}

// checkWide returns the error that needWide has kept if no core is one of AArch64.
func (r *reader) checkWide(wide bool) error {
	if r.narrow == nil || wide {
		return nil
	}
	return r.narrow
}

// openArgument opens a file that the command line names, or that of an archive.
func (r *reader) openArgument(name string) (File, int64, error) {
	if r.opt.Arguments != nil {
		if f, size, err := r.opt.Arguments.OpenArgument(name); !errors.Is(err, fs.ErrNotExist) {
			return f, size, err
		}
	}
	f, size, err := openRegular(name, os.Stat, os.Open)
	if err != nil {
		return nil, 0, err
	}
	return f, size, nil
}

// A memoryFile is an open file of program memory.
type memoryFile struct {
	image.File
	file File
}

func (f *memoryFile) close() { f.file.Close() }

// openMemory opens and hashes a file that the command line names.
func (r *reader) openMemory(name string) (*memoryFile, error) {
	f, size, err := r.openArgument(name)
	if err != nil {
		return nil, unreadable(name, err, "give the program that ran")
	}
	shown := filepath.Base(name)
	if size > maxMemoryFile {
		f.Close()
		return nil, memoryError(name, errTooLarge)
	}
	sum, err := r.hashed(argumentKey(name), shown, ArgumentFile, f, size)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &memoryFile{image.File{Name: shown, SHA256: sum, Data: f, Size: size}, f}, nil
}

var (
	errTooMuchMemory = &image.FormatError{
		Problem: fmt.Sprintf("brings program memory to more than %d bytes", maxMemory),
		Remedy:  "give only the parts that hold code",
	}
	errTooLarge = &image.FormatError{
		Problem: fmt.Sprintf("has more than %d bytes", int64(maxMemoryFile)),
		Remedy:  "give only the part that holds code",
	}
)

// memoryError returns the error for a file of the command line that cannot be
// memory.
func memoryError(name string, err error) error {
	if bad, ok := errors.AsType[*image.FormatError](err); ok {
		return &InputError{File: name, Problem: bad.Problem, Remedy: bad.Remedy, Err: err}
	}
	return err
}

// knownRegisters are the names of all registers that matter: to the protocol of a raw file, to
// the protocols that are decoded.
func (r *reader) knownRegisters() []string {
	var names []string
	add := func(list []namedRegister, etm bool) {
		matter := func(f decode.Family) bool {
			return f.Bind != nil && f.ETM == etm && (r.protocol == "" || r.protocol == f.Name)
		}
		if slices.ContainsFunc(r.families, matter) {
			for _, reg := range list {
				names = append(names, reg.name)
			}
		}
	}
	add(etmRegisters, true)
	add(trcRegisters, false)
	return names
}
