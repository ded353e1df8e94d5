package main

// sharedNames are the columns that are described before the tables.
var sharedNames = []string{
	"source", "seq", "segment", "byte_offset",
	"epoch", "timestamp", "context_id", "vmid", "security", "exception_level",
	"core", "address", "size", "isa", "kind", "target",
	"name", "file", "line",
	"build", "dataset",
}

// sharedColumns returns those columns, each as most of these sections have it. A section that says something
// else of one has it in its own table.
func sharedColumns(sections []section) section {
	shared := section{name: "Columns that many tables have"}
	for _, name := range sharedNames {
		shared.columns = append(shared.columns, commonest(sections, name))
	}
	return shared
}

// commonest returns the column of that name that most sections have in the same words.
func commonest(sections []section, name string) (common column) {
	most := 0
	for _, s := range sections {
		for _, c := range s.columns {
			if n := uses(sections, c); c.name == name && n > most {
				common, most = c, n
			}
		}
	}
	return common
}

// uses returns how many sections describe the column in the same words.
func uses(sections []section, c column) (n int) {
	for _, s := range sections {
		if s.describes(c) {
			n++
		}
	}
	return n
}
