package perfdata

import "strings"

// Features, by their bits (§9).
const (
	featureBuildID    = 2
	featureHostname   = 3
	featureOSRelease  = 4
	featureVersion    = 5
	featureArch       = 6
	featureCPUs       = 7
	featureCommand    = 11
	featureDirectory  = 24
	featureCompressed = 27
)

// known reports whether a feature is read.
func known(bit uint64) bool {
	switch bit {
	case featureBuildID, featureHostname, featureOSRelease, featureVersion, featureArch, featureCPUs, featureCommand,
		featureDirectory, featureCompressed:
		return true
	}
	return false
}

// feature takes in a feature but for build IDs, which have records of their own in a pipe. One
// that is shorter than its fields is noted.
func (r *reader) feature(bit uint64, b []byte) {
	f := fields{b: b}
	switch bit {
	case featureHostname:
		r.f.Hostname = f.str()
	case featureOSRelease:
		r.f.OSRelease = f.str()
	case featureVersion:
		r.f.PerfVersion = f.str()
	case featureArch:
		r.f.Arch = f.str()
	case featureCPUs:
		r.f.CPUsPresent, r.f.CPUsOnline = int(f.u32()), int(f.u32())
	case featureCommand:
		r.f.CommandLine = f.strings()
	case featureDirectory:
		if version := f.u32(); version > 1 {
			r.note("%s: version %d of the directory is unknown, and read as version 1", r.w.part.Name, version)
		}
	case featureCompressed:
		r.unpack.describe(&f)
	}
	if f.short {
		r.note("%s: feature %d is shorter than its fields", r.w.part.Name, bit)
	}
}

// strings takes a number and as many strings.
func (f *fields) strings() []string {
	var all []string
	for range f.u32() {
		s := f.str()
		if f.short {
			break
		}
		all = append(all, strings.Clone(s))
	}
	return all
}

// Bits of a build ID's record (§9).
const (
	buildIDSize    = 1 << 15 // in misc: its length is recorded
	buildIDBytes   = 20
	processorModes = 7 // in misc of any record
)

// readBuildIDs reads a section of build IDs, which are records without their type.
func (r *reader) readBuildIDs(where section) error {
	w := window{part: r.w.part}
	for where.size >= recordHeader {
		b, err := w.at(where.offset, recordHeader)
		if err != nil {
			return err
		}
		rec := parseHeader(b)
		if rec.size < recordHeader || rec.size > where.size {
			r.note("%s: the build IDs from offset %#x on are damaged, and left out", r.w.part.Name, where.offset)
			return nil
		}
		if b, err = w.at(where.offset, int(rec.size)); err != nil {
			return err
		}
		f := fields{b: b[recordHeader:]}
		r.offset = where.offset
		if err := r.buildID(rec.misc, &f); err != nil {
			return err
		}
		where.offset, where.size = where.offset+rec.size, where.size-rec.size
	}
	return nil
}

// buildID takes in a build ID.
func (r *reader) buildID(misc uint16, f *fields) error {
	pid, id, size := f.i32(), f.take(buildIDBytes), f.u8()
	f.take(3)
	if f.short {
		r.odd(shortRecords, 0)
		return nil
	}
	if misc&buildIDSize == 0 {
		size = buildIDBytes
	}
	b := BuildID{Name: string(f.text()), ID: trimID(id, size), PID: pid, Mode: modeOf(misc)}
	r.f.BuildIDs = append(r.f.BuildIDs, b)
	return r.keep(len(b.Name) + len(b.ID))
}

// trimID returns the bytes of a build ID, of which size count, without the zeros that fill it.
func trimID(id []byte, size uint8) string {
	return strings.TrimRight(string(id[:min(int(size), len(id))]), "\x00")
}

// modeOf returns the processor mode of a record.
func modeOf(misc uint16) Mode {
	if m := Mode(misc & processorModes); m <= GuestUser {
		return m
	}
	return UnknownMode
}
