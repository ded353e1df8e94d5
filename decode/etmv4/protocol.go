package etmv4

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/async"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/decode/record"
)

var (
	_ decode.Answerer        = (*Config)(nil)
	_ decode.Doubter         = (*Config)(nil)
	_ decode.CodeReader      = (*Config)(nil)
	_ decode.RegisterChecker = (*Config)(nil)
)

// traceID has the ID of a source.
var traceID = decode.TraceIDField{Registers: []string{"TRCTRACEIDR"}}

// syncNames are the words for where segments begin (docs/etmv4.md §9.2).
var syncNames = decode.SyncNames{Cut: "cut", Needs: "A-sync, Trace Info, then context and address"}

// Family returns ETMv4, versions 4.0 to 4.6. Missing registers have defaults, some of which
// depend on the core (see [Bind]).
func Family() decode.Family {
	var versions []decode.FamilyVersion
	for n := range uint64(minorNewest + 1) {
		versions = append(versions, version(fmt.Sprintf("4.%d", n), cortexA53, decode.RegisterValue{
			Name: "TRCIDR1", Value: 0x4100F400 | n<<idr1MinorShift,
		}))
	}
	return decode.Family{
		Name: "etmv4", Types: []string{"ETM4"}, Version: "4", Versions: versions, AArch64: true,
		Needed: []string{"TRCTRACEIDR"}, TraceID: traceID, DataStream: dataStream, ReadVersion: readETMv4Version,
		Sync: syncNames, Defaults: missing(decode.Source{}, false),
		Missing:  func(s decode.Source) []decode.RegisterDefault { return missing(s, false) },
		Settings: append(settings(etmv4Version()), dataTrace(), ofProfileM()), Bind: Bind,
	}
}

// ETEFamily returns ETE, versions 1.0 to 1.3.
func ETEFamily() decode.Family {
	var versions []decode.FamilyVersion
	for n := range uint64(eteMinorNewest + 1) {
		versions = append(versions, version(fmt.Sprintf("1.%d", n), anyETE, decode.RegisterValue{
			Name: "TRCDEVARCH", Value: 0x47705A13&^0xf0000 | n<<devarchMinorShift,
		}))
	}
	return decode.Family{
		Name: "ete", Types: []string{"ETE"}, Version: "1", Versions: versions, Profile: "A",
		Needed: []string{"TRCTRACEIDR"}, TraceID: traceID, AArch64: true, ReadVersion: readETEVersion,
		Sync: syncNames, Defaults: missing(decode.Source{}, true),
		Missing:  func(s decode.Source) []decode.RegisterDefault { return missing(s, true) },
		Settings: settings(eteVersion()), Bind: BindETE,
	}
}

// version is a version, with the register that has it.
func version(name string, r idrs, versioned decode.RegisterValue) decode.FamilyVersion {
	return decode.FamilyVersion{Name: name, Registers: []decode.RegisterValue{
		{Name: "TRCCONFIGR", Value: defaultCONFIGR},
		{Name: "TRCIDR0", Value: uint64(r.idr0)},
		versioned,
		{Name: "TRCIDR2", Value: uint64(r.idr2)},
		{Name: "TRCIDR8"},
	}}
}

// Bind binds ETMv4 to a source. The notes are for the user and name the missing registers
// with their defaults. It fails if the registers are of another protocol, or the stream
// cannot be followed.
func Bind(s decode.Source) (decode.Protocol, []string, error) { return bind(s, false) }

// BindETE binds ETE to a source, as [Bind] does ETMv4.
func BindETE(s decode.Source) (decode.Protocol, []string, error) { return bind(s, true) }

func bind(s decode.Source, ete bool) (decode.Protocol, []string, error) {
	r, notes := readRegisters(s, ete)
	c, warnings, err := NewConfig(r)
	if err != nil {
		return nil, nil, err
	}
	if c.InstP0 != 0 {
		return nil, nil, fmt.Errorf("TRCCONFIGR=0x%08X has loads or stores as P0 elements (bits 2:1), which are not "+
			"followed; trace with INSTP0 0", r.CONFIGR)
	}
	return &c, append(notes, warnings...), nil
}

// UnitBytes implements [decode.Protocol].
func (c *Config) UnitBytes() int { return 1 }

// AheadBytes implements [decode.Protocol]: the address at a cut may be what the segment
// before it waits for.
func (c *Config) AheadBytes() int { return maxAddressContext }

// Resync implements [decode.Protocol].
func (c *Config) Resync(b []byte) (n int, ok bool) { return async.Long.Resync(b) }

// RateSyncs implements [decode.Protocol].
func (c *Config) RateSyncs(b []byte) int { return async.Long.RateSyncs(c, b) }

// TimestampCode implements [decode.Protocol].
func (c *Config) TimestampCode() decode.TimestampCode {
	return decode.TimestampCode{Bits: c.TimestampBits()}
}

// TracesData implements [decode.Protocol]: data are a stream of their own.
func (c *Config) TracesData() bool { return false }

// NewDecoder implements [decode.Protocol].
func (c *Config) NewDecoder(mem *image.Memory, want decode.Wanted) decode.Decoder {
	rules := flow.Rules{
		Dialect: c.Dialect(), Barriers: true, Waits: c.WaitsP0, ReturnStack: c.ReturnStack, TargetsFollow: true, Conditions: true,
	}
	d := &Decoder{cfg: *c, Follower: record.NewFollower(mem, rules, want.Packets, record.Recorder{
		CycleAccurate: c.CycleCounting, Timestamps: c.TimestampCode(), Summed: want.Summed,
	})}
	if !c.CycleCounting {
		d.turns = want.Counted
		d.Walk.NoteSteps(want.FunctionOf)
	}
	return d
}

// Dialect implements [decode.CodeReader].
func (c *Config) Dialect() isa.Dialect {
	if c.Profile == profileM {
		return isa.ETMv4M
	}
	return isa.ETMv4
}

// Words implements [decode.Protocol].
func (c *Config) Words() []string {
	words := []string{"no cycle counts", "no Context ID", "no VMID", "no timestamps", "return stack off"}
	if c.CycleCounting {
		words[0] = fmt.Sprintf("%d-bit cycle counts", c.CycleBits)
	}
	if c.TracesContextID {
		words[1] = fmt.Sprintf("%d-byte Context ID", c.ContextIDBytes)
	}
	if c.TracesVMID {
		words[2] = c.vmidWords()
	}
	if c.Timestamps {
		words[3] = c.TimestampCode().String()
	}
	if c.ReturnStack {
		words[4] = "return stack on"
	}
	for _, w := range []struct {
		on    bool
		words string
	}{
		{c.Broadcast, "branch broadcast"},
		{c.QSupp != 0, "Q elements"},
		{c.Cond != 0, "conditional tracing"},
		{c.DataAddress || c.DataValue, "data trace in a stream of its own"},
		{c.MaxSpec > 0, fmt.Sprintf("up to %d speculative elements", c.MaxSpec)},
		{c.WaitsP0, "WFI and WFE are P0 elements"},
		{c.Profile == profileM, "exceptions of profile M"},
	} {
		if w.on {
			words = append(words, w.words)
		}
	}
	return words
}

// vmidWords describes what a VMID is.
func (c *Config) vmidWords() string {
	if c.VMIDIsContext {
		return fmt.Sprintf("%d-byte CONTEXTIDR_EL2 as VMID", c.VMIDBytes)
	}
	return fmt.Sprintf("%d-byte VMID", c.VMIDBytes)
}
