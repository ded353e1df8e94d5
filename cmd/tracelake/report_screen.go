package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/tracelake/tracelake/cmd/tracelake/internal/table"
)

// A screen is the text of a report, as what it is written to can show it.
type screen struct {
	table.Style
	text strings.Builder
}

// newScreen returns a screen for what w writes to, as the command line says.
func newScreen(w io.Writer, args *screenArgs) *screen {
	f, isFile := underlying(w).(*os.File)
	terminal := isFile && term.IsTerminal(int(f.Fd()))
	dumb := os.Getenv("TERM") == "dumb"
	s := &screen{}
	s.Width = defaultWidth
	switch columns, err := strconv.Atoi(os.Getenv("COLUMNS")); {
	case args.width != nil:
		s.Width = *args.width
	case terminal && columnsOf(f) > 0:
		s.Width = columnsOf(f)
	case err == nil && columns > 0:
		s.Width = columns
	}
	s.UTF8 = !args.ascii && !dumb && utf8Locale()
	switch args.colour {
	case colourAlways:
		s.Colour = true
	case colourNever:
	default:
		// whose older consoles print the sequences
		s.Colour = terminal && !dumb && os.Getenv("NO_COLOR") == "" && runtime.GOOS != "windows"
	}
	return s
}

// columnsOf is how wide a terminal is; 0: it does not say.
func columnsOf(terminal *os.File) int {
	columns, _, err := term.GetSize(int(terminal.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// utf8Locale says whether text is UTF-8, by the variables of POSIX. Windows has none
// of them, and its consoles take UTF-8.
func utf8Locale() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := os.Getenv(name); locale != "" {
			locale = strings.ToLower(strings.ReplaceAll(locale, "-", ""))
			return strings.Contains(locale, "utf8")
		}
	}
	return runtime.GOOS == "windows"
}

// line writes a line.
func (s *screen) line(format string, args ...any) {
	s.paragraph("", fmt.Sprintf(format, args...))
}

// lines writes lines.
func (s *screen) lines(all []string) {
	for _, line := range all {
		s.line("%s", line)
	}
}

// paragraph writes text after a label. Where it is too long, it goes on below the
// text.
func (s *screen) paragraph(label, text string) {
	lines := []string{s.Text(text)}
	if room := max(s.Width-len(label), leastText); s.Width > 0 && uniseg.StringWidth(lines[0]) > room {
		lines = table.Wrap(lines[0], room)
	}
	for _, line := range lines {
		s.text.WriteString(label + line + "\n")
		label = strings.Repeat(" ", len(label))
	}
}

// item is a paragraph after a label of a list.
func (s *screen) item(label, format string, args ...any) {
	s.paragraph(fmt.Sprintf("  %-10s ", label), fmt.Sprintf(format, args...))
}

// pair is an item of two columns, which are one where there is too little room.
func (s *screen) pair(label, left, right string) {
	if column := fmt.Sprintf("  %-10s %s  ", label, s.Text(left)); s.Width == 0 || s.Width-len(column) >= leastText {
		s.paragraph(column, right)
		return
	}
	s.item(label, "%s %s", strings.TrimSpace(left), right)
}

// indented is a paragraph of a list.
func (s *screen) indented(format string, args ...any) {
	s.paragraph("  ", fmt.Sprintf(format, args...))
}

// judged is a paragraph that begins with a verdict, which is painted.
func (s *screen) judged(label, verdict, text string, paint func(string) string) {
	start := s.text.Len()
	s.paragraph(label, verdict+" "+text)
	whole := s.text.String()
	s.text.Reset()
	s.text.WriteString(whole[:start] + strings.Replace(whole[start:], verdict, paint(verdict), 1))
}

// leastText is the room that text takes, however narrow the terminal is.
const leastText = 20

func (s *screen) blank() { s.text.WriteString("\n") }

// table writes a table, what its bars are parts of (nothing, or three words), and
// which columns had no room.
func (s *screen) table(t *table.Table, legend ...string) {
	text, omitted := t.Text(s.Style)
	s.text.WriteString(text)
	if len(legend) == 3 && !omitted.Bars {
		s.text.WriteString(table.Legend(s.Style, legend[0], legend[1], legend[2]))
	}
	if len(omitted.Columns) > 0 {
		them := "them"
		if len(omitted.Columns) == 1 {
			them = "it"
		}
		s.line("hidden at %s: %s (--width %d shows %s)", count(int64(s.Width), "column"), strings.Join(omitted.Columns, ", "),
			omitted.Width, them)
	}
}

// whole writes a line that is not broken: a command to copy.
func (s *screen) whole(text string) { s.text.WriteString(s.Text(text) + "\n") }

// writeTo writes the screen. Its names cannot act any more, so that colours go past
// the [visible.Writer], which would show their sequences.
func (s *screen) writeTo(w io.Writer) error {
	if s.Colour {
		w = underlying(w)
	}
	_, err := io.WriteString(w, s.text.String())
	return err
}

// screenArgs say what a screen can show, where that is not found out.
type screenArgs struct {
	width  *int // nil: found out; 0: any
	ascii  bool
	colour string
}

// The values of --color.
const (
	colourAuto   = "auto"
	colourAlways = "always"
	colourNever  = "never"
)

// defaultWidth is how wide text is where nothing says.
const defaultWidth = 100

func screenFlags() []cli.Flag {
	return []cli.Flag{
		groupOutput.int("width", "text for `N` columns; 0: any", "the terminal, COLUMNS, 100"),
		groupOutput.bool("ascii", "text in ASCII only"),
		&cli.StringFlag{
			Name: "color", Category: string(groupOutput), Value: colourAuto,
			Usage: "colours: `WHEN` is auto, always or never",
		},
	}
}

// readScreen reads the command line of what has screenFlags.
func readScreen(ctx *cli.Context) (screenArgs, error) {
	args := screenArgs{ascii: ctx.Bool("ascii"), colour: colourAuto}
	if ctx.IsSet("color") {
		args.colour = ctx.String("color")
	}
	if !slices.Contains([]string{colourAuto, colourAlways, colourNever}, args.colour) {
		return args, usage("--color "+args.colour, "is not known", "colours are auto, always and never")
	}
	if !ctx.IsSet("width") {
		return args, nil
	}
	args.width = new(ctx.Int("width"))
	if *args.width < 0 {
		return args, usage(fmt.Sprintf("--width %d", *args.width), "is too few",
			"give 1 or more, or 0 for lines of any length")
	}
	return args, nil
}
