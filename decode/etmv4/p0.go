package etmv4

// P0Elements returns how many P0 elements p makes: one for each atom, exception, Q
// packet and source address, and for a Transaction Start unless TRCIDR0[30] says that it
// is none (docs/etmv4.md §5.1). An exception or Q counts once its address is told (see
// [Config.AwaitsAddress]); here it counts at once.
func (c *Config) P0Elements(p *Packet) int {
	one := false
	switch p.Kind {
	case Atoms, Mispredict, Cancel:
		return int(p.AtomCount)
	case Exception:
		one = !c.withoutReturn(p)
	case Q, SourceAddress:
		one = true
	case TransactionStart:
		one = !c.CommTrans
	case FunctionReturn:
		one = c.v8M()
	case ExceptionReturn:
		one = c.v7M()
	default: // none
	}
	if one {
		return 1
	}
	return 0
}

// Open counts the P0 elements that are open: neither committed nor cancelled (docs/etmv4.md
// §5.2). Where reading starts it is what SPEC of the Trace Info packet says.
type Open uint64

// Apply does what p does, and commits the oldest elements of more than the trace unit can
// have open: with MaxSpec 0, none is open after any packet. Commits and cancels of more than
// are open do what there is.
func (o *Open) Apply(c *Config, p *Packet) {
	*o += Open(c.P0Elements(p))
	switch p.Kind {
	case Commit, Cancel, CycleCount:
		*o -= min(*o, Open(p.Count.Value))
	default: // no commit
	}
	*o = min(*o, Open(c.MaxSpec))
}
