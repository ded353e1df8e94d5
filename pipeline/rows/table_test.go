package rows

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Row groups are cut by their rows alone, in whatever pieces rows come.
func TestTableRowGroups(t *testing.T) {
	const n = 400_000
	var groups []int
	next := int64(0)
	events := &table[schema.Event]{series: &dataset.Series{Table: &schema.Events}, write: fillEvent, submit: func(j Job) error {
		batch, rows := schema.NewBatch(&schema.Events), 0
		err := j.Fill(batch, func() error {
			if batch.Rows() > schema.BatchRows {
				t.Fatalf("a batch of %d rows", batch.Rows())
			}
			for _, offset := range batch.Columns[3].U64 {
				if int64(offset) != next {
					t.Fatalf("row %d is %d", next, offset)
				}
				next++
			}
			rows += batch.Rows()
			batch.Reset()
			return nil
		})
		groups = append(groups, rows)
		return err
	}}
	if schema.Events.Columns[3].Name != "byte_offset" {
		t.Fatal("column 3 is not byte_offset")
	}
	at := int64(0)
	for size := 1; at < n; size = size*3 + 1 {
		rows := make([]schema.Event, min(int64(size), n-at))
		for i := range rows {
			rows[i].Offset = at
			at++
		}
		if err := events.Add(stitch.Base{}, rows); err != nil {
			t.Fatal(err)
		}
	}
	if err := events.flush(); err != nil {
		t.Fatal(err)
	}
	// 15 MiB at 80 bytes a row, and 128 for the piece of their segment.
	if want := []int{196_607, 196_607, n - 2*196_607}; !slices.Equal(groups, want) {
		t.Errorf("row groups of %d rows, want %d", groups, want)
	}
}

// A table that is not wanted has no sink.
func TestNotWanted(t *testing.T) {
	tables := New(Output{Series: func(*schema.Table) *dataset.Series { return nil }})
	s := tables.Sinks
	if !reflect.ValueOf(s).IsZero() {
		t.Errorf("sinks %+v", s)
	}
	if err := tables.Flush(); err != nil {
		t.Error(err)
	}
}

// The limit counts rows of the level, before any is made: runs of 130 and of 2
// instructions are 132 rows of `instructions`, and 3 and 1 of `blocks`.
func TestLimit(t *testing.T) {
	runs := stitch.Runs{
		Unit: &decode.Result{
			Blocks: []*schema.Block{{Address: make([]schema.Address, 2)}, {Address: make([]schema.Address, 130)}}, Runs: []schema.Run{{Block: 1, Count: 130}, {Count: 2}},
		},
		Blocks: 2, Spans: []schema.Span{{}}, To: 2, Instructions: 132,
	}
	for _, tt := range []struct {
		level *schema.Table
		rows  int64
	}{{&schema.Instructions, 132}, {&schema.Blocks, 4}} {
		for _, most := range []int64{2 * tt.rows, 2*tt.rows - 1} {
			tables := New(Output{Limit: &Limit{Most: most}, Series: func(t *schema.Table) *dataset.Series {
				if t != tt.level {
					return nil
				}
				return &dataset.Series{Table: t}
			}})
			if err := tables.Sinks.Runs.Add(runs); err != nil {
				t.Fatalf("%s: %v", tt.level.Name, err)
			}
			err := tables.Sinks.Runs.Add(runs)
			limit, got := errors.AsType[*LimitError](err)
			if got != (most < 2*tt.rows) || got && limit.Most != most {
				t.Errorf("%s, at most %d rows: %v", tt.level.Name, most, err)
			}
		}
	}
}
