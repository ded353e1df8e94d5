package etmv3

import (
	"testing"

	"github.com/tracelake/tracelake/schema"
)

// Branch packets with their target in a given state, worked out by hand or from
// captured packets.
func TestBranch(t *testing.T) {
	const anywhere = 0xcafebabe
	for _, tt := range []struct {
		name   string
		cfg    Config
		isa    schema.ISA // of the state before
		last   schema.Address
		bytes  string
		target schema.Address
		want   Branch // without Address and Bits; Bytes is 0 for the number of bytes
	}{
		{"1 byte", plain, schema.T32, 0x700ade00, "0b", 0x700ade0a, Branch{}},
		{"2 bytes", plain, schema.T32, 0x700ade48, "f105", 0x700ac2f0, Branch{}},
		{"3 bytes", plain, schema.T32, 0x700ad130, "bf9628", 0x700a0b3e, Branch{}},
		{"4 bytes", plain, schema.T32, 0xc002115c, "b7fdd601", 0xc035beb6, Branch{}},
		{"ARM 1 byte", plain, schema.A32, 0x7009f7bc, "61", 0x7009f7c0, Branch{}},
		{"ARM 2 bytes", plain, schema.A32, 0x7009a034, "e177", 0x7009f7c0, Branch{}},
		{"ARM 3 bytes", plain, schema.A32, 0x7009f7c0, "c1e814", 0x700a6880, Branch{}},
		{"Thumb to ARM", plain, schema.T32, 0x700ade18, "d9e395c00b", 0x700ae3b0, Branch{ISA: schema.A32}},
		{"ARM to Thumb", plain, schema.A32, 0x700ae24c, "81bcab8017", 0x700ade00, Branch{ISA: schema.T32}},
		{"to Jazelle", plain, schema.A32, anywhere, "8b80828020", 0x4005, Branch{ISA: schema.Jazelle}},
		{"Jazelle 2 bytes", plain, schema.Jazelle, 0x12345678, "8b02", 0x12344085, Branch{}},
		{"ThumbEE 1 byte", plain, schema.T32EE, 0x8000, "0b", 0x800a, Branch{}},
		{"IRQ", plain, schema.A32, anywhere, "a7e295c04b 1c", 0x700ae24c, Branch{Bytes: 5, Info: 1, Exception: 14}},
		{"debug", plain, schema.T32, anywhere, "b59cab8057 22", 0x700ace34, Branch{Bytes: 5, ISA: schema.T32, Info: 1, Exception: 1, Cancel: true}},
		{"SVC", plain, schema.T32, anywhere, "8580808048 14", 8, Branch{Bytes: 5, Info: 1, Exception: 10}},
		{"to non-secure", plain, schema.A32, anywhere, "8180848048 01", 0x20000, Branch{Bytes: 5, Info: 1, NS: true}},
		{"to ThumbEE", plain, schema.A32, anywhere, "8180828050 40", 0x8000, Branch{Bytes: 5, ISA: schema.T32, Info: 1, AltISA: true}},
		{"to Hyp", virtual, schema.A32, anywhere, "8d80808048 8720", 0x18, Branch{Bytes: 5, Info: 2, Exception: 3, NS: true, Hyp: true}},
		{"exception 511", plain, schema.A32, anywhere, "8d80808048 9e1f", 0x18, Branch{Bytes: 5, Info: 2, Exception: 511}},
		{"old IRQ", plain, schema.T32, anywhere, "8d808080c8", 0x18, Branch{Old: true, Exception: 1, Cancel: true}},
		{"old FIQ", plain, schema.A32, anywhere, "8f808080a8", 0x1c, Branch{Old: true, Exception: 5}},
		{"old, by the vector", plain, schema.A32, anywhere, "8580808080", 8, Branch{Old: true}},
		{"old, high vector", plain, schema.A32, 0, "8d80feff8f", 0xffff0018, Branch{Old: true, Exception: 1}},

		{"alternative 1 byte", alternate, schema.T32, 0x80000074, "05", 0x80000004, Branch{}},
		{"alternative 2 bytes", alternate, schema.T32, 0x08000306, "b505", 0x080002b4, Branch{}},
		{"alternative 2 bytes, all bits", alternate, schema.T32, 0, "813f", 0x1f80, Branch{}},
		{"alternative 3 bytes", alternate, schema.T32, 0x08000306, "818001", 0x08004000, Branch{}},
		{"alternative 4 bytes", alternate, schema.T32, 0x08000000, "8180803f", 0x0fe00000, Branch{}},
		{"alternative 5 bytes", alternate, schema.T32, anywhere, "8180808010", 0, Branch{ISA: schema.T32}},
		{"IRQ0", alternate, schema.T32, 0x08000306, "a140 10", 0x08000020, Branch{Bytes: 2, Info: 1, Exception: 8}},
		{"SysTick", alternate, schema.T32, 0x08000306, "f943 1e", 0x080001f8, Branch{Bytes: 2, Info: 1, Exception: 15}},
		{"HardFault", alternate, schema.T32, 0x08000306, "9542 8601", 0x08000114, Branch{Bytes: 2, Info: 2, Exception: 19}},
		{"IRQ8", alternate, schema.T32, 0x08000306, "8142 b001", 0x08000100, Branch{Bytes: 2, Info: 2, Exception: 24, Cancel: true}},
		{"IRQ8, Resume", alternate, schema.T32, 0x08000306, "8142 b08145", 0x08000100, Branch{
			Bytes: 2, Info: 3, Exception: 24, Cancel: true, HasResume: true, Resume: 5,
		}},
		{"Resume, no exception", alternate, schema.T32, 0x08000306, "8142 8045", 0x08000100, Branch{Bytes: 2, Info: 2, HasResume: true, Resume: 5}},
		{"Resume 0", alternate, schema.T32, 0x08000306, "8142 8040", 0x08000100, Branch{Bytes: 2, Info: 2, HasResume: true}},
		{"IRQ7", alternate, schema.T32, anywhere, "8180808050 2e", 0, Branch{Bytes: 5, ISA: schema.T32, Info: 1, Exception: 7, Cancel: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := unhex(t, tt.bytes)
			var p Packet
			if err := tt.cfg.Parse(&p, b); err != nil {
				t.Fatal(err)
			}
			isa := tt.isa
			if p.Branch.Bytes == 5 {
				isa = p.Branch.ISA
			}
			if got := p.Branch.Target(tt.last, isa); got != tt.target {
				t.Errorf("target %08x, want %08x", got, tt.target)
			}
			want := tt.want
			want.Address, want.Bits = p.Branch.Address, p.Branch.Bits
			if want.Bytes == 0 {
				want.Bytes = uint8(len(b))
			}
			checkPacket(t, &tt.cfg, tt.bytes, Packet{Kind: BranchAddress, Len: len(b), Branch: want})
		})
	}
}

// The low address bits that a packet of 1 to 5 bytes sends.
func TestAddressBits(t *testing.T) {
	for _, tt := range []struct {
		cfg    Config
		fifth  byte
		isa    schema.ISA
		lowest int
		top    [5]int // highest bit by number of bytes
	}{
		{plain, 0x17, schema.T32, 1, [5]int{6, 13, 20, 27, 31}},
		{plain, 0x0f, schema.A32, 2, [5]int{7, 14, 21, 28, 31}},
		{plain, 0x3f, schema.Jazelle, 0, [5]int{5, 12, 19, 26, 31}},
		{alternate, 0x1f, schema.T32, 1, [5]int{6, 12, 19, 26, 31}},
		{alternate, 0x0f, schema.A32, 2, [5]int{7, 13, 20, 27, 31}},
		{alternate, 0x3f, schema.Jazelle, 0, [5]int{5, 11, 18, 25, 31}},
	} {
		for i, top := range tt.top {
			b := []byte{0xff, 0xff, 0xff, 0xff, tt.fifth}[:i+1]
			if i < 4 {
				b[i] = 0x7f
			}
			if i > 0 && i < 4 && tt.cfg.AltBranch {
				b[i] = 0x3f // bit 6 announces information
			}
			if i == 4 && tt.isa == schema.T32 {
				b[i] = 0x1f
			}
			var p Packet
			if err := tt.cfg.Parse(&p, b); err != nil {
				t.Fatal(err)
			}
			want := schema.Address(1)<<top<<1 - 1<<tt.lowest
			if got := p.Branch.Target(0, tt.isa); got != want || int(p.Branch.Bits) != top-tt.lowest+1 {
				t.Errorf("% x in %s: %d bits, %08x, want %08x", b, tt.isa, p.Branch.Bits, got, want)
			}
			if got := p.Branch.Target(0xffffffff, tt.isa); got>>tt.lowest != 0xffffffff>>tt.lowest {
				t.Errorf("% x in %s: %08x, want all ones", b, tt.isa, got)
			}
		}
	}
}

func TestExceptionType(t *testing.T) {
	ar, m := Config{Minor: 5}, Config{Minor: 4, ProfileM: true}
	for _, tt := range []struct {
		cfg  Config
		r    Branch
		want string
	}{
		{ar, Branch{Exception: 1}, "debug"},
		{ar, Branch{Exception: 2}, "smc"},
		{ar, Branch{Exception: 3}, "hyp"},
		{ar, Branch{Exception: 4}, "async_data_abort"},
		{ar, Branch{Exception: 5}, "thumbee"},
		{ar, Branch{Exception: 6}, "reserved"},
		{ar, Branch{Exception: 7}, "reserved"},
		{ar, Branch{Exception: 8}, "reset"},
		{ar, Branch{Exception: 9}, "undefined"},
		{ar, Branch{Exception: 10}, "svc"},
		{ar, Branch{Exception: 11}, "prefetch_abort"},
		{ar, Branch{Exception: 12}, "data_abort"},
		{ar, Branch{Exception: 13}, "generic"},
		{ar, Branch{Exception: 14}, "irq"},
		{ar, Branch{Exception: 15}, "fiq"},
		{ar, Branch{Exception: 16}, "reserved"},
		{m, Branch{Exception: 1}, "irq"},
		{m, Branch{Exception: 7}, "irq"},
		{m, Branch{Exception: 8}, "irq"},
		{m, Branch{Exception: 9}, "usage_fault"},
		{m, Branch{Exception: 10}, "nmi"},
		{m, Branch{Exception: 11}, "svc"},
		{m, Branch{Exception: 12}, "debug_monitor"},
		{m, Branch{Exception: 13}, "mem_manage"},
		{m, Branch{Exception: 14}, "pendsv"},
		{m, Branch{Exception: 15}, "systick"},
		{m, Branch{Exception: 16}, "reserved"},
		{m, Branch{Exception: 17}, "reset"},
		{m, Branch{Exception: 18}, "reserved"},
		{m, Branch{Exception: 19}, "hard_fault"},
		{m, Branch{Exception: 20}, "reserved"},
		{m, Branch{Exception: 21}, "bus_fault"},
		{m, Branch{Exception: 22}, "reserved"},
		{m, Branch{Exception: 23}, "reserved"},
		{m, Branch{Exception: 24}, "irq"},
		{m, Branch{Exception: 511}, "irq"},
		{ar, Branch{Old: true, Exception: 1}, "irq"},
		{ar, Branch{Old: true, Exception: 2}, "reserved"},
		{ar, Branch{Old: true, Exception: 3}, "reserved"},
		{ar, Branch{Old: true, Exception: 4}, "jazelle"},
		{ar, Branch{Old: true, Exception: 5}, "fiq"},
		{ar, Branch{Old: true, Exception: 6}, "data_abort"},
		{ar, Branch{Old: true, Exception: 7}, "debug"},
		{ar, Branch{Old: true, Address: 0x00 >> 2}, "reset"},
		{ar, Branch{Old: true, Address: 0x04 >> 2}, "undefined"},
		{ar, Branch{Old: true, Address: 0xffff0008 >> 2}, "svc"},
		{ar, Branch{Old: true, Address: 0x0c >> 2}, "prefetch_abort"},
		{ar, Branch{Old: true, Address: 0x10 >> 2}, "data_abort"},
		{ar, Branch{Old: true, Address: 0x14 >> 2}, "reserved"},
	} {
		if got := tt.cfg.exceptionType(&tt.r).String(); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.r, got, tt.want)
		}
	}
}
