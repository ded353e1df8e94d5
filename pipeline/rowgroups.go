package pipeline

import (
	"context"

	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/rows"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// jobBytes is how much may wait to be encoded, for each worker, in bytes as [rows.Job]
// counts them.
const jobBytes = 16 << 20

// rowGroups are the row groups of an export on their way to files.
type rowGroups struct {
	out     *dataset.Writer
	workers engine.Workers
	jobs    chan rows.Job
	queued  *engine.Budget    // what waits to be encoded
	series  []*dataset.Series // of the source at hand
}

// newRowGroups returns those of a dataset, of which so many bytes may wait.
func newRowGroups(out *dataset.Writer, workers engine.Workers, bytes int64) *rowGroups {
	return &rowGroups{out: out, workers: workers, jobs: make(chan rows.Job), queued: engine.NewBudget(bytes)}
}

// encode makes row groups of the jobs and writes them in order.
func (g *rowGroups) encode(ctx context.Context) error {
	jobs := func(yield func(rows.Job, error) bool) {
		for j := range g.jobs {
			if !yield(j, nil) {
				return
			}
		}
	}
	c := &rows.Coders{Dataset: g.out}
	work := func(ctx context.Context, j rows.Job) (write func() error, err error) {
		defer g.queued.Give(j.Bytes)
		return c.Encode(ctx, j)
	}
	return engine.Ordered(ctx, g.workers, jobs, work, func(write func() error) error { return write() })
}

// begin begins the parts of a table for a source; nil: it is not to be written.
func (g *rowGroups) begin(t *schema.Table, source uint8) *dataset.Series {
	if !g.out.Has(t) {
		return nil
	}
	s := g.out.Series(t, source)
	g.series = append(g.series, s)
	return s
}

// submit hands a job to the workers. take, if not nil, returns how to read the next row group of a
// series, which is there already; nil: it is to be encoded.
func (g *rowGroups) submit(ctx context.Context, j rows.Job, take func(*dataset.Series) func() (schema.Chunks, error),
) error {
	if err := g.queued.Room(ctx); err != nil {
		return err
	}
	j.Kept = j.Series.Kept()
	if !j.Kept && take != nil {
		j.Encoded = take(j.Series)
	}
	g.queued.Take(j.Bytes)
	return engine.Send(ctx, g.jobs, j)
}

// end completes the parts of a source: they are kept if a later one is interrupted.
func (g *rowGroups) end(ctx context.Context) error {
	for _, s := range g.series {
		if err := engine.Send(ctx, g.jobs, rows.Job{Series: s, End: true}); err != nil {
			return err
		}
	}
	g.series = nil
	return nil
}

// copy hands on all row groups of a series as they are.
func (g *rowGroups) copy(ctx context.Context, s *dataset.Series, groups *dataset.RowGroups) error {
	for i := range groups.Len() {
		read := func() (schema.Chunks, error) { return groups.Read(i) }
		if err := engine.Send(ctx, g.jobs, rows.Job{Series: s, Encoded: read}); err != nil {
			return err
		}
	}
	return engine.Send(ctx, g.jobs, rows.Job{Series: s, End: true})
}
