// Package stacks rebuilds the call stacks of a source from what its core executed,
// without Context ID or instrumentation: rows of `stacks`, `tasks`, `calls` and
// `exception_spans`. A [Stacks] is a sink of what the stitcher emits of one source.
//
// Each task has a shadow stack of frames: a function, where it returns to, and how it was
// entered. What kind an instruction is decides what happens to the stack, and where control
// went confirms it:
//
//   - A call pushes a frame. A branch into another function, or running on into it, has that
//     function in the place of the one on top: a tail call. So has an indirect branch to the
//     first address of a function; one inside a function is a jump table.
//   - A return, or any other indirect branch, ends the frames down to the one that returns to
//     where control went, but none below an exception.
//   - An exception pushes a frame for it and one for its handler, and its return ends them, if
//     control went to its return address or up to [nearReturn] bytes beside it: a handler may
//     skip the instruction.
//   - Where control went to no such address, another task has its turn: of those that wait,
//     one with a frame that returns there (findWaiting).
//   - If there is none, and control went to the inside of a function that has a frame, then the frames
//     above that have ended: longjmp returns for a second time from setjmp, whose frame is
//     gone, and exceptions of C++ go to handlers, where no call returns.
//   - Else it is a new task. If no call and no exception was seen of the one at hand, that went on in
//     a function that was entered before trace began, and stays the same task.
//   - Where trace restarts, or something of the flow is lost, all stacks are dropped.
//   - If Context IDs are traced, a task only waits for its own.
//
// Code of no function counts as one function, so without symbols the functions are call
// targets.
//
// Workers turn runs into steps ([walker]) and fold those that end what they began
// ([folder]); what is left is applied in order ([tasks]). So a source of one core still uses
// all workers.
package stacks
