package etmv3

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/async"
)

// Append appends the bytes of p to dst and returns the extended slice. It is
// the inverse of [Config.Parse] for every packet that Parse can return; bits
// that Parse ignores are written as hardware does.
//
// The encoding follows the numbers in p (Atoms.Format, Bytes, Info, AddressBytes,
// ValueBytes, CycleBytes, TimestampBytes); nothing is shortened or lengthened.
// Len counts for A-syncs only, which have at least five zeros whatever it is.
// Bits, AddressBits and Bad follow from the rest. Append panics if p has no kind.
func (c *Config) Append(dst []byte, p Packet) []byte {
	switch p.Kind {
	case BranchAddress:
		return c.appendBranch(dst, &p.Branch)
	case PHeader:
		return append(dst, p.Atoms.header())
	case ASync:
		return async.Short.Append(dst, p.Len)
	case CycleCount:
		return decode.AppendSevens(append(dst, headerCycleCount), uint64(p.Cycles), int(p.CycleBytes))
	case ISync:
		return c.appendISync(dst, &p)
	case Trigger:
		return append(dst, headerTrigger)
	case StoreFailed:
		return append(dst, headerStoreFailed)
	case OutOfOrderData, OutOfOrderPlaceholder, NormalData, ValueNotTraced:
		return c.appendData(dst, &p)
	case VMID:
		return append(dst, headerVMID, p.VMID)
	case Timestamp:
		return c.appendTimestamp(dst, &p)
	case DataSuppressed:
		return append(dst, headerDataSuppressed)
	case Ignore:
		return append(dst, headerIgnore)
	case ContextID:
		return decode.AppendLittleEndian(append(dst, headerContextID), p.ContextID, c.ContextIDBytes)
	case ExceptionReturn:
		return append(dst, headerExceptionReturn)
	case ExceptionEntry:
		return append(dst, headerExceptionEntry)
	default:
		panic(fmt.Sprintf("etmv3: Append of a packet of kind %d", p.Kind))
	}
}

func (c *Config) appendTimestamp(dst []byte, p *Packet) []byte {
	dst = append(dst, headerTimestamp|decode.Flag(p.ClockChange, headerTimestampClock))
	return c.TimestampCode().Append(dst, p.Timestamp, p.TimestampBytes)
}
