package stacks

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/stitch/stitchtest"
	"github.com/tracelake/tracelake/pipeline/tally"
	"github.com/tracelake/tracelake/schema"
)

// Each rule of stacks by an example. The rows wanted are worked out by hand.
//
// A node is its depth in dots, then its name (* is a tail call, ! an exception), how often
// it was entered, its own instructions and all of them, and the same of cycles.
// A task is a number, its name, origin, first instruction, switches, instructions.
// A call is its function, the first instruction and the end, instructions, own ones, how it
// ended; a span the ordinal of its entry, first instruction and end, how it ended, instructions.
var examples = []struct {
	name, functions, program, trace string
	nodes, tasks, calls, spans      string // "" is not looked at; "none" is none
}{
	{
		name:      "a call and its return",
		functions: "main 1000 10\nf 2000 8",
		program:   "m 1000 other call\nn 1008 other branch\nf 2000 other return",
		trace:     "m taken\nf taken\nn 0+1 unknown",
		nodes:     "main 1 3/5\n.f 1 2/2",
		tasks:     "0 main start 0 0 5",
		calls:     "f 2-4 2/2 return",
	},
	{
		name:      "a call that fails its condition, and a return that does",
		functions: "main 1000 10\nf 2000 10",
		program:   "m 1000 call\nn 1004 call\nf 2000 return other return\no 1008 other",
		trace:     "m not_taken\nn taken\nf 0+1 not_taken\nf 1+2 taken\no unknown",
		nodes:     "main 1 3/6\n.f 1 3/3",
	},
	{
		name:      "a return to the caller of the caller ends both",
		functions: "main 1000 10\nf 2000 10\ng 3000 8",
		program:   "m 1000 call\nn 1004 other\nf 2000 call\ng 3000 return",
		trace:     "m taken\nf taken\ng taken\nn unknown",
		nodes:     "main 1 2/4\n.f 1 1/2\n..g 1 1/1",
		calls:     "g 2-3 1/1 return\nf 1-3 2/1 return",
	},
	{
		name:      "a branch into another function is a tail call",
		functions: "main 1000 10\nf 2000 8\ng 3000 8",
		program:   "m 1000 call\nn 1004 other\nf 2000 other branch\ng 3000 return",
		trace:     "m taken\nf taken\ng taken\nn unknown",
		nodes:     "main 1 2/5\n.f 1 2/3\n..*g 1 1/1",
		calls:     "*g 3-4 1/1 return\nf 1-4 3/2 return",
	},
	{
		name:      "a function that runs on into the next one",
		functions: "main 1000 10\nf 2000 8\ng 2008 8",
		program:   "m 1000 call\nn 1004 other\nf 2000 other other other return",
		trace:     "m taken\nf taken\nn unknown",
		nodes:     "main 1 2/6\n.f 1 2/4\n..*g 1 2/2",
	},
	{
		name:      "an indirect branch: a jump table, a tail call, a return",
		functions: "main 1000 10\nf 2000 10\ng 3000 8",
		program:   "m 1000 call\nn 1004 other\nf 2000 indirect\nj 2008 indirect\ng 3000 indirect",
		trace:     "m taken\nf taken\nj taken\ng taken\nn unknown",
		nodes:     "main 1 2/5\n.f 1 2/3\n..*g 1 1/1",
		tasks:     "0 main start 0 0 5",
	},
	{
		name:      "an exception and its return",
		functions: "main 1000 10\nirq 18 4",
		program:   "m 1000 other other other\nh 18 exception_return",
		trace:     "m 0+1 unknown\nexception 1004 irq 53\nh taken\nm 1+2 unknown",
		nodes:     "main 1 3/3\n!irq 53 1 0/1\n.irq 1 1/1",
		calls:     "none",
		spans:     "0 1-2 return 1",
	},
	{
		name:      "a handler that skips the instruction, and one that goes elsewhere",
		functions: "main 1000 40\nund 4 8",
		program:   "m 1000 other udf other other other other other\nh 4 other exception_return",
		trace:     "m 0+2 unknown\nexception 1004 undefined\nh taken\nm 2+1 unknown\nexception 100c undefined\nh taken\nm 6+1 unknown",
		tasks:     "0 main start 0 0 7\n1 main #2 new 7 1 1",
		spans:     "0 2-4 return 2\n1 5-7 switch 2",
	},
	{
		name:      "what an exception interrupts has none of its time, nor has a call that it makes",
		functions: "main 1000 10\nf 2000 10\nirq 18 10\ng 3000 10",
		program:   "m 1000 call\nn 1004 other\nf 2000 other other return\nh 18 call exception_return\ng 3000 return",
		trace:     "m taken\nf 0+1 unknown\nexception 2004 irq\nh 0+1 taken\ng taken\nh 1+1 taken\nf 1+2 taken\nn unknown",
		nodes:     "main 1 2/5\n.f 1 3/3\n!irq 1 0/3\n.irq 1 2/3\n..g 1 1/1",
		calls:     "g 3-4 1/1 return\nf 1-7 3/3 return",
	},
	{
		name:      "a return that an exception cuts goes to the return address of that",
		functions: "main 1000 10\nf 2000 10\nirq 18 4",
		program:   "m 1000 call\nn 1004 other\nf 2000 return\nh 18 exception_return",
		trace:     "m taken\nf taken\nexception 1004 irq\nh taken\nn unknown",
		nodes:     "main 1 2/3\n.f 1 1/1\n!irq 1 0/1\n.irq 1 1/1",
		tasks:     "0 main start 0 0 3\n1 [irq] exception 2 0 1",
	},
	{
		name:      "an SVC at the end of a function does not enter the next one",
		functions: "main 1000 8\nnext 1008 8\nsvc 8 4",
		program:   "m 1000 other svc\nh 8 exception_return\nn 1008 other",
		trace:     "m unknown\nexception 1008 svc\nh taken\nm 0+1 unknown",
		nodes:     "main 1 3/4\n.!svc 1 0/1\n..svc 1 1/1",
	},
	{
		name:      "an exception return that the trace reports, and a tail-chained exception",
		functions: "main 1000 10\na 2000 10\nb 3000 10",
		program:   "m 1000 other other\na 2000 return\nb 3000 return",
		trace:     "m 0+1 unknown\nexception 1004 irq 1\na taken\nreturn\nexception 1004 irq 2\nb taken\nreturn\nm 1+1 unknown",
		nodes:     "main 1 2/2\n!irq 1 1 0/1\n.a 1 1/1\n!irq 2 1 0/1\n.b 1 1/1",
		spans:     "0 1-2 return 1\n1 2-3 return 1",
		tasks:     "0 main start 0 0 2\n1 [irq 1] exception 1 0 1\n2 [irq 2] exception 2 0 1",
	},
	{
		name:      "a tail-chained exception without a return address returns where the one before would have",
		functions: "main 1000 10\na 2000 10\nb 3000 10",
		program:   "m 1000 other other\na 2000 other return\nb 3000 return",
		trace:     "m 0+1 unknown\nexception 1004 irq 1\na taken\nreturn\nexception ? irq 2\nb taken\nreturn\nm 1+1 unknown",
		nodes:     "main 1 2/2\n!irq 1 1 0/2\n.a 1 2/2\n!irq 2 1 0/1\n.b 1 1/1",
		spans:     "0 1-3 return 2\n1 3-4 return 1",
		tasks:     "0 main start 0 0 2\n1 [irq 1] exception 1 0 2\n2 [irq 2] exception 3 0 1",
	},
	{
		name:      "a tail-chained exception after a handler that was entered unseen",
		functions: "main 1000 10\na 2000 10\nb 3000 10",
		program:   "m 1000 other other\na 2000 other return\nb 3000 return",
		trace:     "a taken\nreturn\nexception ? irq 2\nb taken\nreturn\nm 1+1 unknown",
		tasks:     "0 a start 0 0 2\n1 [irq 2] exception 2 0 1\n2 main new 3 1 1",
	},
	{
		name:      "a handler that returns with its first instruction is no vector, where a packet says so",
		functions: "main 1000 10\nnext 1010 8\na 2000 10",
		program:   "m 1000 other return\nn 1010 other\na 2000 return",
		trace:     "m taken\nexception ? irq 1\na taken\nreturn\nn unknown",
		tasks:     "0 main start 0 0 2\n1 [irq 1] exception 2 0 1\n2 next new 3 1 1",
	},
	{
		name:      "tasks that an exception switches",
		functions: "idle 1000 10\nirq 18 8\nwork 2000 20",
		program:   "i 1000 other other\nh 18 other exception_return\nw 2000 other other other other",
		trace:     "i 0+1 unknown\nexception 1004 irq\nh taken\nw 0+2 unknown\nexception 2008 irq\nh taken\ni 1+1 unknown\nexception 1004 irq\nh taken\nw 2+1 unknown",
		tasks:     "0 idle start 0 1 2\n1 [irq] exception 1 0 6\n2 work new 3 2 3",
		spans:     "0 1-3 switch 2\n1 5-7 switch 2\n2 8-10 switch 2",
	},
	{
		name:      "a return below what was seen has a new root in the same task",
		functions: "main 1000 10\nf 2000 10",
		program:   "n 1004 other\nf 2000 other return",
		trace:     "f taken\nn unknown",
		nodes:     "main 1 1/3\n.f 1 2/2",
		tasks:     "0 main start 0 0 3",
	},
	{
		name:      "a gap drops the stacks",
		functions: "main 1000 10\nf 2000 10",
		program:   "m 1000 call\nf 2000 other return\nn 1004 other",
		trace:     "m taken\nf 0+1 unknown\nloss\ntrace_on\nf 1+1 taken\nn unknown",
		nodes:     "main 1 2/4\n.f 2 2/2",
		tasks:     "0 main start 0 0 4",
		calls:     "f 1-2 1/1 gap",
	},
	{
		name:      "trace that was off and restarts where it stopped goes on, but not after an overflow",
		functions: "main 1000 10\nf 2000 10",
		program:   "m 1000 call\nf 2000 other other return\nn 1004 other",
		trace:     "m taken\nf 0+1 unknown\ntrace_on\nf 1+1 unknown\noverflow\nf 2+1 taken\nn unknown",
		calls:     "f 1-3 2/2 gap",
		tasks:     "0 main start 0 0 5",
	},
	{
		name:      "trace that was off and restarts where it stopped is of another task, if its Context ID is another",
		functions: "main 1000 10\nf 2000 10",
		program:   "m 1000 call\nn 1004 other\nf 2000 other other other return",
		trace:     "context 1\nm taken\nf 0+1 unknown\ntrace_on\ncontext 1\nf 1+1 unknown\ntrace_on\ncontext 2\nf 2+1 unknown",
		nodes:     "main 1 1/3\n.f 1 2/2\nf 1 1/1",
		tasks:     "0 main start 0 0 3 context=1\n1 (callers not seen) gap 3 0 1 context=2",
		calls:     "f 1-3 2/2 gap",
	},
	{
		name:      "after a gap the root is of no task if something calls it, and none returns from it",
		functions: "main 1000 10\nf 2000 10",
		program:   "m 1000 call\nf 2000 other other return\nn 1004 other",
		trace:     "m taken\nf 0+1 unknown\nloss\nf 2+1 taken\nn unknown\nloss\nf 0+2 unknown\nloss\nn unknown",
		nodes:     "main 1 2/4\n.f 2 2/2\nf 1 2/2\nmain 1 1/1",
		tasks:     "0 main start 0 0 5\n1 (callers not seen) gap 4 0 2",
	},
	{
		name:      "the body of a task that a shell calls indirectly names it, after a gap, too",
		functions: "shell 1000 10\nbody 2000 80",
		program:   "s 1000 indirect_call\nb 2000 other other other other other other other other other other other other other other other other other other other other",
		trace:     "s taken\nb 0+20 unknown\nloss\nb 4+2 unknown",
		tasks:     "0 body start 0 0 23",
	},
	{
		name:      "a function that calls one indirectly and goes on itself names the task",
		functions: "main 1000 20\nf 2000 10",
		program:   "m 1000 indirect_call\nf 2000 return\nn 1004 other other other other",
		trace:     "m taken\nf taken\nn unknown",
		tasks:     "0 main start 0 0 6",
	},
	{
		name:      "only the return from an exception is seen",
		functions: "main 1000 10\nirq 3000 10",
		program:   "m 1000 other other\nh 3000 other exception_return",
		trace:     "h taken\nm unknown",
		nodes:     "[entry not seen] 1 0/2\n.irq 1 2/2\nmain 1 2/2",
		tasks:     "0 [entry not seen] exception 0 0 2\n1 main start 2 0 2",
	},
	{
		name:      "functions that jump to one another lie below the one that was called",
		functions: "main 1000 10\na 2000 8\nb 3000 8\nc 4000 8",
		program:   "m 1000 call\nn 1004 other\na 2000 branch\nb 3000 branch\nc 4000 branch\nr 3000 return",
		trace:     "m taken\na taken\nb taken\nc taken\nb taken\na taken\nr taken\nn unknown",
		nodes:     "main 1 2/8\n.a 1 2/6\n..*b 3 3/3\n..*c 1 1/1",
	},
	{
		name:      "debug state: trace goes on where it stopped, or elsewhere",
		functions: "main 1000 10\nf 2000 10",
		program:   "m 1000 call\nf 2000 other other return",
		trace:     "m taken\nf 0+1 unknown\nexception 2004 debug\ndebug_exit\nf 1+1 unknown\nexception 2008 debug\ndebug_exit\nf 0+1 unknown",
		tasks:     "0 main start 0 0 3\n1 (callers not seen) gap 3 0 1",
		spans:     "0 2-2 return 0\n1 3-3 gap 0",
	},
	{
		name:      "exceptions before and after all that was executed",
		functions: "main 1000 10",
		program:   "m 1000 other",
		trace:     "exception ? irq\nm unknown\nexception 1004 irq\nexception 18 fiq",
		tasks:     "0 main start 0 0 1",
		spans:     "0 0-0 gap 0\n1 1-? open 0\n2 1-? open 0",
	},
	{
		name:      "a task waits for its own Context ID",
		functions: "idle 1000 10\nirq 18 8\nwork 2000 20",
		program:   "i 1000 other other\nh 18 other exception_return\nw 2000 other other other other",
		trace:     "context 1\ni 0+1 unknown\nexception 1004 irq\nh 0+1 unknown\ncontext 2\nh 1+1 taken\nw 0+1 unknown\nexception 2004 irq\nh taken\ni 1+1 unknown",
		tasks:     "0 idle start 0 0 1 context=1\n1 [irq] exception 1 0 4\n2 work new 3 1 1 context=2\n3 idle new 6 1 1 context=2",
	},
	{
		name:      "a Context ID is another task in another virtual machine",
		functions: "idle 1000 10\nirq 18 8\nwork 2000 20",
		program:   "i 1000 other other\nh 18 other exception_return\nw 2000 other other",
		trace:     "context 1 7\ni 0+1 unknown\nexception 1004 irq\nh 0+1 unknown\ncontext 1 8\nh 1+1 taken\nw 0+1 unknown",
		tasks:     "0 idle start 0 0 1 context=1\n1 [irq] exception 1 0 2\n2 work new 3 1 1 context=1",
	},
	{
		name:      "a return from an exception that aborts does not return",
		functions: "main 1000 10\nirq 18 8\nabort 3000 8",
		program:   "m 1000 other other\nh 18 other exception_return\na 3000 exception_return",
		trace: "m 0+1 unknown\nexception 1004 irq\nh taken\nreturn\nexception 1c prefetch_abort\na taken\nreturn\n" +
			"h 1+1 taken\nreturn\nm 1+1 unknown",
		nodes: "main 1 2/2\n!irq 1 0/4\n.irq 1 3/4\n..!prefetch_abort 1 0/1\n...abort 1 1/1",
		tasks: "0 main start 0 0 2\n1 [irq] exception 1 0 4",
	},
	{
		name:      "a Context ID that is stated right after a return is of where that goes",
		functions: "idle 1000 10\nirq 18 8\nwork 2000 20",
		program:   "i 1000 other other\nh 18 other exception_return\nw 2000 other",
		trace: "context 1\ni 0+1 unknown\nexception 1004 irq\nh taken\nreturn\ncontext 2\n" +
			"w unknown\nexception 2004 irq\nh taken\nreturn\ncontext 1\ni 1+1 unknown",
		tasks: "0 idle start 0 1 2 context=1\n1 [irq] exception 1 0 4\n2 work new 3 1 1 context=2",
	},
	{
		name:      "a Context ID that is stated right after a return, where the trace reports no returns",
		functions: "idle 1000 10\nirq 18 8\nwork 2000 20",
		program:   "i 1000 other other\nh 18 other exception_return\nw 2000 other",
		trace:     "context 1\ni 0+1 unknown\nexception 1004 irq\nh taken\ncontext 2\nw unknown\nexception 2004 irq\nh taken\ncontext 1\ni 1+1 unknown",
		tasks:     "0 idle start 0 1 2 context=1\n1 [irq] exception 1 0 4\n2 work new 3 1 1 context=2",
	},
	{
		name:      "an exception returns to what wrote the Context ID that is stated after its entry",
		functions: "idle 1000 10\nirq 18 c\nfiq 3000 8\nwork 2000 20",
		program:   "i 1000 other other\nh 18 other other exception_return\nq 3000 other exception_return\nw 2000 other",
		trace: "context 1\ni 0+1 unknown\nexception 1004 irq\nh 0+1 unknown\nexception 1c fiq\ncontext 2\nq taken\n" +
			"h 1+2 taken\nw unknown",
		tasks: "0 idle start 0 0 1 context=1\n1 [irq] exception 1 0 3\n2 [fiq] exception 2 0 2\n3 work new 6 1 1 context=2",
	},
	{
		name:      "an exception has a Context ID of its own, that of its security state",
		functions: "idle 1000 10\nsmc 18 8",
		program:   "i 1000 smc other\nh 18 other exception_return",
		trace:     "context 1\ni 0+1 unknown\nexception 1004 smc\ncontext 9\nh taken\nreturn\ncontext 1\ni 1+1 unknown",
		tasks:     "0 idle start 0 0 4 context=1",
	},
	{
		name:    "without functions, they are call targets",
		program: "m 1000 call\nn 1004 branch\nf 2000 branch\ng 3000 return",
		trace:   "m taken\nf taken\ng taken\nn taken",
		nodes:   "0x1000 1 2/4\n.0x2000 1 2/2",
	},
	{
		name:      "longjmp returns to after the call of setjmp",
		functions: "main 1000 20\nset 2000 8\nf 3000 8\nlong 4000 8",
		program:   "m 1000 call\nn 1004 other call\no 100c other\nset 2000 return\nf 3000 call\nlong 4000 return",
		trace:     "m taken\nset taken\nn taken\nf taken\nlong taken\nn taken\nf 0+1 not_taken",
		nodes:     "main 1 5/9\n.set 1 1/1\n.f 2 2/3\n..long 1 1/1",
		tasks:     "0 main start 0 0 9",
		calls:     "set 1-2 1/1 return\nlong 5-6 1/1 return\nf 4-6 2/1 return\nf 8-? 1/1 open",
	},
	{
		name:      "a return that is none from an exception goes to no address beside that of one",
		functions: "main 1000 10\nirq 18 8\nwork 2000 20\nback 1010 8",
		program:   "i 1000 other other\nh 18 other exception_return\nw 2000 other return\nb 1010 other",
		trace:     "i 0+1 unknown\nexception 1008 irq\nh taken\nw taken\nb unknown",
		tasks:     "0 main start 0 0 1\n1 [irq] exception 1 0 2\n2 back new 3 1 3",
	},
	{
		name:    "without functions, an indirect branch that returns, and one that jumps",
		program: "m 1000 call\nn 1004 indirect\no 3000 other\nf 2000 indirect",
		trace:   "m taken\nf taken\nn taken\no unknown",
		nodes:   "0x1000 1 3/4\n.0x2000 1 1/1",
		calls:   "0x2000 1-2 1/1 return",
	},
	{
		name:      "a vector jumps to the handler, whatever the program has there",
		functions: "main 1000 10\nvectors 0 20\nirq 3000 10",
		program:   "m 1000 other other\nv 18 exception_return\nh 3000 other exception_return",
		trace:     "m 0+1 unknown\nexception 1004 irq\nv taken\nreturn\nh taken\nm 1+1 unknown",
		nodes:     "main 1 2/2\n!irq 1 0/3\n.vectors 1 1/1\n.irq 1 2/2",
		tasks:     "0 main start 0 0 2\n1 [irq] exception 1 0 3",
		spans:     "0 1-4 return 3",
	},
	{
		name:      "a vector that contradicts the program is no gap",
		functions: "main 1000 10\nvectors 0 20\nwrong 168 8\nsvc 3000 10",
		program:   "m 1000 other svc other\nv 8 call\nh 3000 other exception_return",
		trace:     "m 0+2 unknown\nexception 1008 svc\nv taken\ninconsistent\nh taken\nm 2+1 unknown",
		nodes:     "main 1 3/6\n.!svc 1 0/3\n..vectors 1 1/1\n..svc 1 2/2",
		tasks:     "0 main start 0 0 6",
		spans:     "0 2-5 return 3",
	},
	{
		name:      "a handler that calls at once is no vector, nor is one that returns",
		functions: "main 1000 10\nirq 18 10\nfiq 1c 4\nf 3000 10",
		program:   "m 1000 other other\nh 18 call exception_return\nq 1c exception_return\nf 3000 return",
		trace:     "m 0+1 unknown\nexception 1004 irq\nh 0+1 taken\nf taken\nq taken\nexception 1004 fiq\nq taken\nm 1+1 unknown",
		nodes:     "main 1 2/2\n!irq 1 0/3\n.irq 1 1/3\n..f 1 1/1\n..*fiq 1 1/1\n!fiq 1 0/1\n.fiq 1 1/1",
		spans:     "0 1-4 return 3\n1 4-5 return 1",
	},
	{
		name:      "a vector jumps to the handler, which another exception interrupts before it executes anything",
		functions: "main 1000 10\nvectors 0 20\nirq 3000 10\nfiq 4000 10",
		program:   "m 1000 other other\nv 18 indirect\nw 1c branch\nh 3000 other exception_return\nq 4000 exception_return",
		trace:     "m 0+1 unknown\nexception 1004 irq\nv taken\nexception 3000 fiq\nw taken\nq taken\nreturn\nh taken\nreturn\nm 1+1 unknown",
		nodes:     "main 1 2/2\n!irq 1 0/3\n.vectors 1 1/1\n.irq 1 2/2\n!fiq 1 0/2\n.vectors 1 1/1\n.fiq 1 1/1",
		tasks:     "0 main start 0 0 2\n1 [irq] exception 1 0 3\n2 [fiq] exception 2 0 2",
	},
	{
		name:      "an exception that cut a return goes back to where that went",
		functions: "main 1000 10\nf 2000 10\nirq 3000 10",
		program:   "m 1000 call\nn 1004 other\nf 2000 return\nh 3000 other exception_return",
		trace:     "m taken\nf taken\nexception ? irq\nh taken\nn unknown",
		nodes:     "main 1 2/3\n.f 1 1/1\n!irq 1 0/2\n.irq 1 2/2",
		tasks:     "0 main start 0 0 3\n1 [irq] exception 2 0 2",
		calls:     "f 1-4 1/1 return",
		spans:     "0 2-4 return 2",
	},
	{
		name:      "of two tasks that wait at one address, the one with the Context ID goes on",
		functions: "work 1000 20\nirq 18 8",
		program:   "w 1000 other other other other\nh 18 other exception_return",
		trace: "context 1\nw 0+1 unknown\nexception 1004 irq\nh 0+1 unknown\ncontext 2\nh 1+1 taken\n" +
			"w 1+1 unknown\nexception 1004 irq\nh 0+1 unknown\ncontext 1\nh 1+1 taken\nw 1+1 unknown",
		tasks: "0 work start 0 1 2 context=1\n1 [irq] exception 1 0 4\n2 work new 3 1 1 context=2",
	},
	{
		name:      "the count of an exception is its own, that of a gap nobody's",
		functions: "main 1000 10\nirq 18 8",
		program:   "m 1000 other other other branch\nh 18 other exception_return",
		trace: "epoch 0\nm 0+1 unknown cycles=3\nexception 1004 irq cycles=4\nh taken cycles=5\nm 1+1 unknown cycles=1\n" +
			"wait 100\nloss\nm 2+2 taken cycles=2",
		nodes: "main 1 2/2 4/4\n!irq 1 0/2 4/9\n.irq 1 2/2 5/5\nmain 1 2/2 2/2",
	},
	{
		name:      "cycles of each instruction of a run",
		functions: "main 1000 8\nf 1008 8",
		program:   "m 1000 other other other branch",
		trace:     "epoch 0\nm taken EEEE costs=1,2,3,4",
		nodes:     "main 1 2/4 3/10\n.*f 1 2/2 7/7",
	},
	{
		name:      "cycles",
		functions: "main 1000 10\nf 2000 8",
		program:   "m 1000 call\nf 2000 return\nn 1004 other branch",
		trace:     "epoch 0\nm taken cycles=3\nf taken cycles=5\nn taken cycles=2",
		nodes:     "main 1 3/4 5/10\n.f 1 1/1 5/5",
		calls:     "f 1-2 1/1 5/5 return",
	},
}

func TestExamples(t *testing.T) {
	for _, x := range examples {
		t.Run(x.name, func(t *testing.T) {
			for _, job := range []int{1, 2, usual.job} {
				l := usual
				l.job = job
				got := play(t, x.functions, stitchtest.Script{Program: x.program, Trace: x.trace, Split: job == 1}, nil, l)
				for _, c := range []struct{ what, got, want string }{
					{"stacks", got.nodes, x.nodes}, {"tasks", got.tasks, x.tasks}, {"calls", got.calls, x.calls}, {"spans", got.spans, x.spans},
				} {
					want := strings.TrimSuffix(c.want, "none")
					if c.want != "" && c.got != want {
						t.Errorf("jobs of %d: %s are\n%s\nwant\n%s", job, c.what, c.got, want)
					}
				}
			}
		})
	}
}

// rows are rows as a test writes them.
type rows struct {
	nodes, tasks, calls, spans string
	times                      string // rows of call_times, and how long the calls of each node took
	atLeast                    int64  // instructions of a call
}

// took is what a row of calls says of its instructions.
var took = regexp.MustCompile(` \d+-\S+ (\d+)/`)

// longest returns the rows with so many calls at most; short is that of [longCalls].
func (r rows) longest(most int, short int64) rows {
	lines := strings.Split(r.calls, "\n")
	for len(lines) > most {
		r.atLeast = max(2*r.atLeast, short)
		lines = slices.DeleteFunc(lines, func(line string) bool {
			n, err := strconv.ParseInt(took.FindStringSubmatch(line)[1], 10, 64)
			return err != nil || n < r.atLeast
		})
	}
	r.calls = strings.Join(lines, "\n")
	return r
}

// play plays a script to stacks, and returns their rows.
func play(t testing.TB, functions string, s stitchtest.Script, workers tally.Workers, l limits) rows {
	t.Helper()
	return playTo(t, functions, s, workers, l, Sinks{Calls: new(kept[Call]).Add})
}

// playTo is play with rows of calls if they are wanted.
func playTo(t testing.TB, functions string, s stitchtest.Script, workers tally.Workers, l limits, wanted Sinks) rows {
	t.Helper()
	fs := functionsOf(t, functions)
	var calls kept[Call]
	if wanted.Calls != nil {
		wanted.Calls = calls.Add
	}
	var spans kept[Span]
	wanted.Spans = spans.Add
	stacks := limited(fs, workers, wanted, l)
	s.Play(t, stacks.Sinks(stitch.Sinks{}))
	some, tasks, err := stacks.Finish()
	if err != nil {
		t.Fatal(err)
	}
	nodes := slices.Concat(slices.Collect(some)...)
	r := rows{atLeast: stacks.CallsAtLeast()}
	for i := range nodes {
		n := &nodes[i]
		r.nodes += fmt.Sprintf("\n%s%s %d %d/%d%s", strings.Repeat(".", int(n.Depth)-1), n.words(fs), n.Calls,
			n.Own.Instructions, n.Total.Instructions, cycles(n.Own, n.Total))
	}
	for i := range nodes {
		r.times += fmt.Sprintln(i, nodes[i].Shortest, nodes[i].Longest, nodes[i].LongestSeq, nodes[i].NotEnded)
	}
	r.times += fmt.Sprint(stacks.Times())
	for i := range tasks {
		x := &tasks[i]
		r.tasks += fmt.Sprintf("\n%d %s %s %d %d %d", i, x.Name, x.Origin, x.FirstSeq, x.Switches, x.Executed.Instructions)
		if x.ContextID.OK {
			r.tasks += fmt.Sprintf(" context=%x", x.ContextID.V)
		}
		if x.Drift+x.Ambiguous > 0 {
			r.tasks += fmt.Sprintf(" drift=%d ambiguous=%d", x.Drift, x.Ambiguous)
		}
	}
	for i := range calls.rows {
		c := &calls.rows[i]
		r.calls += fmt.Sprintf("\n%s %d-%s %d/%d%s %s", nodes[c.Stack].words(fs), c.Seq, seq(c.EndSeq()), c.All().Instructions, c.Own().Instructions, cycles(c.All(), c.Own()), c.End)
	}
	for i := range spans.rows {
		x := &spans.rows[i]
		r.spans += fmt.Sprintf("\n%d %d-%s %s %d", x.Ordinal, x.Seq, seq(x.EndSeq), x.End, x.Instructions.V)
	}
	for _, text := range []*string{&r.nodes, &r.tasks, &r.calls, &r.spans} {
		*text = strings.TrimPrefix(*text, "\n")
	}
	return r
}

func cycles(x, y Work) string {
	if !x.Cycles.OK {
		return ""
	}
	return fmt.Sprintf(" %d/%d", x.Cycles.V, y.Cycles.V)
}

func seq(n schema.Null[int64]) string {
	if !n.OK {
		return "?"
	}
	return fmt.Sprint(n.V)
}

func (s *Stack) words(fs Functions) string {
	name := fmt.Sprintf("0x%x", s.Address)
	if s.Function.OK {
		name = fs[s.Function.V].Name
	}
	switch s.Entry {
	case schema.StackTail:
		return "*" + name
	case schema.StackOther:
		return "(other)"
	case schema.StackException:
		if !s.Parent.OK && !s.Exception.OK && !s.Number.OK {
			return "[entry not seen]"
		}
		name = "!" + s.Exception.V.String()
		if s.Number.OK {
			name += fmt.Sprintf(" %d", s.Number.V)
		}
	}
	return name
}

// kept is a sink that keeps rows.
type kept[T any] struct{ rows []T }

// Add implements [stitch.Sink].
func (k *kept[T]) Add(_ stitch.Base, rows []T) error {
	k.rows = append(k.rows, rows...)
	return nil
}

// functionsOf reads functions: a line has name, address and size.
func functionsOf(t testing.TB, text string) Functions {
	t.Helper()
	var fs Functions
	for line := range strings.Lines(text) {
		var f Function
		if _, err := fmt.Sscanf(line, "%s %x %x", &f.Name, &f.Address, &f.Size); err != nil {
			t.Fatal(err)
		}
		fs = append(fs, f)
	}
	slices.SortFunc(fs, func(f, g Function) int { return cmp.Compare(f.Address, g.Address) })
	return fs
}
