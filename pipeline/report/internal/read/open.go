// Package read opens the datasets that answers are made of, and goes through their rows. It
// knows no answer.
package read

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/verdict"
)

// TestLabel is the key of the label that names the test a capture was made in.
const TestLabel = "test"

// Open opens the datasets in dirs whose label is test; "": all. It fails with a [*NoTestError]
// if that is none, and with a [*dataset.Error] if one cannot be read or has no program. It
// returns those that it opened with an error, too.
func Open(dirs []string, test string) ([]*dataset.Dataset, error) {
	open, err := OpenAny(dirs, test)
	if err != nil {
		return open, err
	}
	for _, d := range open {
		if err := hasTables(d); err != nil {
			return open, err
		}
	}
	return open, nil
}

// OpenAny opens datasets as [Open] does, with or without a program: of packets alone, too.
func OpenAny(dirs []string, test string) ([]*dataset.Dataset, error) {
	var open []*dataset.Dataset
	var labels []string
	for _, dir := range dirs {
		d, err := dataset.Open(dir)
		if err != nil {
			return open, err
		}
		label := d.Manifest.Labels[TestLabel]
		if test != "" && label != test {
			labels = append(labels, label)
			d.Close()
			continue
		}
		open = append(open, d)
	}
	if len(open) == 0 {
		return nil, &NoTestError{Test: test, Labels: slices.Compact(slices.Sorted(slices.Values(labels)))}
	}
	return open, nil
}

// Close closes datasets.
func Close(open []*dataset.Dataset) {
	for _, d := range open {
		d.Close()
	}
}

// EachSource calls a function with each source of the datasets in dirs whose label is test,
// which have to have a table. It fails as [Open] does, with a [*dataset.Error] if one has no
// such table, or if the function fails.
func EachSource(dirs []string, test string, of *schema.Table,
	do func(*dataset.Dataset, *schema.SourceTotals) error,
) error {
	open, err := Open(dirs, test)
	defer Close(open)
	if err != nil {
		return err
	}
	for _, d := range open {
		if !d.Has(of) {
			return Lacks(d, of)
		}
		for i := range d.Manifest.Sources {
			if err := do(d, &d.Manifest.Sources[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// hasTables checks that d has the tables that answers are made of, which older
// versions did not write.
func hasTables(d *dataset.Dataset) error {
	if d.Manifest.Verdict == string(verdict.PacketsOnly) && !d.Has(&schema.Counts) {
		return &dataset.Error{
			File: d.Dir, Problem: "has packets only: what ran is not in it",
			Remedy: "export again without --packets-only, with the program that ran: -e FILE",
		}
	}
	for _, t := range []*schema.Table{&schema.Counts, &schema.Code, &schema.Functions, &schema.Lines} {
		if !d.Has(t) {
			return &dataset.Error{File: d.Dir, Problem: "has no table " + t.Name, Remedy: "export again with this version"}
		}
	}
	return nil
}

// IsSymbols reports whether a part of the program is from a program file, which names what runs.
func IsSymbols(i schema.ImageRegion) bool { return i.Role == schema.RoleSymbols.String() }

// Lacks is the error for a table that an answer needs.
func Lacks(d *dataset.Dataset, t *schema.Table) error {
	return &dataset.Error{
		File: d.Dir, Problem: "has no table " + t.Name,
		Remedy: "export again without --tables, or with " + t.Name + " among them",
	}
}

// Need fails with a [*dataset.Error] if a dataset has not all of the tables that an answer
// takes besides its own.
func Need(d *dataset.Dataset, tables ...*schema.Table) error {
	for _, t := range tables {
		if !d.Has(t) {
			return &dataset.Error{File: d.Dir, Problem: "has no table " + t.Name, Remedy: "export again with it"}
		}
	}
	return nil
}

// A NoTestError says that no dataset has the label that was asked for.
type NoTestError struct {
	Test   string
	Labels []string // those there are, ascending; "": a dataset without one
}

func (e *NoTestError) Error() string {
	words := make([]string, len(e.Labels))
	for i, label := range e.Labels {
		words[i] = fmt.Sprintf("%q", label)
		if label == "" {
			words[i] = "none"
		}
	}
	return fmt.Sprintf("no dataset has the label test=%s; their labels are: %s", e.Test, strings.Join(words, ", "))
}
