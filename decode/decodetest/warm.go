package decodetest

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// WarmDifference decodes parts, and then once more, by the fast path of a protocol, with and without
// steps, by that which counts, and without: rows of packets are made by the plain path alone. It says
// how the results differ, as sums where they are counted, or the steps between functions; "" if they
// do not.
func WarmDifference(p decode.Protocol, mem *image.Memory, parts []decode.Part, seed uint8) string {
	functionOf := MadeUpFunctions(seed)
	fast, plain := p.NewDecoder(mem, decode.Wanted{}), p.NewDecoder(mem, decode.Wanted{Packets: true})
	counts := p.NewDecoder(mem, decode.Wanted{Counted: true})
	steps := p.NewDecoder(mem, decode.Wanted{Counted: true, FunctionOf: functionOf})
	notes := p.NewDecoder(mem, decode.Wanted{FunctionOf: functionOf})
	for range 2 {
		var want, counted, stepped, noted decode.Result
		want.Runs = make([]schema.Run, 0, 1)
		got := decode.Result{Runs: slices.Repeat([]schema.Run{{Failed: 1, Cycle: 1, Cycles: 1, First: 1, Flags: 0xff}}, 100)[:0]} // used before
		for _, part := range parts {
			fast.Decode(&got, part)
			counts.Decode(&counted, part)
			steps.Decode(&stepped, part)
			notes.Decode(&noted, part)
			plain.Decode(&want, part)
		}
		want.Packets = nil
		for i := range want.Segments {
			want.Segments[i].Ends[decode.Packets] = 0
		}
		for _, d := range [...]struct{ of, difference string }{
			{"runs", exactDifference(&got, &want)},
			{"counted", SumsDifference(&counted, &want)},
			{"counted with steps", SumsDifference(&stepped, &want)},
			{"steps", StepsDifference(&stepped, &want, functionOf)},
			{"runs with steps", NotedDifference(&noted, &want, functionOf)},
		} {
			if d.difference != "" {
				return d.of + ": " + d.difference
			}
		}
	}
	return ""
}

func countsDifference(a, b *decode.CountRows) string {
	if x, y := countRows(a), countRows(b); !slices.Equal(x, y) {
		return "counts" + first(reflect.ValueOf(x), reflect.ValueOf(y))
	}
	return ""
}

// exactDifference says how two results differ, in anything that they have; "" if they do not.
func exactDifference(a, b *decode.Result) string {
	x, y := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	for i, field := range reflect.VisibleFields(x.Type()) {
		if field.Name == "Counts" { // a span without rows does not matter
			if d := countsDifference(&a.Counts, &b.Counts); d != "" {
				return d
			}
			continue
		}
		if !field.IsExported() || reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			continue
		}
		if x.Field(i).Kind() == reflect.Slice && x.Field(i).Len()+y.Field(i).Len() == 0 {
			continue
		}
		return fmt.Sprintf("%s are\n%+v\nand\n%+v", field.Name, x.Field(i), y.Field(i))
	}
	return ""
}
