// Package stacks rebuilds the call stacks of a source from what its core executed,
// without instrumentation: rows of `stacks`, `tasks`, `calls`, `call_times` and
// `exception_spans`. A [Stacks] is a sink of what the stitcher emits of one source.
//
// A shadow stack has frames: a function, where it returns to, and how it was entered. What kind
// an instruction is decides what happens to the stack, and where control went confirms it:
//
//   - A call pushes a frame. So does a branch into another function, or running on into it, which is a tail call: the
//     next one takes its place, so that it lies below the function that was called. So does an indirect branch to the
//     first address of a function; one inside a function is a jump table.
//   - A return, or any other indirect branch, ends the frames down to the one that returns to
//     where control went, but none below an exception.
//   - An exception pushes a frame for it and one for its handler, and its return ends them, if
//     control went to its return address or up to [nearReturn] bytes beside it: a handler may
//     skip the instruction. An asynchronous one has nothing to do with what it interrupts, and is a root. One that
//     a return leads to at once (profile M) returns where the last one would have.
//   - Where control went to no such address, another stack has its turn: of those that wait,
//     one with a frame that returns there (findWaiting). Where Context IDs are traced, a stack only waits for its own.
//   - If there is none, and control went to the inside of a function that has a frame, then the frames
//     above that have ended: longjmp returns for a second time from setjmp, whose frame is
//     gone, and exceptions of C++ go to handlers, where no call returns.
//   - If no call and no exception is open, the function that control returned to is the caller of the
//     whole stack (addCaller); by a return from an exception, the whole stack was a handler (leavesUnseen).
//   - Else a new stack begins.
//   - Where trace restarts elsewhere, or something of the flow is lost, a new stretch begins: its stacks have callers
//     that nobody saw. What they come to is added up by path, in the tree of the source; a stack may turn out to go on one
//     from before the gap (keptStacks).
//
// A task is the stacks of a Context ID, or without those of a root; after a gap a root counts only if nothing calls
// it (source.merged). Handlers of an asynchronous exception are a task of their own.
//
// Cycles are those of instructions, as in `counts`; the count in the packet of an exception is the exception's,
// and that of a gap is nobody's. Code of no function counts as one function, so without symbols the functions are call
// targets.
//
// Workers turn runs into steps ([walker]) and fold those that end what they began
// ([folder]); what is left is applied in order ([tasks]). So a source of one core still uses
// all workers.
//
// Its API is not stable (docs/guide/library.md).
package stacks
