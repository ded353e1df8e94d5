package etmv4

import (
	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/snapshot"
)

// What the registers of a trace unit have beside what options say (§1).
const (
	idr0Fixed   = 1<<5 | 1<<7 | 3<<10 // branch broadcast, cycle counting, four events
	idr1ETMv4   = 0x4100F400
	idr1ETE     = 0x4100FFF0 // the version is in TRCDEVARCH
	devarchETE  = 0x47705A13 &^ 0xF0000
	address32   = 4
	address64   = 8
	timestamp48 = 6
	timestamp64 = 8

	firstVMIDAlways = 5 // n of the first ETMv4.n
	vmidOptAlways   = 2
)

// Registers are those of the trace unit that traces as o says.
func (o *Options) Registers() []snapshot.Register {
	idr1 := idr1ETMv4 | uint32(o.Minor)<<4
	if o.ETE {
		idr1 = idr1ETE
	}
	registers := []snapshot.Register{
		{Name: "TRCCONFIGR", ID: 0x004, Value: o.configr()},
		{Name: "TRCTRACEIDR", ID: 0x010, Value: uint32(o.Source)},
		{Name: "TRCIDR8", ID: 0x060, Value: o.MaxSpec},
		{Name: "TRCIDR0", ID: 0x078, Value: o.idr0()},
		{Name: "TRCIDR1", ID: 0x079, Value: idr1},
		{Name: "TRCIDR2", ID: 0x07A, Value: o.idr2()},
	}
	if o.ETE {
		devarch := snapshot.Register{Name: "TRCDEVARCH", ID: 0x3EF, Value: devarchETE | uint32(o.Minor)<<16}
		registers = append(registers, devarch)
	}
	return registers
}

func (o *Options) configr() uint32 {
	return 1 | encode.Bit(o.Broadcast, 3) | encode.Bit(o.CycleCounting, 4) | encode.Bit(o.TracesContextID, 6) |
		encode.Bit(o.TracesVMID, 7) | uint32(o.Cond)<<8 | encode.Bit(o.Timestamps, 11) | encode.Bit(o.ReturnStack, 12) |
		encode.Bit(o.QElements, 13) | encode.Bit(o.QElements && o.QSupp&2 != 0, 14) | encode.Bit(o.VMIDIsContext, 15)
}

func (o *Options) idr0() uint32 {
	size := uint32(timestamp48)
	if o.Timestamp64 {
		size = timestamp64
	}
	return idr0Fixed | encode.Bit(o.Cond != 0, 6) | encode.Bit(o.ReturnStack, 9) | uint32(o.QSupp)<<15 |
		encode.Bit(o.Instrumentation, 22) | encode.Bit(o.TimestampMarker, 23) | size<<24 | encode.Bit(o.CommOpt, 29) |
		encode.Bit(o.CommTrans, 30)
}

func (o *Options) idr2() uint32 {
	size := uint32(address64)
	if o.Profile == profileM {
		size = address32
	}
	return size | uint32(o.ContextIDBytes)<<5 | uint32(o.VMIDBytes)<<10 | (uint32(o.CycleBits)-12)<<25 |
		o.vmidOpt()<<29 | encode.Bit(o.WaitsP0, 31)
}

// vmidOpt says whether the VMID is CONTEXTIDR_EL2: as TRCCONFIGR has it, or from v4.5 on always.
func (o *Options) vmidOpt() uint32 {
	switch {
	case o.VMIDIsContext && (o.ETE || o.Minor >= firstVMIDAlways):
		return vmidOptAlways
	default:
		return encode.Bit(o.VMIDBytes == 4, 0)
	}
}
