package capture

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// A ProgramFile is an ELF file of the command line, for the names of what ran. It
// is open until the capture is closed.
type ProgramFile struct {
	image.File
	Base *schema.Address // where a position-independent program was loaded; nil: as linked
	Core string          // that runs it; "" is every core
}

// readSymbolsFlags reads --symbols. Which cores there are is known by then.
func (r *reader) readSymbolsFlags() error {
	for _, arg := range r.opt.Symbols {
		core, rest, err := r.splitCore(arg)
		if err != nil {
			return err
		}
		name, base := r.splitBase("--symbols", rest)
		p, err := r.openProgram(name, base)
		if err != nil {
			return err
		}
		p.Core = core
		r.c.Arguments.Symbols = append(r.c.Arguments.Symbols, r.argument(strings.TrimSuffix(arg, rest), name, arg))
		r.c.Programs = append(r.c.Programs, p)
	}
	return nil
}

// splitCore splits CORE=FILE. Without a '=', or if there is a file of the whole
// name, there is no core.
func (r *reader) splitCore(arg string) (core, file string, err error) {
	core, file, ok := strings.Cut(arg, "=")
	cores := r.cores()
	switch {
	case !ok:
		return "", arg, nil
	case slices.Contains(cores, core):
		return core, file, nil
	}
	if _, err := os.Stat(arg); err == nil {
		return "", arg, nil
	}
	remedy := "the capture names no core: write --symbols FILE"
	if len(cores) > 0 {
		remedy = "cores are " + strings.Join(cores, ", ")
	}
	return "", "", usage("--symbols "+arg, fmt.Sprintf("names the core %q, which is not in the capture", clip(core)),
		remedy)
}

// cores are the names of the cores that are traced.
func (r *reader) cores() []string {
	var names []string
	for _, s := range r.c.Sources {
		if s.Core != "" && !slices.Contains(names, s.Core) {
			names = append(names, s.Core)
		}
	}
	return names
}

// splitBase splits FILE@BASE. What follows the last '@' belongs to the name if it is no
// number.
func (r *reader) splitBase(flag, arg string) (name string, base *schema.Address) {
	i := strings.LastIndexByte(arg, '@')
	if i < 0 {
		return arg, nil
	}
	v, err := parseNumber(arg[i+1:])
	if err != nil {
		return arg, nil
	}
	if v >= schema.End32 {
		r.needWide(usage(flag+" "+arg, "has a base beyond 32 bits", "write "+flag+" FILE@BASE"))
	}
	return arg[:i], new(schema.Address(v))
}

// openProgram opens and hashes a program file. The capture closes it.
func (r *reader) openProgram(name string, base *schema.Address) (ProgramFile, error) {
	f, err := r.openMemory(name)
	if err != nil {
		return ProgramFile{}, err
	}
	r.c.closer = append(r.c.closer, f.file)
	return ProgramFile{File: f.File, Base: base}, nil
}
