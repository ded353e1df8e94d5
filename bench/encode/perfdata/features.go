package perfdata

// Bits of features.
const (
	FeatureBuildID     = 2
	FeatureHostname    = 3
	FeatureOSRelease   = 4
	FeatureVersion     = 5
	FeatureArch        = 6
	FeatureCommandLine = 11
	FeaturePMUMappings = 16
	FeatureAUXTrace    = 18
	FeatureDirFormat   = 24
	FeatureCompressed  = 27
)

// nameUnit is what strings of features are padded to.
const nameUnit = 64

// String is a string as features have it.
func String(s string) []byte {
	b := padded(append([]byte(s), 0), nameUnit)
	return append(halves(uint32(len(b))), b...)
}

// Strings are several strings, as feature CMDLINE has them.
func Strings(s ...string) []byte {
	b := halves(uint32(len(s)))
	for _, x := range s {
		b = append(b, String(x)...)
	}
	return b
}

// PMUMappings is the feature that says which PMU is cs_etm.
func PMUMappings() []byte {
	return append(halves(1, pmuType), String("cs_etm")...)
}

// A BuildID is that of a file that was mapped.
type BuildID struct {
	PID    uint32 // KernelPID: of a map of the host, of anybody
	Kernel bool
	ID     []byte // 20 bytes at the most
	Name   string
	// NoLength leaves out how long the ID is, as files of earlier years do.
	NoLength bool
}

// Record is the build ID as record HEADER_BUILD_ID.
func (b *BuildID) Record() Record {
	r := Record{Type: TypeHeaderBuildID, Misc: MiscUser, Body: append(halves(b.PID), idField(b.ID)...)}
	if b.Kernel {
		r.Misc = MiscKernel
	}
	length := make([]byte, 4)
	if !b.NoLength {
		r.Misc |= miscIDLength
		length[0] = byte(len(b.ID))
	}
	r.Body = append(append(r.Body, length...), padded(append([]byte(b.Name), 0), nameUnit)...)
	return r
}

// BuildIDs is the feature that lists build IDs.
func BuildIDs(ids ...BuildID) ([]byte, error) {
	var b []byte
	for i := range ids {
		r := ids[i].Record()
		var err error
		if b, err = r.append(b, 0); err != nil {
			return nil, err
		}
	}
	return b, nil
}
