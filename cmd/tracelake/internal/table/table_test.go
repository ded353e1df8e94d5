package table

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"

	"github.com/tracelake/tracelake/pipeline/report/answer"
)

// hot is a table of what was hot: a long name of C++, wide characters, a combining
// one.
func hot() *Table {
	t := &Table{Columns: []answer.Column{
		{Title: "FUNCTION", Weight: answer.Name},
		{Title: "SHARE", Weight: answer.Main},
		{Weight: answer.Share},
		{Title: "CYCLES", Weight: answer.Number},
		{Title: "ENTRIES", Weight: answer.Number},
		{Title: "NOTE", Weight: answer.Remark},
	}}
	t.Add(Bar{Full: 107219, Whole: 107219}, "quicksort", "24.4%", "107,219", "120", "")
	t.Add(Bar{Full: 41430, Whole: 107219}, "std::vector<int, std::allocator<int> >::_M_realloc_insert<int const&>(int const&)", "9.4%", "41,430", "6", "template")
	t.Add(Bar{Full: 10, Whole: 107219}, "漢字", "0.1%", "10", "1", "")
	t.Add(Bar{}, "e\u0301", "0%", "0", "0", "")
	return t
}

// Where there is too little room names shrink first, then bars, which go; then columns
// go, the last one first; and last names shrink further.
func TestWidths(t *testing.T) {
	for _, tt := range []struct {
		width   int
		utf8    bool
		omitted Omitted
		want    string
	}{
		{0, true, Omitted{}, `
FUNCTION                                                                           SHARE                         CYCLES  ENTRIES  NOTE
quicksort                                                                          24.4%  ████████████████████  107,219      120
std::vector<int, std::allocator<int> >::_M_realloc_insert<int const&>(int const&)   9.4%  ███████▊               41,430        6  template
漢字                                                                                0.1%  ▏                          10        1
` + "e\u0301                                                                                     0%                              0        0\n"},
		{81, true, Omitted{}, `
FUNCTION                          SHARE                 CYCLES  ENTRIES  NOTE
quicksort                         24.4%  ████████████  107,219      120
std::vector<int,…t&>(int const&)   9.4%  ████▋          41,430        6  template
漢字                               0.1%  ▏                  10        1
` + "e\u0301                                    0%                      0        0\n"},
		{80, false, Omitted{}, `
FUNCTION                         SHARE                 CYCLES  ENTRIES  NOTE
quicksort                        24.4%  ############  107,219      120
std::vector<in...&>(int const&)   9.4%  #####          41,430        6  template
\u6f22\u5b57                      0.1%  #                  10        1
e\u0301                             0%                      0        0
`},
		{69, true, Omitted{}, `
FUNCTION              SHARE                 CYCLES  ENTRIES  NOTE
quicksort             24.4%  ████████████  107,219      120
std::vecto…t const&)   9.4%  ████▋          41,430        6  template
漢字                   0.1%  ▏                  10        1
` + "e\u0301                        0%                      0        0\n"},
		{68, true, Omitted{Bars: true}, `
FUNCTION                           SHARE   CYCLES  ENTRIES  NOTE
quicksort                          24.4%  107,219      120
std::vector<int,…st&>(int const&)   9.4%   41,430        6  template
漢字                                0.1%       10        1
` + "e\u0301                                     0%        0        0\n"},
		{49, true, Omitted{[]string{"NOTE"}, true, 55}, `
FUNCTION                  SHARE   CYCLES  ENTRIES
quicksort                 24.4%  107,219      120
std::vector<…int const&)   9.4%   41,430        6
漢字                       0.1%       10        1
` + "e\u0301                            0%        0        0\n"},
		{40, false, Omitted{[]string{"ENTRIES", "NOTE"}, true, 55}, `
FUNCTION                  SHARE   CYCLES
quicksort                 24.4%  107,219
std::vector...nt const&)   9.4%   41,430
\u6f22\u5b57               0.1%       10
e\u0301                      0%        0
`},
		{20, true, Omitted{[]string{"CYCLES", "ENTRIES", "NOTE"}, true, 55}, `
FUNCTION       SHARE
quicksort      24.4%
std::v…onst&)   9.4%
漢字            0.1%
` + "e\u0301                 0%\n"},
	} {
		text, omitted := hot().Text(Style{Width: tt.width, UTF8: tt.utf8})
		if diff := cmp.Diff(strings.TrimPrefix(tt.want, "\n"), text); diff != "" {
			t.Errorf("width %d, want -, got +:\n%s", tt.width, diff)
		}
		if diff := cmp.Diff(tt.omitted, omitted); diff != "" {
			t.Errorf("width %d, want -, got +:\n%s", tt.width, diff)
		}
	}
}

// What is spare is there beside bars and names that can be read, and else the first to go.
func TestSpare(t *testing.T) {
	table := &Table{Columns: []answer.Column{{Title: "NAME", Weight: answer.Name}, {Weight: answer.Share}, {Title: "TIME", Weight: answer.Spare}, {Title: "N", Weight: answer.Number}, {Title: "IPC", Weight: answer.Spare}}}
	table.Add(Bar{1, 0, 1}, "main", "1 s", "12", "0.5")
	for width, want := range map[int]string{
		41: "NAME                        TIME   N  IPC\nmain  ####################   1 s  12  0.5\n",
		33: "NAME                TIME   N  IPC\nmain  ############   1 s  12  0.5\n",
		32: "NAME                    TIME   N\nmain  ################   1 s  12\n",
		27: "NAME                      N\nmain  #################  12\n",
		21: "NAME   N\nmain  12\n",
	} {
		if text, _ := table.Text(Style{Width: width}); text != want {
			t.Errorf("width %d:\n%s, want\n%s", width, text, want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		text  string
		width int
		want  string
	}{
		{"", 10, ""},
		{"one two  three", 7, "one two|three"},
		{"one two three", 6, "one|two|three"},
		{"漢字 漢字 漢字", 9, "漢字 漢字|漢字"}, // each takes two columns
		{"a 0123456789 b", 4, "a|0123|4567|89 b"},
		{"漢字", 1, "漢字"}, // no room for a character
		{"abcd", 4, "abcd"},
		{"of it 99 % are", 8, "of it|99 % are"},
		{"99 %, and", 6, "99 %,|and"},
	} {
		if got := strings.Join(Wrap(tt.text, tt.width), "|"); got != tt.want {
			t.Errorf("%q in %d: %q, want %q", tt.text, tt.width, got, tt.want)
		}
	}
}

func TestLegend(t *testing.T) {
	for style, want := range map[Style]string{
		{UTF8: true}:            "█ covered  ▒ reached, never passed  ░ not seen\n",
		{Width: 46}:             "# covered  + reached, never passed  . not seen\n",
		{Width: 45, UTF8: true}: "█ covered\n▒ reached, never passed\n░ not seen\n",
	} {
		if got := Legend(style, "covered", "reached, never passed", "not seen"); got != want {
			t.Errorf("%+v: %q, want %q", style, got, want)
		}
	}
}

// No line is wider than the terminal, as long as that has room for the columns that
// always stay.
func TestFits(t *testing.T) {
	for width := 15; width < 160; width++ {
		for _, utf8 := range []bool{true, false} {
			text, _ := hot().Text(Style{Width: width, UTF8: utf8})
			for line := range strings.Lines(text) {
				if n := uniseg.StringWidth(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("width %d: %d columns: %s", width, n, line)
				}
			}
		}
	}
}

// A path is cut at its start.
func TestPath(t *testing.T) {
	table := &Table{Columns: []answer.Column{{Title: "FILE", Weight: answer.Path}, {Title: "LINES", Weight: answer.Main}}}
	table.Add(Bar{}, "ti/mcu_plus_sdk/source/kernel/nortos/dpl/r5/HwiP_armv7r_vim.c", "12")
	text, _ := table.Text(Style{Width: 30, UTF8: true})
	if want := "FILE                     LINES\n…l/r5/HwiP_armv7r_vim.c     12\n"; text != want {
		t.Errorf("%s, want %s", text, want)
	}
}

// An extent looks full only if it is, and what there is has a character.
func TestExtent(t *testing.T) {
	for _, tt := range []struct {
		bar  Bar
		want string
	}{
		{Bar{10, 0, 10}, "##########"},
		{Bar{999, 0, 1000}, "#########."},
		{Bar{999, 1, 1000}, "#########+"},
		{Bar{998, 1, 1000}, "########+."},
		{Bar{1, 0, 1000}, "#........."},
		{Bar{1, 1, 1000}, "#+........"},
		{Bar{0, 0, 1000}, ".........."},
		{Bar{5, 5, 10}, "#####+++++"},
		{Bar{}, "          "},
		{Bar{-5, 20, 10}, "++++++++++"}, // what makes no sense is drawn, too
		{Bar{20, 5, 10}, "##########"},
	} {
		if got := tt.bar.text(Style{}, 10, answer.Extent); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.bar, got, tt.want)
		}
	}
}

// A share has at least a character, and is full only if it is all.
func TestShare(t *testing.T) {
	for _, tt := range []struct {
		bar         Bar
		utf8, ascii string
	}{
		{Bar{Full: 8, Whole: 8}, "████", "####"},
		{Bar{Full: 1, Whole: 32}, "▏   ", "#   "},
		{Bar{Full: 1, Whole: 1e9}, "▏   ", "#   "},
		{Bar{Full: 1e9 - 1, Whole: 1e9}, "███▉", "### "},
		{Bar{Full: 15, Whole: 32}, "█▉  ", "##  "},
		{Bar{Full: 0, Whole: 8}, "    ", "    "},
	} {
		if got := tt.bar.text(Style{UTF8: true}, 4, answer.Share); got != tt.utf8 {
			t.Errorf("%v: %q, want %q", tt.bar, got, tt.utf8)
		}
		if got := tt.bar.text(Style{}, 4, answer.Share); got != tt.ascii {
			t.Errorf("%v: %q, want %q", tt.bar, got, tt.ascii)
		}
	}
}

// Names cannot act on the terminal, nor begin lines; colours are where they are asked
// for, and beside characters that say the same.
func TestHostileNames(t *testing.T) {
	table := &Table{Columns: []answer.Column{{Title: "FUNCTION", Weight: answer.Name}, {Weight: answer.Extent}}}
	table.Add(Bar{1, 1, 10}, "\x1b[31mred\u202e\ttab\nline\xff")
	text, _ := table.Text(Style{UTF8: true})
	if want := "FUNCTION\n" + `\u001b[31mred\u202e\u0009tab\u000aline\xff  ██▒▒░░░░░░░░░░░░░░░░` + "\n"; text != want {
		t.Errorf("%q, want %q", text, want)
	}
	text, _ = table.Text(Style{Colour: true, Width: 40})
	plainText := text
	for _, code := range []string{bold, dim, green, yellow, plain} {
		if !strings.Contains(text, code) {
			t.Errorf("no %q in %q", code, text)
		}
		plainText = strings.ReplaceAll(plainText, code, "")
	}
	if want, _ := table.Text(Style{Width: 40}); plainText != want {
		t.Errorf("%q, want %q", plainText, want)
	}
}

// A row of another length is a mistake of the program.
func TestRowLength(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	hot().Add(Bar{}, "one")
}

// A line goes across the table and makes no column wider; it is cut where it is too long.
func TestLine(t *testing.T) {
	x := &Table{Columns: []answer.Column{{Title: "SEQ", Weight: answer.Main}, {Title: "KIND", Weight: answer.Name}}}
	x.Line("main  main.c:1  a line that is longer than the table")
	x.Add(Bar{}, "1", "other")
	x.Line("evil\x1b[31m")
	x.Add(Bar{}, "22", "branch")
	for width, want := range map[int]string{
		0:  "SEQ  KIND\nmain  main.c:1  a line that is longer than the table\n  1  other\nevil\\u001b[31m\n 22  branch\n",
		16: "SEQ  KIND\nmain  main.c:1 …\n  1  other\nevil\\u001b[31m\n 22  branch\n",
	} {
		text, _ := x.Text(Style{Width: width, UTF8: true})
		if diff := cmp.Diff(want, text); diff != "" {
			t.Errorf("width %d: want -, got +:\n%s", width, diff)
		}
	}
}
