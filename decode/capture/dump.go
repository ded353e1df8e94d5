package capture

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// A dumpKey identifies a range of a file.
type dumpKey struct {
	path           string
	offset, length uint64
}

// readDump reads the memory that s describes. If there is none, it adds a warning
// and fails with errNotMemory.
func (r *reader) readDump(d *device, s *section) (image.Region, error) {
	var none image.Region
	if s.fault != nil {
		return none, s.fault
	}
	if err := s.only("file", "address", "length", "offset", "space"); err != nil {
		return none, err
	}
	file, err := s.require("file")
	if err != nil {
		return none, err
	}
	dump, err := r.readDumpKeys(s)
	if err != nil {
		return none, err
	}
	f, size, err := r.open(s, file, file.value)
	if r.opt.Stored != nil && errors.Is(err, fs.ErrNotExist) {
		r.add("%s: [%s] %q is not in the archive", s.file, s.name, r.dir.display(file.value))
		return none, errNotMemory
	}
	if err != nil {
		return none, err
	}
	defer f.Close()

	shown := r.dir.display(file.value)
	bad := func(err error) error {
		if e, ok := errors.AsType[*image.FormatError](err); ok {
			return &InputError{
				File: s.file, Section: s.name, Key: file.key, Problem: fmt.Sprintf("%q %s", shown, e.Problem),
				Remedy: e.Remedy, Err: err,
			}
		}
		return err
	}
	if size > maxMemoryFile {
		return none, bad(errTooLarge)
	}
	dump.Wide = d.wide()
	n, err := dump.Len(size)
	if err != nil {
		return none, bad(err)
	}
	if n == 0 {
		r.add("%s: [%s] %q gives no bytes and is ignored", s.file, s.name, shown)
		return none, errNotMemory
	}
	region, err := r.readMemory(dump, f, shown, size, n)
	return region, bad(err)
}

// readMemory reads n bytes of a dump, unless they were read before.
func (r *reader) readMemory(dump image.Dump, f File, shown string, size int64, n uint64) (image.Region, error) {
	sum, err := r.hashed(shown, shown, MemoryFile, f, size)
	if err != nil {
		return image.Region{}, err
	}
	key := dumpKey{shown, dump.Offset, n}
	if known, ok := r.dumps[key]; ok {
		return image.Region{
			File: shown, SHA256: sum, Address: schema.Address(dump.Address), Bytes: known, Space: dump.Space,
		}, nil
	}
	if r.memory+n > maxMemory {
		return image.Region{}, errTooMuchMemory
	}
	r.memory += n
	region, err := dump.Read(image.File{Name: shown, SHA256: sum, Data: f, Size: size})
	if err != nil {
		return image.Region{}, err
	}
	if r.dumps == nil {
		r.dumps = make(map[dumpKey][]byte)
	}
	r.dumps[key] = region.Bytes
	return region, nil
}

// readDumpKeys reads the numbers and the space of a memory section.
func (r *reader) readDumpKeys(s *section) (image.Dump, error) {
	dump := image.Dump{ToEnd: true}
	if _, err := s.require("address"); err != nil {
		return dump, err
	}
	for _, k := range []struct {
		key string
		to  *uint64
	}{{"address", &dump.Address}, {"length", &dump.Length}, {"offset", &dump.Offset}} {
		e, ok := s.get(k.key)
		if !ok {
			continue
		}
		v, err := r.number(e.value)
		if err != nil {
			return dump, s.wrong(e, err.Error(), "write a number, as 0x8000")
		}
		*k.to = v
		if k.key == "length" {
			dump.ToEnd = false
		}
	}
	if e, ok := s.get("space"); ok && e.value != "" {
		if dump.Space, ok = image.ParseSpace(e.value); !ok {
			return dump, s.wrong(e, fmt.Sprintf("names the unknown space %q", clip(e.value)), "known are "+image.SpaceWords)
		}
	}
	return dump, nil
}

// compareOverlaps warns of the first two memory sections of a device that have
// different bytes for one address in one space. sections are those of d.memory.
func (r *reader) compareOverlaps(d *device, sections []*section) {
	order := make([]int, len(d.memory))
	for i := range order {
		order[i] = i
	}
	at := func(i int) uint64 { return uint64(d.memory[i].Address) }
	end := func(i int) uint64 { return at(i) + uint64(len(d.memory[i].Bytes)) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(at(a), at(b)) })

	var open []int // sections that reach up to the current one
	for _, i := range order {
		open = slices.DeleteFunc(open, func(j int) bool { return end(j) <= at(i) })
		for _, j := range open {
			a, b := &d.memory[i], &d.memory[j]
			n := min(end(i), end(j)) - at(i)
			x, y := a.Bytes[:n], b.Bytes[at(i)-at(j):][:n]
			if a.Space != b.Space || &x[0] == &y[0] {
				n = 1
			}
			if r.compared += int(n); r.compared > maxCompare {
				return
			}
			if a.Space == b.Space && &x[0] != &y[0] && !bytes.Equal(x, y) {
				first, later := sections[min(i, j)].name, sections[max(i, j)].name
				r.add("%s: [%s] and [%s] have different bytes from %#x on; the later one holds", d.file, first, later, a.Address)
				return
			}
		}
		open = append(open, i)
	}
}
