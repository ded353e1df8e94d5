package pipeline

import (
	"cmp"
	"runtime"
	"runtime/debug"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// withDefaults returns options in which what was not said is what the command does without flags.
func withDefaults(o Options) Options {
	o.Level, o.Tool = cmp.Or(o.Level, schema.LevelInstructions), orLibrary(o.Tool)
	o.Workers, o.Families = orProcessors(o.Workers), orAll(o.Families)
	o.MaxRows = cmp.Or(o.MaxRows, DefaultMaxRows)
	return o
}

// orAll returns families, or those of all protocols if they are nil.
func orAll(families []decode.Family) []decode.Family {
	if families == nil {
		return Protocols()
	}
	return families
}

// orProcessors returns a number of workers, or that of the processors that Go uses if it is none.
func orProcessors(workers int) int {
	if workers < 1 {
		return runtime.GOMAXPROCS(0)
	}
	return workers
}

// orLibrary returns a tool, or this library in its version if it is none.
func orLibrary(tool schema.Tool) schema.Tool {
	if tool != (schema.Tool{}) {
		return tool
	}
	tool = schema.Tool{Name: "tracelake", Version: "devel"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return tool
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == "github.com/tracelake/tracelake" && m.Version != "(devel)" {
			tool.Version = cmp.Or(m.Version, tool.Version)
		}
	}
	return tool
}
