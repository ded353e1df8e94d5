package keep

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Resumption says what the parts of an export depend on: the program, the options, and the
// files of the capture. Everything is decoded again where an export goes on: what
// crosses a part, as the stack of calls and numbers of blocks, is too much to keep,
// and decoding is the small part of an export. It returns nil if nothing is to be kept.
func (o *Options) Resumption(in *Input, h *engine.Hashing) *dataset.Resumption {
	if !o.Resumable && !o.Resume {
		return nil
	}
	r := &dataset.Resumption{Resume: o.Resume, Bound: append(o.bound(), boundInputs(in.Files, in.unpacked())...)}
	r.Hashes = func() ([]dataset.Bound, error) {
		files, err := h.Wait()
		return boundHashes(files), err
	}
	return r
}

// boundInputs are the sizes and times of files; those that were unpacked are temporary ones.
func boundInputs(inputs engine.Inputs, unpacked bool) (bound []dataset.Bound) {
	for i := range inputs {
		in := &inputs[i]
		bound = append(bound, dataset.Bound{Name: "size of " + in.Path, Value: fmt.Sprint(in.Bytes)})
		if in.Opened != nil && !unpacked {
			bound = append(bound,
				dataset.Bound{Name: "time of " + in.Path, Value: in.Opened.ModTime().UTC().Format(time.RFC3339Nano)})
		}
	}
	return bound
}

func boundHashes(files []schema.InputFile) (bound []dataset.Bound) {
	for _, f := range files {
		bound = append(bound, dataset.Bound{Name: "SHA-256 of " + f.Path, Value: f.SHA256})
	}
	return bound
}

// bound are the options that decide what is in parts.
func (o *Options) bound() []dataset.Bound {
	c := &o.Capture
	var tables, sources, tasks []string
	for _, t := range o.Tables {
		tables = append(tables, t.Name)
	}
	for _, t := range o.Added {
		tables = append(tables, "+"+t.Name)
	}
	for _, id := range o.Sources {
		sources = append(sources, fmt.Sprintf("%#02x", id))
	}
	for id, name := range o.TaskNames {
		tasks = append(tasks, fmt.Sprintf("%#x=%s", id, name))
	}
	slices.Sort(tasks)
	offset := func(n *int64) string {
		if n == nil {
			return ""
		}
		return fmt.Sprint(*n)
	}
	return []dataset.Bound{
		{Name: "the version of tracelake", Value: o.Tool.Version},
		{Name: "--level", Value: o.Level.String()},
		{Name: "--format", Value: o.Format.String()},
		{Name: "--codec", Value: o.Codec},
		{Name: "--tables", Value: strings.Join(tables, ",")},
		{Name: "--packets-only", Value: fmt.Sprint(o.PacketsOnly)},
		{Name: "--source", Value: strings.Join(sources, " ")},
		{Name: "--task", Value: strings.Join(tasks, " ")},
		{Name: "--max-rows", Value: fmt.Sprint(o.MaxRows)},
		{Name: "--timestamp-hz", Value: fmt.Sprint(o.TimestampHz)},
		{Name: "--cycle-hz", Value: fmt.Sprint(o.CycleHz)},
		{Name: "--protocol", Value: c.Protocol},
		{Name: "--reg", Value: strings.Join(c.Regs, " ")},
		{Name: "--framed", Value: fmt.Sprint(c.Framed)},
		{Name: "--buffer", Value: c.Buffer},
		{Name: "--frame-offset", Value: offset(c.FrameOffset)},
		{Name: "--ring-start", Value: offset(c.RingStart)},
		{Name: "--elf", Value: strings.Join(c.ELFs, " ")},
		{Name: "--image", Value: strings.Join(c.Images, " ")},
		{Name: "--symbols", Value: strings.Join(c.Symbols, " ")},
		{Name: "--sysroot", Value: strings.Join(c.Sysroots, " ")},
		{Name: "--vmlinux", Value: c.Vmlinux},
		{Name: "--kcore", Value: c.Kcore},
	}
}
