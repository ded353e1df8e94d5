package etmv4

// A gate is the condition under which a header is that of a packet. Elsewhere the
// configuration reserves it.
type gate uint8

const (
	reserved gate = iota // in every configuration
	always
	ofV8M           // profile M, v8-M
	notETE          // ETMv4 alone
	ofETE           // ETE alone
	ofETE13         // ETE 1.3 on
	withData        // DA or DV
	withConditional // COND
	withQ           // QSUPP
	sinceIgnore     // v4.3, ETE
	sinceMarker     // v4.6, ETE 1.1
)

// A header is what a first byte means. The kind of 00 depends on the second byte.
type header struct {
	kind Kind
	gate gate
}

// headers are all 256.
var headers = makeHeaders()

func makeHeaders() (t [256]header) {
	for _, r := range []struct {
		first, last byte
		kind        Kind
		gate        gate
	}{
		{0x00, 0x00, ASync, always}, // or Discard, Overflow
		{0x01, 0x01, TraceInfo, always},
		{0x02, 0x03, Timestamp, always},
		{0x04, 0x04, TraceOn, always},
		{0x05, 0x05, FunctionReturn, ofV8M},
		{0x06, 0x06, Exception, always},
		{0x07, 0x07, ExceptionReturn, notETE},
		{0x09, 0x09, Instrumentation, ofETE13},
		{0x0a, 0x0a, TransactionStart, ofETE},
		{0x0b, 0x0b, TransactionCommit, ofETE},
		{0x0c, 0x1f, CycleCount, always},
		{0x20, 0x27, NumberedMarker, withData},
		{0x28, 0x2c, UnnumberedMarker, withData},
		{0x2d, 0x2d, Commit, always},
		{0x2e, 0x2f, Cancel, always},
		{0x30, 0x33, Mispredict, always},
		{0x34, 0x3f, Cancel, always},
		{0x40, 0x42, ConditionalInstruction, withConditional},
		{0x43, 0x43, ConditionalFlush, withConditional},
		{0x44, 0x46, ConditionalResult, withConditional},
		{0x48, 0x4a, ConditionalResult, withConditional},
		{0x4c, 0x4e, ConditionalResult, withConditional},
		{0x50, 0x5f, ConditionalResult, withConditional},
		{0x68, 0x6b, ConditionalResult, withConditional},
		{0x6c, 0x6d, ConditionalInstruction, withConditional},
		{0x6e, 0x6f, ConditionalResult, withConditional},
		{0x70, 0x70, Ignore, sinceIgnore},
		{0x71, 0x7f, Event, always},
		{0x80, 0x81, Context, always},
		{0x82, 0x83, AddressContext, always},
		{0x85, 0x86, AddressContext, always},
		{0x88, 0x88, TimestampMarker, sinceMarker},
		{0x90, 0x92, Address, always},
		{0x95, 0x96, Address, always},
		{0x9a, 0x9b, Address, always},
		{0x9d, 0x9e, Address, always},
		{0xa0, 0xa2, Q, withQ},
		{0xa5, 0xa6, Q, withQ},
		{0xaa, 0xac, Q, withQ},
		{0xaf, 0xaf, Q, withQ},
		{0xb0, 0xb2, SourceAddress, ofETE},
		{0xb4, 0xb9, SourceAddress, ofETE},
		{0xc0, 0xff, Atoms, always},
	} {
		for h := int(r.first); h <= int(r.last); h++ {
			t[h] = header{r.kind, r.gate}
		}
	}
	return t
}

// closed returns why the configuration reserves a header of that gate, "" if it does not:
// it names the register that would allow the header, as registers that people wrote are
// often too old.
func (c *Config) closed(g gate) string {
	switch {
	case g == always, c.opens(g):
		return ""
	case g == reserved:
		return "no version has a packet of that header"
	default:
		return c.opener(g)
	}
}

// opens reports whether the configuration has headers of that gate.
func (c *Config) opens(g gate) bool {
	switch g {
	case ofV8M:
		return c.v8M() && !c.ETE
	case notETE:
		return !c.ETE
	case ofETE:
		return c.ETE
	case ofETE13:
		return c.ETE && c.Minor >= eteMinorInstrument
	case withData:
		return c.DataAddress || c.DataValue
	case withConditional:
		return c.Cond != 0
	case withQ:
		return c.QSupp != 0
	case sinceIgnore:
		return c.since(minorIgnore, 0)
	case sinceMarker:
		return c.since(minorMarker, eteMinorMarker)
	default:
		return false
	}
}

// opener says what would allow headers of a closed gate.
func (c *Config) opener(g gate) string {
	const ofAnETE = "a packet of an ETE, which TRCIDR1 and TRCDEVARCH do not say"
	switch g {
	case ofV8M:
		return "a packet of cores of v8-M, which TRCIDR1 and the type of the core do not say"
	case notETE:
		return "an ETE has no packet of that header"
	case ofETE:
		return ofAnETE
	case ofETE13:
		if c.ETE {
			return "a packet of ETE 1.3, which TRCDEVARCH[19:16] does not say"
		}
		return ofAnETE
	case withData:
		return "a packet of data trace, which TRCCONFIGR[17:16] does not say"
	case withConditional:
		return "a packet of conditional tracing, which TRCCONFIGR[10:8] and TRCIDR0[6] do not say"
	case withQ:
		return "a Q packet, which TRCIDR0[16:15] says there are none of"
	case sinceIgnore:
		return "a packet of ETMv4.3, which TRCIDR1[7:4] does not say"
	default: // sinceMarker
		return "a packet of ETMv4.6 and ETE 1.1, which " + c.versionRegister() + " does not say"
	}
}
