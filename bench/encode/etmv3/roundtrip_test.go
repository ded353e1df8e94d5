package etmv3_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/encode/etmv3"
	"github.com/tracelake/tracelake/bench/internal/benchtest"
	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/snapshot"
	codec "github.com/tracelake/tracelake/decode/etmv3"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

var oneSeed = flag.Uint64("etmv3.seed", 0, "run the ETMv3 round trip with this seed only")

// randomOptions are options of any kind.
func randomOptions(r *rand.Rand) etmv3.Options {
	coin := func() bool { return r.IntN(2) == 0 }
	o := etmv3.Options{Source: 0x22}
	o.Minor = []uint8{0, 1, 2, 3, 3, 4, 4, 5, 5, 5}[r.IntN(10)]
	o.ProfileM = o.Minor >= 4 && r.IntN(3) == 0
	o.CycleAccurate = coin()
	o.ContextIDBytes = []int{0, 1, 2, 4}[r.IntN(4)]
	o.Broadcast = r.IntN(4) == 0
	o.AltBranch = o.Minor >= 4 && coin()
	o.Security = !o.ProfileM && coin()
	o.OneT32 = o.ProfileM || coin()
	o.Virtualization = o.Minor >= 5 && o.Security && coin()
	o.TraceVMID = o.Virtualization && coin()
	o.Timestamps = o.Minor >= 5 && coin()
	o.Timestamp64, o.TimestampGray = coin(), coin()
	o.TimestampBase = r.Uint64() >> (16 + r.IntN(49)) // now and then 0
	o.CyclesPerTick = uint64(1 + r.IntN(200))
	o.SyncPeriod = []int{0, 20, 100, 400}[r.IntN(4)]
	if r.IntN(4) != 0 {
		rate := func() float64 { return []float64{0, 0.02, 0.2, 0.5}[r.IntN(4)] }
		o.Variation = &etmv3.Variation{
			Seed: r.Uint64(), Packing: rate(), Longer: rate(), Ignore: rate(), Sync: rate(), Timestamps: rate(), Branch: rate(),
			Cancel: rate(), Halves: rate(), OldForm: rate(), LSiP: rate(), LateCounts: rate(), OutOfOrder: rate(), NotTraced: rate(),
			Suppress: rate(), Delay: rate(),
		}
	}
	return o
}

// withData are options of any kind, of an ETM that traces data.
func withData(r *rand.Rand, o etmv3.Options) etmv3.Options {
	mode := 1 + r.IntN(3)
	o.DataAddress, o.DataValue = mode&1 != 0, mode&2 != 0
	o.DataOnly = o.Minor >= 1 && r.IntN(6) == 0
	o.DataSuppress = r.IntN(2) == 0
	o.CPRTNotData, o.MonitorCPRT, o.LSMPCFirst = r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(2) == 0
	o.BigEndian = r.IntN(2) == 0
	return o
}

// What an encoder that decides by itself writes of a random execution, the
// decoder reads, row by row.
func TestETMv3RoundTrip(t *testing.T) {
	seeds := need.Size[uint64](150, 8000)
	if testing.Short() {
		seeds = 40
	}
	for seed := range seeds {
		if *oneSeed != 0 {
			seed = *oneSeed - 1
		}
		r := rand.New(rand.NewPCG(seed, 1))
		o := randomOptions(r)
		if seed%3 == 2 {
			o = withData(r, o)
		}
		if !roundTrip(t, seed, o, r) || *oneSeed != 0 {
			t.Logf("again: go test ./bench/encode/etmv3 -run TestETMv3RoundTrip -etmv3.seed %d", seed+1)
			return
		}
	}
}

// roundTrip encodes a random execution, and decodes it.
func roundTrip(t *testing.T, seed uint64, o etmv3.Options, r *rand.Rand) bool {
	t.Helper()
	o.Program = walkedProgram()
	steps := walk(t, &o, r, 30+r.IntN(400))
	var stream bytes.Buffer
	want := benchtest.Record{}
	if err := encode.All(etmv3.New(&stream, want, o), benchtest.All(steps)); err != nil {
		t.Errorf("seed %d: %v", seed, err)
		return false
	}
	checkPackets(t, &o.Config, stream.Bytes())
	if o.DataAddress || o.DataValue {
		checkData(t, &o, stream.Bytes(), want)
	}
	if len(want["instructions"])+len(want["data_accesses"]) == 0 {
		return true
	}
	source := snapshot.Source{Name: "ETM_0", Type: o.Type(), Registers: o.Registers()}
	got, err := benchtest.Decode(t, o.Core(), source, stream.Bytes(), memoryOf(walkedCode))
	if err != nil {
		t.Errorf("seed %d: %v", seed, err)
		return false
	}
	if d := benchtest.Differences(got, want); d != "" {
		o.Program = nil
		t.Errorf("seed %d: %+v %+v\n%s\n%s", seed, o, o.Variation, d, packetList(&o.Config, stream.Bytes()))
		return false
	}
	return true
}

// checkPackets holds that a stream is packets, in the form the codec writes.
func checkPackets(t testing.TB, c *codec.Config, b []byte) {
	t.Helper()
	for at := 0; at < len(b); {
		var p codec.Packet
		if err := c.Parse(&p, b[at:]); err != nil {
			t.Fatalf("packet at %d: %v", at, err)
		}
		if got := c.Append(nil, p); !bytes.Equal(got, b[at:at+p.Len]) {
			t.Fatalf("packet at %d: % x comes back as % x", at, b[at:at+p.Len], got)
		}
		at += p.Len
	}
}

// checkData holds that the rows of data_accesses are what the data packets at
// their offsets have, and belong to instructions that have such transfers.
func checkData(t testing.TB, o *etmv3.Options, b []byte, rows benchtest.Record) {
	t.Helper()
	type access struct {
		kind    codec.Kind
		address schema.Address
		value   uint32
	}
	packets := make(map[string]access)
	var base, last schema.Address
	var open [4]schema.Address
	for at := 0; at < len(b); {
		var p codec.Packet
		if err := o.Parse(&p, b[at:]); err != nil {
			t.Fatal(err)
		}
		switch p.Kind {
		case codec.NormalData, codec.ValueNotTraced, codec.OutOfOrderPlaceholder:
			last += 4
			if p.NewAddress && o.DataAddress {
				base = schema.Address(uint64(base)>>p.AddressBits<<p.AddressBits) | p.Address
				last = base
			}
			open[p.Tag] = last
			packets[fmt.Sprint(at)] = access{p.Kind, last, p.Value}
		case codec.OutOfOrderData:
			packets[fmt.Sprint(at)] = access{p.Kind, open[p.Tag], p.Value}
		}
		at += p.Len
	}
	const seq, offset, position, address, value, kind, tag, state = 0, 2, 3, 4, 5, 7, 8, 9
	for _, line := range rows["data_accesses"] {
		row := strings.Fields(line)
		p, ok := packets[row[offset]]
		wantKind := codec.NormalData
		switch {
		case row[state] == "not_traced", row[state] == "suppressed" && p.kind == codec.ValueNotTraced:
			wantKind = codec.ValueNotTraced
		case row[state] == "out_of_order_lost":
			wantKind = codec.OutOfOrderPlaceholder
		case row[tag] != "NULL":
			wantKind = codec.OutOfOrderData
		}
		if !ok || p.kind != wantKind {
			t.Fatalf("row %q: its packet is of kind %d, want %d", row, p.kind, wantKind)
		}
		if row[address] != "NULL" && row[address] != benchtest.Hex(p.address) || row[value] != "NULL" && row[value] != fmt.Sprint(p.value) {
			t.Fatalf("row %q: its packet has address %d, value %d", row, p.address, p.value)
		}
		if row[seq] == "NULL" || row[kind] == "push" || row[kind] == "pop" {
			continue
		}
		n, _ := strconv.Atoi(row[seq])
		in := strings.Fields(rows["instructions"][n])
		opcode, _ := strconv.ParseUint(in[6], 16, 32)
		transfers := isa.DataOf(uint32(opcode), in[4][0]-'0', schema.ISA(slices.Index(schema.ISANames, in[5])))
		if i, _ := strconv.Atoi(row[position]); i >= int(transfers.Count) || row[kind] != transfers.At(uint16(i)).String() || in[8] != "true" {
			t.Fatalf("row %q is not of instruction %q", row, in)
		}
	}
}

// packetList is a stream in lines of packets.
func packetList(c *codec.Config, b []byte) string {
	var lines strings.Builder
	for at := 0; at < len(b); {
		var p codec.Packet
		if err := c.Parse(&p, b[at:]); err != nil {
			fmt.Fprintf(&lines, "%d: %v\n", at, err)
			break
		}
		fmt.Fprintf(&lines, "%d: % x", at, b[at:at+p.Len])
		if p.Kind == codec.PHeader {
			fmt.Fprintf(&lines, " %s", p.Atoms)
		}
		lines.WriteByte('\n')
		at += p.Len
	}
	return lines.String()
}

// The registers say what the options say, as the codec reads them.
func TestETMv3Registers(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		o := withData(r, randomOptions(r))
		registers := make(map[string]uint32)
		for _, register := range o.Registers() {
			registers[register.Name] = register.Value
		}
		got, warnings, err := codec.NewConfig(registers["ETMCR"], registers["ETMCCER"], registers["ETMIDR"], strings.HasPrefix(o.Core(), "Cortex-M"))
		if err != nil || len(warnings) > 0 || got != o.Config {
			t.Fatalf("%+v: read as %+v, %v, %v", o.Config, got, warnings, err)
		}
		names := []string{"ETMCR", "ETMSYNCFR", "ETMIDR", "ETMCCER", "ETMTRACEIDR"}
		if len(registers) != len(names) || slices.ContainsFunc(names, func(n string) bool { _, ok := registers[n]; return !ok }) {
			t.Fatalf("registers %v", registers)
		}
	}
}
