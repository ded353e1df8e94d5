package convert

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline/report"
)

// Made says what made a report, and when.
type Made struct {
	By      string // program and version
	Seconds int64  // since 1970
}

// Cobertura writes a report as Cobertura's DTD (coverage-04.dtd) has it: a class for
// each file, a package for each folder. A line with conditional branches has two
// conditions for each.
func Cobertura(w io.Writer, files []report.SourceFile, p *Paths, made Made) error {
	c := &coverage{Version: made.By, Timestamp: made.Seconds * 1000, Sources: []string{cmp.Or(p.Root, ".")}}
	byFolder := map[string]*pkg{}
	for i := range files {
		folder := path.Dir(files[i].Path)
		if byFolder[folder] == nil {
			byFolder[folder] = &pkg{Name: folder}
			c.Packages = append(c.Packages, byFolder[folder])
		}
		byFolder[folder].add(newClass(&files[i]))
	}
	slices.SortFunc(c.Packages, func(x, y *pkg) int { return strings.Compare(x.Name, y.Name) })
	var total tally
	for _, x := range c.Packages {
		x.rates = x.tally.rates()
		total.add(x.tally)
	}
	c.rates = total.rates()
	c.LinesCovered, c.LinesValid, c.BranchesCovered, c.BranchesValid = total.linesHit, total.lines, total.branchesHit,
		total.branches
	if _, err := io.WriteString(w, xml.Header+doctype); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(c); err != nil {
		return fmt.Errorf("write XML: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

const doctype = `<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">` + "\n"

// The elements of a report.
type (
	coverage struct {
		XMLName xml.Name `xml:"coverage"`
		rates
		LinesCovered    int      `xml:"lines-covered,attr"`
		LinesValid      int      `xml:"lines-valid,attr"`
		BranchesCovered int      `xml:"branches-covered,attr"`
		BranchesValid   int      `xml:"branches-valid,attr"`
		Complexity      int      `xml:"complexity,attr"`
		Version         string   `xml:"version,attr"`
		Timestamp       int64    `xml:"timestamp,attr"`
		Sources         []string `xml:"sources>source"`
		Packages        []*pkg   `xml:"packages>package"`
	}
	rates struct {
		LineRate   string `xml:"line-rate,attr"`
		BranchRate string `xml:"branch-rate,attr"`
	}
	pkg struct {
		Name string `xml:"name,attr"`
		rates
		Complexity int     `xml:"complexity,attr"`
		Classes    []class `xml:"classes>class"`
		tally      tally
	}
	class struct {
		Name     string `xml:"name,attr"`
		FileName string `xml:"filename,attr"`
		rates
		Complexity int      `xml:"complexity,attr"`
		Methods    []method `xml:"methods>method"`
		Lines      []line   `xml:"lines>line"`
		tally      tally
	}
	method struct {
		Name      string `xml:"name,attr"`
		Signature string `xml:"signature,attr"`
		rates
		Complexity int    `xml:"complexity,attr"`
		Lines      []line `xml:"lines>line"`
	}
	line struct {
		Number     uint32      `xml:"number,attr"`
		Hits       int64       `xml:"hits,attr"`
		Branch     bool        `xml:"branch,attr"`
		Coverage   string      `xml:"condition-coverage,attr,omitempty"`
		Conditions *conditions `xml:"conditions"`
	}
	conditions struct {
		Condition []condition `xml:"condition"`
	}
	condition struct {
		Number   int    `xml:"number,attr"`
		Type     string `xml:"type,attr"`
		Coverage string `xml:"coverage,attr"`
	}
)

// A tally is what rates are of.
type tally struct{ lines, linesHit, branches, branchesHit int }

func (t *tally) add(u tally) {
	t.lines += u.lines
	t.linesHit += u.linesHit
	t.branches += u.branches
	t.branchesHit += u.branchesHit
}

// rates are 0 to 1; of nothing, all is covered.
func (t *tally) rates() rates {
	rate := func(hit, all int) string {
		if all == 0 {
			return "1"
		}
		return strconv.FormatFloat(float64(hit)/float64(all), 'f', -1, 64)
	}
	return rates{rate(t.linesHit, t.lines), rate(t.branchesHit, t.branches)}
}

func (p *pkg) add(c class) {
	p.Classes = append(p.Classes, c)
	p.tally.add(c.tally)
}

func newClass(f *report.SourceFile) class {
	c := class{Name: path.Base(f.Path), FileName: f.Path, Methods: []method{}}
	branches := f.Branches
	for _, l := range f.Lines {
		n := 0
		for n < len(branches) && branches[n].Line <= l.Number {
			n++
		}
		x, t := newLine(l, branches[:n])
		branches = branches[n:]
		c.Lines = append(c.Lines, x)
		c.tally.add(t)
	}
	for _, m := range f.Functions {
		t := tally{lines: 1, linesHit: one(m.Executions > 0)}
		c.Methods = append(c.Methods, method{Name: m.Name, rates: t.rates(), Lines: []line{{
			Number: m.Line,
			Hits:   m.Executions,
		}}})
	}
	c.rates = c.tally.rates()
	return c
}

// newLine returns a line with its conditional branches.
func newLine(l report.SourceLine, branches []report.SourceBranch) (line, tally) {
	x := line{Number: l.Number, Hits: l.Executions}
	t := tally{lines: 1, linesHit: one(l.Executions > 0), branches: 2 * len(branches)}
	if len(branches) == 0 {
		return x, t
	}
	x.Branch, x.Conditions = true, &conditions{}
	for i, b := range branches {
		n := one(b.Taken > 0) + one(b.NotTaken > 0)
		x.Conditions.Condition = append(x.Conditions.Condition, condition{i, "jump", percent(n, 2)})
		t.branchesHit += n
	}
	x.Coverage = fmt.Sprintf("%s (%d/%d)", percent(t.branchesHit, t.branches), t.branchesHit, t.branches)
	return x, t
}

// percent is as the format has it: no decimals, no space.
func percent(n, total int) string { return figures.PercentTo(int64(n), int64(total), 0) + "%" }
