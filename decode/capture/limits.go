package capture

import "github.com/tracelake/tracelake/decode/image"

// Limits on input. Beyond one the input is refused, but for the last three.
const (
	maxINIBytes    = 16 << 20      // bytes of one ini file
	maxLineBytes   = 64 << 10      // bytes of one line in it, without its end
	maxDevices     = 4096          // devices of a snapshot
	maxRegisters   = 65536         // registers of a device
	maxDumps       = 65536         // memory sections of a device
	maxBufferFiles = 1024          // files of one buffer; all stay open
	maxMemory      = image.MaxLoad // bytes of program memory of a capture
	maxMemoryFile  = 4 << 30       // bytes of one file of program memory; all of it is hashed

	maxWarnings  = 1000      // more are left out
	maxCompare   = 256 << 20 // bytes of overlapping memory that are compared; the rest is not
	maxNamesSaid = 20        // names that exist, in an error; more are left out
)
