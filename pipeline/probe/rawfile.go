package probe

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/probe/identify"
	"github.com/tracelake/tracelake/schema"
)

// identify finds out how to read a raw file, and adds what is in it when it is read
// so. foreign are the sources in frames that are of no protocol which is decoded.
func (in *Inspection) identify(ctx context.Context, input string, opt *Options, foreign map[uint8]*identify.Finding,
) error {
	g, err := guess(ctx, input, opt, foreign)
	if err != nil {
		return err
	}
	in.Guess = g
	groups := g.groups(opt.Capture)
	for _, x := range groups {
		if err := in.addGroup(ctx, input, x, g.Framed, opt); err != nil {
			return err
		}
		dir := "run"
		if len(groups) > 1 {
			dir += "-" + x.opt.Protocol
		}
		ids := x.ids
		if !g.Framed {
			ids = nil
		}
		in.Lines = append(in.Lines, exportLine(input, dir, &x.opt, ids))
	}
	in.addUnread(g)
	slices.SortStableFunc(in.Sources, func(a, b SourceInspection) int { return strings.Compare(a.Source, b.Source) })
	return nil
}

// addGroup adds the sources of a group.
func (in *Inspection) addGroup(ctx context.Context, input string, x *group, framed bool, opt *Options) error {
	s, err := opt.sample(ctx, input, x.opt, x.ids)
	if err != nil {
		return err
	}
	defer s.close()
	first := len(in.Sources)
	if err := in.add(ctx, s); err != nil {
		return err
	}
	for i := range in.Sources[first:] {
		si, stream := &in.Sources[first+i], x.streams[i]
		if stream.data {
			continue // its problem says so
		}
		si.Guessed, si.Suggested = stream.guessed(framed), stream.best().suggested
	}
	return nil
}

// addUnread adds the sources that no protocol fits.
func (in *Inspection) addUnread(g *Guess) {
	if len(in.Sources) == 0 {
		return // nothing in the file is read
	}
	for _, s := range g.streams {
		if s.confidence() == NoGuess && !s.data {
			in.Sources = append(in.Sources, SourceInspection{
				Source: schema.SourceText(s.id), Unit: schema.UnitBytes.String(), Bytes: s.bytes,
				Status:  schema.SourceStatusNames[schema.StatusUnconfigured],
				Problem: s.unread(), Registers: map[string]string{},
				Guessed: s.guessed(g.Framed),
			})
		}
	}
}

// unread says why a source is not read.
func (g *guessedStream) unread() string {
	if g.foreign != nil {
		return "it is " + g.foreign.What + "; " + g.foreign.Do
	}
	return "it is of no protocol that is decoded, or holds too little"
}

// A group is the sources of a file that one command line exports.
type group struct {
	opt     capture.Options
	ids     []uint8
	streams []*guessedStream
}

// groups returns the sources by how they are to be read.
func (g *Guess) groups(opt capture.Options) []*group {
	var groups []*group
	for _, s := range g.streams {
		if s.data {
			x := groups[slices.IndexFunc(groups, func(x *group) bool { return slices.Contains(x.ids, s.id-1) })]
			x.add(s)
			continue
		}
		if s.confidence() == NoGuess {
			continue
		}
		o := opt
		o.Protocol, o.Framed = s.best().family.Name, g.Framed
		o.Regs = mergeRegisters(o.Regs, s.best().words())
		if g.Framed && g.FrameOffset != 0 {
			o.FrameOffset = &g.FrameOffset
		}
		i := slices.IndexFunc(groups, func(x *group) bool {
			return x.opt.Protocol == o.Protocol && slices.Equal(x.opt.Regs, o.Regs)
		})
		if i < 0 {
			i = len(groups)
			groups = append(groups, &group{opt: o})
		}
		groups[i].add(s)
	}
	return groups
}

func (x *group) add(s *guessedStream) {
	x.ids = append(x.ids, s.id)
	x.streams = append(x.streams, s)
}

// mergeRegisters returns the words NAME=VALUE of given and set; those set are right.
func mergeRegisters(given, set []string) []string {
	name := func(word string) string {
		n, _, _ := strings.Cut(word, "=")
		return strings.ToUpper(strings.TrimSpace(n))
	}
	words := slices.DeleteFunc(slices.Clone(given), func(g string) bool {
		return slices.ContainsFunc(set, func(s string) bool { return name(s) == name(g) })
	})
	return append(words, set...)
}

// placeholder stands for a program that the user has to name.
const placeholder = "PROGRAM.elf"

// exportLine is the line that exports input with these options.
func exportLine(input, dir string, opt *capture.Options, ids []uint8) string {
	words := []string{"tracelake export", identify.Quote(input), "-o", dir}
	flag := func(name, value string) { words = append(words, name, identify.Quote(value)) }
	if opt.Protocol != "" {
		flag("--protocol", opt.Protocol)
	}
	if opt.Framed {
		words = append(words, "--framed")
	}
	if opt.Buffer != "" {
		flag("--buffer", opt.Buffer)
	}
	if opt.AllowOutside {
		words = append(words, "--allow-outside")
	}
	if opt.FrameOffset != nil {
		flag("--frame-offset", fmt.Sprint(*opt.FrameOffset))
	}
	if opt.RingStart != nil {
		flag("--ring-start", fmt.Sprint(*opt.RingStart))
	}
	for _, id := range ids {
		flag("--source", schema.SourceText(id))
	}
	for _, r := range opt.Regs {
		flag("--reg", r)
	}
	for _, e := range opt.ELFs {
		flag("-e", e)
	}
	for _, dir := range opt.Sysroots {
		flag("--sysroot", dir)
	}
	if opt.Vmlinux != "" {
		flag("--vmlinux", opt.Vmlinux)
	}
	if opt.Kcore != "" {
		flag("--kcore", opt.Kcore)
	}
	for _, image := range opt.Images {
		flag("--image", image)
	}
	for _, symbols := range opt.Symbols {
		flag("--symbols", symbols)
	}
	if opt.Protocol != "" && len(opt.ELFs)+len(opt.Images) == 0 {
		words = append(words, "-e", placeholder)
	}
	return strings.Join(words, " ")
}
