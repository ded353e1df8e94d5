// Package synth makes captures whose truth is known.
//
// An execution is a sequence of [Step]s. It is recorded by an emulator
// ([ReadQEMULog], [ReadQEMUUserLog], [ReadRecording]), or made up: [Execute]
// walks the code of any [Program], compiled or itself made up
// ([GenerateProgram]), and takes its decisions, and whatever else happens to a
// core, from a seed. [Costs] gives each step its cycles, an encoder ([PFT]
// or [ETMv3]) turns steps into a trace stream as a trace macrocell would, and
// [Snapshot] writes the directory a user would have. Beside it stands the truth,
// told by the encoder as [Rows]: what a right decoder must make of the capture,
// NULL where the protocol does not tell. [Digest] keeps it in short.
//
// With the decoder the package shares the packet codec, the instruction tables
// and program memory, nothing else. What is sent when, and what it means, is
// written here a second time, from the specification alone.
package synth
