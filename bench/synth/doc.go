// Package synth makes captures whose truth is known.
//
// An execution, recorded by an emulator ([ReadQEMULog], [ReadRecording]), is a
// sequence of [Step]s. [Costs] gives each step its cycles, an encoder ([PFT])
// turns steps into a trace stream as a trace macrocell would, and [Snapshot]
// writes the directory a user would have. Beside it stands the [Truth]: the
// rows a right decoder must make of the capture, NULL where the protocol does
// not tell.
//
// With the decoder the package shares the packet codec, the instruction tables
// and program memory, nothing else. What is sent when, and what it means, is
// written here a second time, from the specification alone.
package synth
