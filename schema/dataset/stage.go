package dataset

import (
	"errors"
)

// A Stage is what a directory will hold, while it is written: a folder beside it, as
// [Create] has one for a dataset. It is for an archive, which holds a dataset and more.
type Stage struct {
	*staging
	resume *resumption // nil: nothing is kept
}

// NewStage locks dir and begins its stage, under the rules of [Create]. With overwrite,
// dir may hold what ours says belongs there, by its path with slashes; what is its
// name in messages: "an archive". If r is not nil, [Stage.Stop] keeps the stage, and who goes
// on with it has of it what keeps says. The caller calls [Stage.End] or Stop.
func NewStage(dir string, overwrite bool, what string, ours func(path string, folder bool) bool, r *Resumption,
	keeps func(path string, folder bool) bool) (*Stage, error) {
	s, err := newStaging(dir, overwrite, holding{what, ours}, r, systemDisk{})
	if err != nil {
		return nil, err
	}
	stage := &Stage{staging: s}
	if r == nil {
		return stage, nil
	}
	if stage.resume, err = openResumption(s, keeps); err != nil {
		return nil, errors.Join(err, s.leave())
	}
	return stage, nil
}

// IsPart says whether a dataset has a file or folder of that path, with slashes.
func IsPart(path string, folder bool) bool { return ours(path, folder) }

// Bind compares what is known late, [Resumption.Hashes], with what the stage was bound to by whoever
// began it. It fails with a [*ResumeError] if that is not the same.
func (s *Stage) Bind() error { return s.resume.check() }

// End removes the stage, if it was not put in place.
func (s *Stage) End() error { return errors.Join(s.resume.close(), s.end()) }

// Stop ends the stage as [Writer.Stop] ends a dataset; done is what is kept, and "is" or
// "are".
func (s *Stage) Stop(err error, done string) error {
	if s.resume == nil || !lasting(err) {
		return errors.Join(err, s.End())
	}
	return suspended(err, done, s.resume.folder, errors.Join(s.resume.close(), s.leave()))
}
