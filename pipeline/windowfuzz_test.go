package pipeline

import (
	"context"
	"errors"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/plan"

	encodeetmv3 "github.com/tracelake/tracelake/bench/encode/etmv3"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/rows"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/window"
	"github.com/tracelake/tracelake/schema"
)

// FuzzIndex decodes a window whose row of the index says anything: it is refused, or decoded
// into rows that can be written.
func FuzzIndex(f *testing.F) {
	tr := runETMv3(f, 0x22, etmv3Cells[3], encodeetmv3.Vary(2, synthRate)).trace(f)
	segments := tr.decode(f).tables[schema.Segments.Name]
	for i := range segments.Rows() {
		s := window.SegmentOf(segments, i)
		f.Add(uint8(i), s.Carried, s.Seq, s.Ordinal, s.Epoch.V, s.Cycle.V, s.Timestamp.V, s.StreamOffset, s.ByteOffset, s.DecodeFrom)
	}
	for _, carried := range []string{
		`{"reached":{"address":4294967295,"isa":"x","non_secure":true}}`, `{"reached":{"address":0,"isa":"t32"},"half":true}`, `{"half":true}`,
		`{"waits":-1}`, `{"waits":9223372036854775807}`, `{"restart":{"seq":-9223372036854775808}}`, `{"timestamp":{"raw":"18446744073709551615","bits":255}}`,
		`{"data":{"address":1,"bits":99}}`, `{"later":1}`, `{} {}`, `[`, `{"untimed":true,"lost":true,"contradiction":"x"}`,
	} {
		f.Add(uint8(3), carried, int64(1)<<62, int64(5), int32(1<<31-2), int64(1)<<62, uint64(1)<<63, int64(9), int64(7), int32(2))
	}
	f.Fuzz(func(t *testing.T, at uint8, carried string, seq, ordinal int64, epoch int32, cycle int64, timestamp uint64, stream, offset int64, from int32) {
		n := int(at) % segments.Rows()
		s := window.SegmentOf(segments, n)
		s.Carried, s.Seq, s.Ordinal, s.Epoch, s.Cycle, s.DecodeFrom = carried, seq, ordinal, schema.Of(epoch), schema.Of(cycle), from
		s.Timestamp, s.StreamOffset, s.ByteOffset = schema.Of(timestamp&schema.MaxUint63), stream, offset
		r := &window.Range{First: s.Segment.V, Last: s.Segment.V, Begin: s, Left: s}
		if err := decodeRange(tr, r); err != nil && !errors.Is(err, window.ErrNoCut) && !errors.Is(err, stitch.ErrPlace) {
			t.Error(err)
		}
	})
}

// decodeRange decodes segments of a trace without frames.
func decodeRange(tr *trace, r *window.Range) error {
	tables := rows.New((&decodedTables{tables: map[string]*schema.Batch{}}).output(level(false)))
	st := stitch.New(tr.id, tr.protocol.TimestampCode(), tables.Sinks)
	if err := r.Prepare(st); err != nil {
		return err
	}
	src := &plan.Source{Bound: tr.protocol, Source: &capture.Source{Name: tr.name}}
	lead := window.Lead(tr.protocol, &r.Begin).Bytes
	stream, err := window.CheckCut(src, plan.After(tr.stream(wholePieces), 1, max(0, r.Begin.StreamOffset)), lead, r.Begin.ByteOffset)
	if err != nil {
		return err
	}
	decoder := tr.protocol.NewDecoder(tr.memory, tables.Sinks.Wanted())
	for u, err := range engine.Split(stream, tr.protocol, lead) {
		if err != nil {
			return err
		}
		d, err := engine.NewDecoders(&decode.Pool{}, func() decode.Decoder { return decoder }).Decode(context.Background(), u)
		if err != nil {
			return err
		}
		if err := st.Stitch(d.Unit); err != nil || st.Past() {
			return errors.Join(err, st.Finish(), tables.Flush())
		}
	}
	return errors.Join(st.Finish(), tables.Flush())
}
