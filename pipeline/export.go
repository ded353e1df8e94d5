package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/tracelake/tracelake/pipeline/code"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/keep"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Export turns the capture at input into a dataset in dir. It fails with a
// [*NothingError] if nothing was decoded; whenever it fails, it leaves no
// dataset and no file that looks like part of one. If it is resumable and is
// interrupted, it fails with a [*dataset.SuspendedError].
func Export(ctx context.Context, input, dir string, opt Options) (*Summary, error) {
	return export(ctx, input, dir, withDefaults(opt), nil)
}

// export is Export with all options set, of a capture that is decoded again if from is not nil.
func export(ctx context.Context, input, dir string, opt Options, from *keep.Reopen) (*Summary, error) {
	input, err := opt.OfDataset(input)
	if err != nil {
		return nil, err
	}
	s, err := open(ctx, input, opt, nil)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if s.Archive != nil {
		opt.Fill(&s.Archive.Index.Options.Options, s.Archive.Index.Options.Labels)
	}
	programs, lacks, err := code.Read(s.Capture, s.plan.Dialect)
	if err != nil {
		return nil, err
	}
	hashing := s.hash(ctx)
	defer hashing.Stop()
	e := newExporter(s, opt, programs, from)
	defer e.close()
	e.notes = append(e.notes, lacks...)
	files := dataset.Options{
		Level: opt.Level, Format: opt.Format, Codec: opt.Codec, Tables: opt.Tables, Added: opt.Added,
		TracesData: s.plan.TracesData(),
		Overwrite:  opt.Overwrite, Meta: func() ([]schema.Meta, error) { return metaOf(s, hashing, from) },
		Without:    opt.Without,
		Resumption: opt.Resumption(s.Input, hashing), PartRowGroups: opt.PartRowGroups,
	}
	if opt.PacketsOnly {
		files.Tables, files.Without = packetTables(), schema.Answers()
	}
	if e.out, err = dataset.Create(dir, files); err != nil {
		return nil, err
	}
	m, err := e.run(ctx)
	if err != nil {
		hashing.Stop() // nobody needs the hashes
	}
	inputs, hashErr := hashing.Wait()
	if err == nil {
		err = hashErr
	}
	if changed := hashing.Check(ctx); changed != nil {
		err = changed // whatever else it led to
	}
	if err != nil {
		return nil, e.out.Stop(err)
	}
	m.Inputs = inputs
	if err := e.out.Close(m); err != nil {
		return nil, err
	}
	return e.summary(m), nil
}

// hash hashes the files of the capture, or takes the hashes of the index of a window.
func (s *session) hash(ctx context.Context) *engine.Hashing {
	if s.window != nil {
		return s.window.Hashed(s.Files)
	}
	return s.Files.Hash(ctx, s.engine.Workers)
}

// metaOf returns the metadata of all parts: what they were made from, which does not depend on the
// machine or the command line. It waits for the hashes of the files of the capture, and fails if they
// are not those that it has to have.
func metaOf(s *session, h *engine.Hashing, from *keep.Reopen) ([]schema.Meta, error) {
	inputs, err := h.Wait()
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	for _, in := range inputs {
		fmt.Fprintf(sum, "%s  %s\n", in.SHA256, in.Path)
	}
	if from != nil {
		err = from.Demand(s.Input, inputs)
	}
	return []schema.Meta{{Key: "tracelake.capture_sha256", Value: hex.EncodeToString(sum.Sum(nil))}}, err
}

// packetTables are the tables that [Options.PacketsOnly] asks for.
func packetTables() []*schema.Table {
	return []*schema.Table{
		&schema.Packets, &schema.Exceptions, &schema.Events, &schema.Timestamps, &schema.Contexts, &schema.Losses,
		&schema.Segments,
		&schema.Sources, &schema.Images,
	}
}
