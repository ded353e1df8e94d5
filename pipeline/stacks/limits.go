package stacks

// limits bound what is held for a source, whatever its trace says.
type limits struct {
	job     int   // runs, steps and marks of a job, at least
	marks   int   // between two instructions: beyond, they are a gap
	nodes   int   // of a call tree, without those of (other)
	depth   int   // frames of a stack: one that grows beyond begins anew
	tasks   int   // of a source, and stacks of a stretch
	waiting int   // stacks: beyond, the one that waits longest is dropped
	held    int   // frames of those: likewise
	search  int   // frames from the top in which a stack that waits is looked for
	rows    int64 // that wait for the roots of their stretch: beyond, those are fixed
	short   int64 // instructions of a call: see longCalls
}

var usual = limits{
	job: 16384, marks: 1 << 16, nodes: 1 << 18, depth: 1 << 16, tasks: 1 << 16, waiting: 256,
	held: 1 << 18, search: 32, rows: 1 << 16, short: 256,
}
