package capture

import (
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// openSnapshot opens the snapshot whose ini file is called name (§5.2).
func (r *reader) openSnapshot(dir, name string) error {
	switch {
	case r.opt.Protocol != "":
		return usage("--protocol", "is for raw files, and "+r.c.Path+" is a snapshot", "leave it out")
	case r.opt.Framed:
		return usage("--framed", "is for raw files, and "+r.c.Path+" is a snapshot", "set format= in its trace.ini")
	}
	var err error
	if r.dir, err = openFolder(dir, r.opt.AllowOutside); err != nil {
		return unreadable(r.c.Path, err, howToName)
	}
	defer r.dir.root.Close()

	ini, err := r.openINI(&section{file: r.c.Path}, entry{value: name})
	if err != nil {
		return err
	}
	r.c.ini = ini.name
	if err := r.readCommandLine(); err != nil {
		return err
	}
	if err := r.readSnapshotSection(ini); err != nil {
		return err
	}
	if err := r.readDevices(ini); err != nil {
		return err
	}
	if _, err := ini.section("clusters"); err != nil {
		return err
	}
	if err := r.readTimestamp(ini); err != nil {
		return err
	}
	r.noteOthers(ini, func(name string) bool {
		return slices.Contains([]string{"snapshot", "device_list", "clusters", "trace", "timestamp"}, name)
	})
	t, err := r.readTrace(ini)
	if err != nil {
		return err
	}
	if err := r.bind(t); err != nil {
		return err
	}
	if err := r.readSymbolsFlags(); err != nil {
		return err
	}
	return r.checkWide(r.tracesAArch64())
}

// tracesAArch64 reports whether a core, or a trace source by its protocol, may be one of AArch64.
func (r *reader) tracesAArch64() bool {
	core := func(d *device) bool { return d.class == classCore && d.wide() }
	source := func(s *Source) bool { return r.families.find(s.Protocol).AArch64 }
	return slices.ContainsFunc(r.devices, core) || slices.ContainsFunc(r.c.Sources, source)
}

// readSnapshotSection reads [snapshot]. Files of older generators have none.
func (r *reader) readSnapshotSection(ini *iniFile) error {
	s, err := ini.section("snapshot")
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(ini.sections,
		func(s *section) bool { return s.is("snapshot") || s.is("device_list") || s.is("trace") }) {
		return &InputError{File: ini.name, Problem: "has neither [snapshot] nor [device_list] nor [trace]", Remedy: howToName}
	}
	if s != nil {
		if err := s.only("version", "description"); err != nil {
			return err
		}
		r.c.Description = s.value("description")
	}
	version, ok := s.get("version")
	switch {
	case !ok:
		r.add("%s: [snapshot] version is missing and taken as 1.0", ini.name)
	case version.value != "1.0":
		return s.wrong(version, fmt.Sprintf("is %q", clip(version.value)), "only snapshots of version 1.0 are read")
	}
	return nil
}

// readDevices reads the devices of [device_list], in its order.
func (r *reader) readDevices(ini *iniFile) error {
	list, err := ini.section("device_list")
	if err != nil || list == nil {
		return err
	}
	if len(list.entries) > maxDevices {
		return &InputError{
			File: ini.name, Section: list.name, Problem: fmt.Sprintf("has %d devices, more than the limit of %d",
				len(list.entries), maxDevices),
			Remedy: "leave out those that are not of the trace",
		}
	}
	files := make(map[string]string) // of devices, by name
	for _, e := range list.entries {
		d, err := r.readDevice(list, e)
		if err != nil {
			return err
		}
		if first, ok := files[d.name]; ok {
			return &InputError{
				File: d.file, Section: "device", Key: "name", Problem: fmt.Sprintf("is %q, which is a device in %s already",
					clip(d.name), first),
				Remedy: "give each device a name of its own",
			}
		}
		files[d.name] = d.file
		r.devices = append(r.devices, d)
		r.c.Regions = append(r.c.Regions, d.memory...)
	}
	return nil
}

// readTimestamp reads [timestamp] frequency, which DS-5 writes into trace.ini.
func (r *reader) readTimestamp(ini *iniFile) error {
	s, err := ini.section("timestamp")
	if err != nil {
		return err
	}
	e, ok := s.get("frequency")
	if !ok {
		return nil
	}
	hz, err := r.number(e.value)
	if err != nil {
		return s.wrong(e, err.Error(), "write the frequency in Hz")
	}
	if hz > schema.MaxUint63 {
		return s.wrong(e, fmt.Sprintf("%d is no frequency", hz), "write the frequency in Hz")
	}
	r.c.TimestampHz = hz
	return nil
}
