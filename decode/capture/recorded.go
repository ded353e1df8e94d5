package capture

import (
	"cmp"
	"encoding/hex"
	"path/filepath"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// Recorded returns what is kept of the options with which c was opened.
func (o *Options) Recorded(c *Capture) *schema.Options {
	return &schema.Options{
		Protocol: o.Protocol, Regs: slices.Clone(o.Regs), Framed: o.Framed, AllowOutside: o.AllowOutside,
		Buffer: o.Buffer, FrameOffset: o.FrameOffset, RingStart: o.RingStart,
		ELFs: recordedArguments(c.Arguments.ELFs), Images: recordedArguments(c.Arguments.Images),
		Symbols: recordedArguments(c.Arguments.Symbols),
	}
}

func recordedArguments(list []FileArgument) []schema.Argument {
	var to []schema.Argument
	for _, a := range list {
		to = append(to, schema.Argument{
			Before: a.Before, File: cmp.Or(a.Mapped, filepath.Base(a.File)), After: a.After,
			SHA256: hex.EncodeToString(a.Input.SHA256[:]), Mapped: a.Mapped != "",
		})
	}
	return to
}

// With returns options as they were recorded, and after them those of o, which beat
// them. find returns the name by which the file of an argument is opened, "" if it is
// not there: then the argument is left out, and among those missing.
func (o Options) With(recorded *schema.Options, find func(*schema.Argument) string) (with Options,
	missing []*schema.Argument,
) {
	if o.Protocol == "" {
		o.Protocol = recorded.Protocol
	}
	if o.Buffer == "" {
		o.Buffer = recorded.Buffer
	}
	if o.FrameOffset == nil {
		o.FrameOffset = recorded.FrameOffset
	}
	if o.RingStart == nil {
		o.RingStart = recorded.RingStart
	}
	o.Framed, o.AllowOutside = o.Framed || recorded.Framed, o.AllowOutside || recorded.AllowOutside
	o.Regs = slices.Concat(recorded.Regs, o.Regs)
	for _, list := range []struct {
		from []schema.Argument
		to   *[]string
	}{{recorded.ELFs, &o.ELFs}, {recorded.Images, &o.Images}, {recorded.Symbols, &o.Symbols}} {
		var args []string
		for i := range list.from {
			a := &list.from[i]
			name := find(a)
			if name == "" {
				missing = append(missing, a)
				continue
			}
			args = append(args, a.Before+name+a.After)
		}
		*list.to = append(args, *list.to...)
	}
	return o, missing
}
