package schema_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/sample"
)

// What is relative to a span is the row that it was; a span takes rows like its first alone.
func TestCountSpan(t *testing.T) {
	row := func(seq, cycle int64, cycles schema.Null[int64]) schema.CycleCount {
		x := schema.CycleCount{Key: schema.Key{Seq: seq, Offset: 7}, Cycles: cycles, Kind: schema.CountBranch}
		x.Epoch, x.Cycle = 3, schema.Of(cycle)
		return x
	}
	first := row(schema.CountReach+5, 9, schema.Of[int64](12))
	late, lost, epoch := first, first, first
	late.Late, lost.OutOfEpoch, epoch.Epoch = true, true, 4
	for _, tt := range []struct {
		name  string
		x     schema.CycleCount
		takes bool
	}{
		{"itself", first, true},
		{"the last that it reaches", row(2*schema.CountReach-1, schema.CountReach-1, schema.Of[int64](math.MaxUint32)), true},
		{"an ordinal beyond", row(2*schema.CountReach, 9, schema.Of[int64](12)), false},
		{"an ordinal before", row(5, 9, schema.Of[int64](12)), false},
		{"a cycle beyond", row(schema.CountReach+5, schema.CountReach, schema.Of[int64](12)), false},
		{"more cycles than 32 bits have", row(schema.CountReach+5, 9, schema.Of[int64](math.MaxUint32+1)), false},
		{"unknown cycles", row(schema.CountReach+5, 9, schema.Null[int64]{}), false},
		{"late", late, false},
		{"out of epoch", lost, false},
		{"another epoch", epoch, false},
	} {
		span := schema.NewCountSpan(2, &first)
		if got := span.Takes(&tt.x); got != tt.takes {
			t.Errorf("%s: taken: %v, want %v", tt.name, got, tt.takes)
		}
		if !tt.takes {
			span = schema.NewCountSpan(2, &tt.x)
		}
		count := span.Count(&tt.x)
		if got := span.Row(&count); got != tt.x || span.First != 2 {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.x)
		}
	}
}

// A value of an enum reads as its column has it.
func TestNamesOfEnums(t *testing.T) {
	for _, tt := range []struct {
		value fmt.Stringer
		want  string
	}{
		{schema.T32EE, "t32ee"},
		{schema.KindUDF, "udf"},
		{schema.Passed, "passed"},
		{schema.Hyp, "hyp"},
		{schema.ExcSysTick, "systick"},
		{schema.EventTimestampOutOfRange, "timestamp_out_of_range"},
		{schema.LossSplice, "splice"},
		{schema.BindingWeak, "weak"},
		{schema.SymbolLabel, "label"},
		{schema.StackRoot, "root"},
		{schema.TaskStart, "start"},
		{schema.CallReturn, "return"},
	} {
		if got := tt.value.String(); got != tt.want {
			t.Errorf("%T is %s, want %s", tt.value, got, tt.want)
		}
	}
	for event := range schema.EventNames {
		if e := schema.EventKind(event); e.Restarts() != strings.Contains(" trace_on overflow debug_exit ", " "+e.String()+" ") {
			t.Errorf("%s restarts trace: %v", e, e.Restarts())
		}
	}
}

// What appends a row has a cell for each column, in the order of the table.
func TestAppendedRows(t *testing.T) {
	keys := schema.Keys{Source: 1, Seq: 2, Segment: schema.Of[int32](3), ByteOffset: 4}
	for _, tt := range []struct {
		table *schema.Table
		add   func(*schema.Batch)
		want  string
	}{
		{&schema.BlockRuns, func(b *schema.Batch) { schema.AppendBlockRuns(b, 1, 2, 3, 4, 5, schema.Passed) }, "1 2 3 4 5 passed"},
		{&schema.CycleCounts, func(b *schema.Batch) {
			schema.AppendCycleCounts(b, keys, schema.Of[int32](5), schema.Of[int64](6), schema.Of[int64](7), schema.CountGap, true)
		}, "1 2 3 4 5 6 7 gap true"},
		{&schema.Timestamps, func(b *schema.Batch) {
			schema.AppendTimestamps(b, keys, schema.Of[uint64](5), 6, 7, schema.Of[int64](8))
		}, "1 2 3 4 5 6 7 8"},
		{&schema.Exceptions, func(b *schema.Batch) {
			schema.AppendExceptions(b, keys, 5, schema.ExceptionReturn, schema.Of[uint16](6), schema.Of(schema.ExcFIQ),
				schema.Of[schema.Address](7), schema.Of[schema.Address](8), schema.Of[uint8](9), schema.Of[uint32](10), 10, schema.Of[int64](11),
				schema.Of[uint64](12), schema.Of[uint32](13), schema.Of[uint32](14), schema.Of(schema.Hyp), schema.Of[uint8](2))
		}, "1 2 3 4 5 return 6 fiq 7 8 9 10 10 11 12 13 14 hyp 2"},
		{&schema.DataAccesses, func(b *schema.Batch) {
			schema.AppendDataAccesses(b, 1, schema.Of[int64](2), schema.Of[int32](3), 4, 5, schema.Of[schema.Address](6),
				schema.Of[uint64](7), schema.Of[uint8](8), schema.Of(schema.Access(1)), schema.Of[uint8](9), schema.DataState(1))
		}, "1 2 3 4 5 6 7 8 " + schema.AccessNames[1] + " 9 " + schema.DataStateNames[1]},
		{&schema.ExceptionSpans, func(b *schema.Batch) {
			schema.AppendExceptionSpans(b, 1, 2, 3, schema.Of[int32](4), 5, 6, schema.Of[int32](7), schema.Of[int64](8), schema.CallReturn,
				schema.Of[int64](9), schema.Of[int64](10), schema.Of[int64](11))
		}, "1 2 3 4 5 6 7 8 return 9 10 11"},
	} {
		b := schema.NewBatch(tt.table)
		tt.add(b)
		var cells []string
		for i := range b.Columns {
			cells = append(cells, sample.Text(&b.Columns[i], 0))
		}
		if got := strings.Join(cells, " "); b.Rows() != 1 || got != tt.want {
			t.Errorf("%s: %d rows, %s, want %s", tt.table.Name, b.Rows(), got, tt.want)
		}
	}
}
