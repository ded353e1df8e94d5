package qemu

import "testing"

// The conditions of DDI 0406C, table A8-1, each with the sixteen values of the
// flags N, Z, C, V as it counts them: bit i is for NZCV = i.
func TestPasses(t *testing.T) {
	holds := func(f func(n, z, c, v bool) bool) (set uint16) {
		for i := range 16 {
			if f(i&8 != 0, i&4 != 0, i&2 != 0, i&1 != 0) {
				set |= 1 << i
			}
		}
		return set
	}
	for condition, want := range map[uint32]uint16{
		0:  holds(func(_, z, _, _ bool) bool { return z }),            // EQ
		1:  holds(func(_, z, _, _ bool) bool { return !z }),           // NE
		2:  holds(func(_, _, c, _ bool) bool { return c }),            // CS
		3:  holds(func(_, _, c, _ bool) bool { return !c }),           // CC
		4:  holds(func(n, _, _, _ bool) bool { return n }),            // MI
		5:  holds(func(n, _, _, _ bool) bool { return !n }),           // PL
		6:  holds(func(_, _, _, v bool) bool { return v }),            // VS
		7:  holds(func(_, _, _, v bool) bool { return !v }),           // VC
		8:  holds(func(_, z, c, _ bool) bool { return c && !z }),      // HI
		9:  holds(func(_, z, c, _ bool) bool { return !c || z }),      // LS
		10: holds(func(n, _, _, v bool) bool { return n == v }),       // GE
		11: holds(func(n, _, _, v bool) bool { return n != v }),       // LT
		12: holds(func(n, z, _, v bool) bool { return !z && n == v }), // GT
		13: holds(func(n, z, _, v bool) bool { return z || n != v }),  // LE
		14: 0xffff,                                                    // AL
		15: 0xffff,                                                    // encodings without a condition
	} {
		for flags := range uint32(16) {
			if got := passes(condition, flags<<28); got != (want>>flags&1 == 1) {
				t.Errorf("condition %d, NZCV=%04b: %v", condition, flags, got)
			}
		}
	}
}
