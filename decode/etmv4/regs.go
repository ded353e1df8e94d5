package etmv4

import "fmt"

// Config is the configuration of a stream, from the registers of a trace unit and the
// profile of its core. It is immutable, so goroutines may share it.
type Config struct {
	ETE   bool  // ETE 1.Minor, else ETMv4.Minor
	Minor uint8 // ETMv4: 0 to 6 (TRCIDR1[7:4]), ETE: 0 to 3 (TRCDEVARCH[19:16])
	// Profile of the core's architecture, "A", "R" or "M": what the numbers of exceptions
	// mean, and packets of v8-M.
	Profile string

	// What framing needs.
	ContextIDBytes int   // 0 or 4 (TRCIDR2[9:5])
	VMIDBytes      int   // 0, 1, 2 or 4 (TRCIDR2[14:10])
	CommOpt        bool  // cycle count packets carry no commit (TRCIDR0[29])
	QSupp          uint8 // Q elements: 0 none, 1 with count, 2 without, 3 both (TRCIDR0[16:15])
	Cond           uint8 // conditional non-branch tracing (TRCCONFIGR[10:8]), 0 without TRCIDR0[6]
	DataAddress    bool  // TRCCONFIGR[16]
	DataValue      bool  // TRCCONFIGR[17]

	// What elements need.
	InstP0          uint8  // bit 0: loads are P0 elements, bit 1: stores (TRCCONFIGR[2:1])
	Broadcast       bool   // an address follows taken direct branches too (TRCCONFIGR[3])
	CycleCounting   bool   // TRCCONFIGR[4]
	CycleBits       uint8  // width of the cycle counter, 12 or more (TRCIDR2[28:25])
	TracesContextID bool   // TRCCONFIGR[6]
	TracesVMID      bool   // TRCCONFIGR[7]
	VMIDIsContext   bool   // the VMID is CONTEXTIDR_EL2 (TRCCONFIGR[15], TRCIDR2[30:29])
	Timestamps      bool   // TRCCONFIGR[11]
	Timestamp64     bool   // 64-bit timestamps, else 48 (TRCIDR0[28:24])
	TimestampMarker bool   // timestamp markers are implemented (TRCIDR0[23])
	ReturnStack     bool   // TRCCONFIGR[12] and TRCIDR0[9]
	CommTrans       bool   // Transaction Start is no P0 element (TRCIDR0[30], ETE)
	Instrumentation bool   // TRCIDR0[22], ETE 1.3
	WaitsP0         bool   // WFI and WFE are P0 elements (TRCIDR2[31], v4.3 on)
	MaxSpec         uint32 // P0 elements that may be speculative, at most (TRCIDR8)
}

// The fields of the registers that change decoding (docs/etmv4.md §1).
const (
	configrInstP0Shift     = 1
	configrBroadcast       = 1 << 3
	configrCycleCounting   = 1 << 4
	configrContextID       = 1 << 6
	configrVMID            = 1 << 7
	configrCondShift       = 8
	configrTimestamps      = 1 << 11
	configrReturnStack     = 1 << 12
	configrVMIDOpt         = 1 << 15
	configrDataAddress     = 1 << 16
	configrDataValue       = 1 << 17
	idr0InstP0Shift        = 1
	idr0Cond               = 1 << 6
	idr0CycleCounting      = 1 << 7
	idr0ReturnStack        = 1 << 9
	idr0QSuppShift         = 15
	idr0Instrumentation    = 1 << 22
	idr0TimestampMarker    = 1 << 23
	idr0TimestampSizeShift = 24
	idr0TimestampSize64    = 8
	idr0CommOptShift       = 29
	idr0CommTrans          = 1 << 30
	idr1MinorShift         = 4
	idr1MajorShift         = 8
	idr1Major              = 4
	idr1NotHere            = 0xf // major and minor: TRCDEVARCH has the version
	idr2ContextIDShift     = 5
	idr2VMIDShift          = 10
	idr2CycleSizeShift     = 25
	idr2VMIDOptShift       = 29
	idr2WaitsShift         = 31
	devarchMinorShift      = 16
	devarchETMv4           = 0x4A13 // TRCDEVARCH[15:0]
	devarchETE             = 0x5A13
)

// The versions that introduced features.
const (
	minorV8M             = 2 // ETMv4: a core of profile M is of v8-M, else of v7-M
	minorWaits           = 3
	minorIgnore          = 3
	minorVMIDAlways      = 5
	minorMarker          = 6
	minorNewest          = 6
	eteMinorMarker       = 1
	eteMinorInstrument   = 3
	eteMinorNewest       = 3
	counterBits          = 12
	vmidOptAlways        = 2
	vmidOptAsProgrammed  = 1
	supportsLoadsStoreP0 = 3
)

// Registers are those that configure a stream.
type Registers struct {
	CONFIGR, IDR0, IDR1, IDR2, IDR8, DEVARCH uint32 // TRCCONFIGR … TRCDEVARCH; DEVARCH 0: there is none
	ETE                                      bool   // the trace unit is an ETE
	Profile                                  string // of the core: "A", "R" or "M"
}

// NewConfig returns the configuration from the registers of a trace unit. It fails if they
// are of another protocol. The warnings, for people, name the parts of the registers that
// do not fit what this package knows.
func NewConfig(r Registers) (Config, []string, error) {
	minor, warnings, err := r.version()
	if err != nil {
		return Config{}, nil, err
	}
	c := Config{
		ETE: r.ETE, Minor: minor, Profile: r.Profile,

		ContextIDBytes: sizeBytes(r.IDR2 >> idr2ContextIDShift & 0x1f),
		VMIDBytes:      sizeBytes(r.IDR2 >> idr2VMIDShift & 0x1f),
		CommOpt:        r.IDR0&idr0CycleCounting != 0 && r.IDR0>>idr0CommOptShift&1 != 0,
		QSupp:          uint8(r.IDR0 >> idr0QSuppShift & 3),
		DataAddress:    r.CONFIGR&configrDataAddress != 0,
		DataValue:      r.CONFIGR&configrDataValue != 0,

		Broadcast:       r.CONFIGR&configrBroadcast != 0,
		CycleCounting:   r.CONFIGR&configrCycleCounting != 0,
		CycleBits:       counterBits + uint8(r.IDR2>>idr2CycleSizeShift&0xf),
		TracesContextID: r.CONFIGR&configrContextID != 0,
		TracesVMID:      r.CONFIGR&configrVMID != 0,
		VMIDIsContext:   r.vmidIsContext(minor),
		Timestamps:      r.CONFIGR&configrTimestamps != 0,
		Timestamp64:     r.IDR0>>idr0TimestampSizeShift&0x1f == idr0TimestampSize64,
		CommTrans:       r.ETE && r.IDR0&idr0CommTrans != 0,
		Instrumentation: r.ETE && minor >= eteMinorInstrument && r.IDR0&idr0Instrumentation != 0,
		WaitsP0:         (r.ETE || minor >= minorWaits) && r.IDR2>>idr2WaitsShift != 0,
		MaxSpec:         r.IDR8,
	}
	c.TimestampMarker = r.IDR0&idr0TimestampMarker != 0 && c.since(minorMarker, eteMinorMarker)
	return c, append(warnings, c.setImplemented(&r)...), nil
}

// setImplemented sets what counts only if the trace unit implements it.
func (c *Config) setImplemented(r *Registers) (warnings []string) {
	warn := func(what, field string) {
		warnings = append(warnings, fmt.Sprintf("TRCCONFIGR=0x%08X has %s on, but TRCIDR0=0x%08X says there is none (%s): "+
			"decoded without", r.CONFIGR, what, r.IDR0, field))
	}
	if r.CONFIGR&configrReturnStack != 0 {
		if c.ReturnStack = r.IDR0&idr0ReturnStack != 0; !c.ReturnStack {
			warn("the return stack", "bit 9")
		}
	}
	if cond := uint8(r.CONFIGR >> configrCondShift & 7); cond != 0 {
		if r.IDR0&idr0Cond != 0 {
			c.Cond = cond
		} else {
			warn("conditional tracing", "bit 6")
		}
	}
	if p0 := uint8(r.CONFIGR >> configrInstP0Shift & 3); p0 != 0 {
		if r.IDR0>>idr0InstP0Shift&3 == supportsLoadsStoreP0 {
			c.InstP0 = p0
		} else {
			warn("loads or stores as P0 elements", "bits 2:1")
		}
	}
	return warnings
}

// sizeBytes is the meaning of CIDSIZE and VMIDSIZE: the number of bytes, if it is one.
func sizeBytes(field uint32) int {
	switch field {
	case 1, 2, 4:
		return int(field)
	default:
		return 0
	}
}

// vmidIsContext reads VMIDOPT, of TRCIDR2 and of TRCCONFIGR.
func (r *Registers) vmidIsContext(minor uint8) bool {
	switch r.IDR2 >> idr2VMIDOptShift & 3 {
	case vmidOptAsProgrammed:
		return r.CONFIGR&configrVMIDOpt != 0
	case vmidOptAlways:
		return r.ETE || minor >= minorVMIDAlways
	default:
		return false
	}
}

// version returns n of ETMv4.n or ETE 1.n. TRCDEVARCH has it in an ETE, and where TRCIDR1
// says that it has.
func (r *Registers) version() (minor uint8, warnings []string, err error) {
	newest, name, register := uint8(minorNewest), "ETMv4", fmt.Sprintf("TRCIDR1=0x%08X", r.IDR1)
	byDevArch := r.ETE || r.IDR1>>idr1MinorShift&0xff == idr1NotHere<<4|idr1NotHere
	if byDevArch {
		register = fmt.Sprintf("TRCDEVARCH=0x%08X", r.DEVARCH)
		minor = uint8(r.DEVARCH >> devarchMinorShift & 0xf)
	} else {
		minor = uint8(r.IDR1 >> idr1MinorShift & 0xf)
	}
	if r.ETE {
		newest, name = eteMinorNewest, "ETE 1"
	}
	if err := r.checkArchitecture(byDevArch); err != nil {
		return 0, nil, err
	}
	if minor > newest {
		warnings = append(warnings, fmt.Sprintf("%s is of %s.%d, which is not known here: decoded as %s.%d",
			register, name, minor, name, newest))
		minor = newest
	}
	return minor, warnings, nil
}

// checkArchitecture fails if the register that has the version is of another protocol.
func (r *Registers) checkArchitecture(byDevArch bool) error {
	architecture := r.DEVARCH & 0xffff
	switch major := r.IDR1 >> idr1MajorShift & 0xf; {
	case r.ETE && architecture == devarchETE, byDevArch && !r.ETE && architecture == devarchETMv4:
		return nil
	case r.ETE:
		return fmt.Errorf("TRCDEVARCH=0x%08X is not of an ETE (bits 15:0 are 0x%04X, an ETE has 0x%04X%s); "+
			"correct the register, or name the protocol it is",
			r.DEVARCH, architecture, devarchETE, orOther(architecture, devarchETMv4, "etmv4"))
	case byDevArch:
		return fmt.Errorf("TRCIDR1=0x%08X leaves the version to TRCDEVARCH=0x%08X, which is not of an ETMv4 "+
			"(bits 15:0 are 0x%04X, an ETMv4 has 0x%04X%s); correct the registers, or name the protocol it is",
			r.IDR1, r.DEVARCH, architecture, devarchETMv4, orOther(architecture, devarchETE, "ete"))
	case major != idr1Major:
		return fmt.Errorf("TRCIDR1=0x%08X is not of an ETMv4 (bits 11:8 are %d, ETMv4 has %d); "+
			"correct the register, or name the protocol it is", r.IDR1, major, idr1Major)
	}
	return nil
}

// orOther says what an architecture is, if it is the other one.
func orOther(architecture, other uint32, name string) string {
	if architecture == other {
		return ", " + name + " this"
	}
	return ""
}

// Version is the version of the protocol: "4.2" of an ETMv4, "1.3" of an ETE.
func (c *Config) Version() string {
	if c.ETE {
		return fmt.Sprintf("1.%d", c.Minor)
	}
	return fmt.Sprintf("4.%d", c.Minor)
}

// since reports whether the version has what ETMv4.etm and ETE 1.ete introduced.
func (c *Config) since(etm, ete uint8) bool {
	if c.ETE {
		return c.Minor >= ete
	}
	return c.Minor >= etm
}

// v8M reports whether the core is one of v8-M: those of v7-M have an older trace unit.
func (c *Config) v8M() bool { return c.Profile == profileM && c.since(minorV8M, 0) }

// v7M reports whether the core is one of v7-M.
func (c *Config) v7M() bool { return c.Profile == profileM && !c.v8M() }

// profileM is the profile of microcontrollers.
const profileM = "M"

// TimestampBits is the width of a whole timestamp: 48 or 64.
func (c *Config) TimestampBits() uint8 {
	if c.Timestamp64 {
		return 64
	}
	return 48
}

// versionRegister is the register that has the version.
func (c *Config) versionRegister() string {
	if c.ETE {
		return "TRCDEVARCH"
	}
	return "TRCIDR1"
}
