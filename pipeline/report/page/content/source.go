package content

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/pipeline/convert"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/visible"
)

// Sources say where the text of source files is.
type Sources struct {
	None  bool              // it stays out
	Roots []string          // folders that have it: the first that has a file; none: the working directory
	Map   []convert.Mapping // of the paths that the compiler wrote down
}

// Limits of a source file whose text is shown.
const (
	mostSourceBytes = 8 << 20
	mostLineRunes   = 2000
)

// A finder reads the text of files under its roots, which somebody named. Paths are from the program
// file, which may be anybody's: nothing outside of the roots is ever read, whatever a path or a
// symbolic link says, and no hidden file in them.
type finder struct {
	*Sources
	roots []*os.Root
}

// newFinder opens the roots.
func newFinder(s *Sources) (*finder, error) {
	f := &finder{Sources: s}
	if s.None {
		return f, nil
	}
	roots := s.Roots
	if len(roots) == 0 {
		roots = []string{"."}
	}
	for _, dir := range roots {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, errors.Join(err, f.close())
		}
		f.roots = append(f.roots, root)
	}
	for _, m := range s.Map { // what moved is where it moved to
		if absolute(m.To) {
			if root, err := os.OpenRoot(filepath.FromSlash(m.To)); err == nil {
				f.roots = append(f.roots, root)
			}
		}
	}
	return f, nil
}

func absolute(name string) bool { return path.IsAbs(name) || filepath.IsAbs(filepath.FromSlash(name)) }

func (f *finder) close() error {
	var all []error
	for _, root := range f.roots {
		all = append(all, root.Close())
	}
	return errors.Join(all...)
}

// text returns the lines of a file; nil: there are none.
func (f *finder) text(file string) []string {
	for _, root := range f.roots {
		paths := convert.Paths{Map: f.Map, Root: filepath.ToSlash(root.Name())}
		local, ok := inside(paths.Move(file), root.Name())
		if !ok {
			continue
		}
		if text, err := readFile(root, local); err == nil {
			return lines(text)
		}
	}
	return nil
}

// inside returns a path in a folder relative to that.
func inside(name, dir string) (string, bool) {
	local := filepath.FromSlash(name)
	if absolute(name) {
		full, err := filepath.Abs(dir)
		if err != nil {
			return "", false
		}
		if local, err = filepath.Rel(full, local); err != nil {
			return "", false
		}
	}
	return local, filepath.IsLocal(local) && !hidden(local)
}

// hidden says whether a part of a path begins with a dot, as those do that programs keep what is
// theirs in: keys, passwords.
func hidden(name string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(name), "/"),
		func(part string) bool { return strings.HasPrefix(part, ".") && part != "." })
}

// errUnfit is the error for what is no source file.
var errUnfit = errors.New("is no regular file of at most 8 MB")

// readFile reads a regular file of a folder.
func readFile(root *os.Root, name string) ([]byte, error) {
	info, err := root.Stat(name) // before it is opened, as that of a pipe waits
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > mostSourceBytes {
		return nil, errUnfit
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostSourceBytes+1))
	if len(text) > mostSourceBytes {
		return nil, errUnfit
	}
	return text, err
}

// lines returns text as a page shows it, line by line.
func lines(text []byte) []string {
	all := []string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if len(line) > mostLineRunes {
			line = visible.Cut(line, mostLineRunes)
		}
		all = append(all, string(visible.Append(nil, []byte(line))))
	}
	return all
}

// newSource returns the lines of the source files. It returns the paths of those without text, too.
func newSource(m *report.Merged, index map[string]int32, byCycles bool, f *finder) (*Source, []string) {
	s := &Source{Hottest: [2]int32{None, None}}
	var missing []string
	heat := int64(0)
	for _, c := range m.Lines() {
		file, ok := index[c.Path]
		if !ok {
			continue
		}
		x := SourceFile{File: file, Text: f.text(c.Path), NotSeen: []uint32{}}
		if x.Text == nil {
			missing = append(missing, Name(c.Path))
		}
		for i := range c.Lines {
			l := &c.Lines[i]
			if l.Code.Covered+l.Code.Reached == 0 {
				x.NotSeen = append(x.NotSeen, l.Number)
				continue
			}
			x.Seen.add(l, byCycles)
			if own := answer.Own(l.Instructions, l.Cycles, byCycles); own > heat {
				heat, s.Hottest = own, [2]int32{int32(len(s.Files)), int32(len(x.Seen.Number) - 1)}
			}
		}
		differences(x.Seen.Number)
		differences(x.NotSeen)
		s.Files = append(s.Files, x)
	}
	return s, missing
}

// add adds a line that was reached.
func (x *Lines) add(l *report.LineCount, byCycles bool) {
	state := uint16(0)
	if l.Code.Covered == 0 {
		state = 1
	}
	x.Number, x.State = append(x.Number, l.Number), append(x.State, state)
	x.Count, x.Heat = append(x.Count, l.Executions), append(x.Heat, answer.Own(l.Instructions, l.Cycles, byCycles))
	x.Branches, x.Predicated = append(x.Branches, outcomes(l.Branches)), append(x.Predicated, outcomes(l.Predicated))
}

// outcomes are how often each went which way, and how often nobody knows.
func outcomes(list []report.LineBranch) [][3]int64 {
	all := make([][3]int64, len(list))
	for i, b := range list {
		all[i] = [3]int64{b.Taken, b.NotTaken, b.Unknown}
	}
	return all
}

// readCode fills in the instructions of lines: of files that have text all, of others those of lines that were reached.
func (s *Source) readCode(m *report.Merged, index map[string]int32, byCycles bool) {
	files, reached := map[int32]*SourceFile{}, map[linePlace]bool{}
	for i := range s.Files {
		f := &s.Files[i]
		files[f.File] = f
		line := uint32(0)
		for _, more := range f.Seen.Number {
			line += more
			reached[linePlace{f.File, line}] = true
		}
	}
	rows := map[*SourceFile][]report.ListingRow{}
	for r := range m.ListingRows() {
		i, ok := index[r.File]
		if f := files[i]; ok && f != nil && (f.Text != nil || reached[linePlace{i, r.Line}]) {
			rows[f] = append(rows[f], r)
		}
	}
	for f, list := range rows {
		slices.SortStableFunc(list, func(a, b report.ListingRow) int { return cmp.Compare(a.Line, b.Line) })
		f.Code = newCode(list, byCycles)
	}
}

// A linePlace is a line of a file of the page.
type linePlace struct {
	file int32
	line uint32
}

// newCode returns instructions that are in the order of lines.
func newCode(rows []report.ListingRow, byCycles bool) *Code {
	c := &Code{}
	for i := range rows {
		r := &rows[i]
		c.Line, c.Address = append(c.Line, r.Line), append(c.Address, int64(r.Address))
		c.Opcode, c.Kind = append(c.Opcode, answer.Opcode(r.Opcode, r.Size)), append(c.Kind, answer.KindOf(r))
		c.Count = append(c.Count, r.Executions())
		c.Heat = append(c.Heat, answer.Own(r.Executions(), r.Cycles, byCycles))
		outcome := []int64{}
		if r.Conditional || r.Failed > 0 {
			outcome = append(outcome, r.Executed, r.Failed, r.Unknown)
		}
		c.Outcome = append(c.Outcome, outcome)
	}
	differences(c.Line)
	differences(c.Address)
	return c
}
