package reference

import (
	"fmt"
	"io"
	"strings"
)

// Man writes the man page, for man(7).
func Man(w io.Writer, p *Program) error {
	b := &strings.Builder{}
	fmt.Fprintf(b, ".TH %s 1 \"\" %s \"User Commands\"\n", roff(strings.ToUpper(p.Name)), argument(p.Name+" "+p.Version))
	fmt.Fprintf(b, ".SH NAME\n%s \\- %s\n", roff(p.Name), roff(p.Usage))
	fmt.Fprintf(b, ".SH SYNOPSIS\n.B %s\n.I COMMAND\n[flags] [arguments]\n", roff(p.Name))
	b.WriteString(".SH DESCRIPTION\nFlags may come anywhere after the command.\n")
	b.WriteString(".SH COMMANDS\n")
	for _, c := range All(p.Commands) {
		writeCommand(b, p, &c)
	}
	fmt.Fprintf(b, ".SH EXIT STATUS\n%s\n", roff(p.ExitStatus))
	_, err := io.WriteString(w, b.String())
	return err
}

func writeCommand(b *strings.Builder, p *Program, c *Command) {
	fmt.Fprintf(b, ".SS %s\n%s\n.PP\n.nf\n%s\n.fi\n", argument(p.Name+" "+c.Path), roff(c.Usage), roff(c.Synopsis))
	writeText(b, c.Description)
	group := ""
	for _, f := range c.Flags {
		if f.Group != group {
			group = f.Group
			fmt.Fprintf(b, ".PP\n.B %s\n", argument(group+":"))
		}
		var words []string
		for _, name := range f.Names {
			words = append(words, `\fB`+roff(name)+`\fR`)
		}
		head := strings.Join(words, ", ")
		if f.Value != "" {
			head += ` \fI` + roff(f.Value) + `\fR`
		}
		fmt.Fprintf(b, ".TP\n%s\n%s\n", head, roff(f.Usage))
	}
}

// writeText writes paragraphs; lines that are indented stay as they are.
func writeText(b *strings.Builder, text string) {
	b.WriteString(".PP\n")
	literal := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if indented := strings.HasPrefix(line, " "); indented != literal && line != "" {
			b.WriteString(map[bool]string{true: ".nf\n", false: ".fi\n"}[indented])
			literal = indented
		}
		switch {
		case line == "" && literal:
			b.WriteString(".fi\n.PP\n")
			literal = false
		case line == "":
			b.WriteString(".PP\n")
		default:
			b.WriteString(roff(line) + "\n")
		}
	}
	if literal {
		b.WriteString(".fi\n")
	}
}

// roff returns text that is not obeyed: no escapes, no requests at the beginning of
// a line.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", "\\(ga", "^", `\(ha`, "~", `\(ti`).Replace(s)
	if strings.HasPrefix(s, ".") {
		s = `\&` + s
	}
	return s
}

// argument returns text as one argument of a request.
func argument(s string) string { return `"` + strings.ReplaceAll(roff(s), `"`, `""`) + `"` }
