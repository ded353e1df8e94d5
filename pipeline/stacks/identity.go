package stacks

import "github.com/tracelake/tracelake/schema"

// An identity is what the trace says of which task runs: a Context ID, and in which virtual machine, if that is traced.
type identity struct {
	context uint32
	vmid    schema.Null[uint32]
}

// differs says whether two are known and not of the same task. A VMID that is not known yet may be any.
func differs(x, y schema.Null[identity]) bool {
	return x.OK && y.OK && (x.V.context != y.V.context || x.V.vmid.OK && y.V.vmid.OK && x.V.vmid != y.V.vmid)
}

// learn sets x to y where that says more of the same.
func learn(x *schema.Null[identity], y schema.Null[identity]) {
	if !x.OK || !x.V.vmid.OK && !differs(*x, y) && y.OK {
		*x = y
	}
}
