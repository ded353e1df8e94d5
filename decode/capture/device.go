package capture

import (
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode/image"
)

// A device is the content of an ini file of [device_list] (§5.3).
type device struct {
	file      string // its ini file, as in messages
	name      string
	class     string // in lower case; "" if not given
	kind      string // its type, as written
	location  location
	registers Registers
	memory    []image.Region
}

// wide reports whether a device may have memory from 2³² on: cores of types that are not known
// may.
func (d *device) wide() bool {
	model := modelOfCore(d.kind)
	return d.class != classCore || model.wide || model == coreModel{}
}

// The classes that matter.
const (
	classCore        = "core"
	classSource      = "trace_source"
	classMemorySpace = "memory_space"
)

// openINI reads the ini file that e names.
func (r *reader) openINI(s *section, e entry) (*iniFile, error) {
	f, size, err := r.open(s, e, e.value)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	shown := r.dir.display(e.value)
	if size > maxINIBytes {
		return nil, &InputError{
			File: shown, Problem: fmt.Sprintf("has %d bytes, more than the limit of %d", size, maxINIBytes),
			Remedy: "is this an ini file?",
		}
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(io.NewSectionReader(f, 0, size), text); err != nil {
		return nil, fmt.Errorf("read %s: %w", shown, err)
	}
	if _, err := r.hashed(shown, shown, INIFile, f, size); err != nil {
		return nil, err
	}
	return parseINI(shown, string(text))
}

// readDevice reads the device whose ini file e names.
func (r *reader) readDevice(s *section, e entry) (*device, error) {
	ini, err := r.openINI(s, e)
	if err != nil {
		return nil, err
	}
	d := &device{file: ini.name}
	if err := d.readIdentity(ini); err != nil {
		return nil, err
	}
	if err := r.readRegisters(d, ini); err != nil {
		return nil, err
	}
	if err := r.readDumps(d, ini); err != nil {
		return nil, err
	}
	r.noteOthers(ini, func(name string) bool {
		return slices.Contains([]string{"device", "regs", "extendregs", "global"}, name) || isDump(name)
	})
	return d, nil
}

// noteOthers remarks on sections that are not known.
func (r *reader) noteOthers(ini *iniFile, known func(string) bool) {
	if names := ini.others(known); len(names) > 0 {
		r.add("%s: unknown sections are ignored: %s", ini.name, someNames(names))
	}
}

// readIdentity reads [device], or [global] of the old format: there the device is
// a core, whose name is that of its file.
func (d *device) readIdentity(ini *iniFile) error {
	dev, err := ini.section("device")
	if err != nil {
		return err
	}
	if dev == nil {
		global, err := ini.section("global")
		if err != nil {
			return err
		}
		core, ok := global.get("core")
		if !ok {
			return &InputError{
				File: ini.name, Section: "device", Problem: "is missing",
				Remedy: "add it, with name=, class= and type=",
			}
		}
		d.name = strings.TrimSuffix(path.Base(ini.name), path.Ext(ini.name))
		d.class, d.kind = classCore, core.value
		return nil
	}
	name, err := dev.require("name")
	if err != nil {
		return err
	}
	d.name, d.class, d.kind = name.value, strings.ToLower(dev.value("class")), dev.value("type")
	d.location = parseLocation(dev.value("location"))
	return nil
}

// readRegisters reads [regs] and [extendregs].
func (r *reader) readRegisters(d *device, ini *iniFile) error {
	regs, err := ini.section("regs")
	if err != nil {
		return err
	}
	if err := r.readRegisterSection(d, regs, r.deviceRegister(d)); err != nil {
		return err
	}
	extended, err := ini.section("extendregs")
	if err != nil {
		return err
	}
	return r.readRegisterSection(d, extended, r.parseNumberedRegister)
}

func (r *reader) readRegisterSection(d *device, s *section, parse func(key, value string) (Register, error)) error {
	if s == nil {
		return nil
	}
	if n := len(d.registers) + len(s.entries); n > maxRegisters {
		return &InputError{
			File: s.file, Section: s.name, Problem: fmt.Sprintf("has %d registers, more than the limit of %d", n, maxRegisters),
			Remedy: "leave out those that are not of the trace",
		}
	}
	lines := make(map[string]int, len(s.entries)) // by name
	for _, e := range s.entries {
		reg, err := parse(e.key, e.value)
		if err != nil {
			return s.wrong(e, err.Error(), "write NAME=VALUE, as ETMCR(id:0x0)=0x400")
		}
		if first, ok := lines[strings.ToLower(reg.Name)]; ok && reg.Name != "" {
			return s.wrong(e, fmt.Sprintf("is there already, in line %d", first), "remove one of them")
		}
		lines[strings.ToLower(reg.Name)] = e.line
		if reg.Bits > 64 {
			r.add("%s: register %s has %d bits and is ignored", s.file, clip(reg.Name), reg.Bits)
			continue
		}
		d.registers = append(d.registers, reg)
	}
	return nil
}

// isDump reports whether a section of that name describes memory.
func isDump(name string) bool {
	const prefix = "dump"
	return len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix)
}

// errNotMemory means that a region is left out, for a reason that is in a warning.
var errNotMemory = errors.New("no memory")

// readDumps reads the memory of a core or a memory space (§6).
func (r *reader) readDumps(d *device, ini *iniFile) error {
	var sections []*section // of d.memory
	for _, s := range ini.sections {
		if !isDump(s.name) {
			continue
		}
		if d.class != classCore && d.class != classMemorySpace {
			r.add("%s: [%s] is ignored: the device is neither core nor memory_space", ini.name, s.name)
			continue
		}
		if len(sections) == maxDumps {
			return &InputError{
				File: ini.name, Section: s.name, Problem: fmt.Sprintf("is one more than the limit of %d memory sections", maxDumps),
				Remedy: "leave out those that hold no code",
			}
		}
		region, err := r.readDump(d, s)
		if errors.Is(err, errNotMemory) {
			continue
		}
		if err != nil {
			return err
		}
		if d.class == classCore {
			region.Core = d.name
		}
		d.memory = append(d.memory, region)
		sections = append(sections, s)
	}
	r.compareOverlaps(d, sections)
	return nil
}
