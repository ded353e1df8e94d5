package capture

// An Input is a file that was opened.
type Input struct {
	// Path is relative to the snapshot's directory, with '/'. Of files named on
	// the command line it is the last element.
	Path  string
	Kind  InputKind
	Bytes int64
	// Name is the path by which it was opened.
	Name string
	// SHA256 is the hash of the file, but not set for trace data: those files may
	// be large, and can be hashed from Data.
	SHA256 [32]byte
	// Data is the file, if it is one of trace data, nil for others. It is open until
	// the capture is closed.
	Data File
}

// input notes that the file shown as path was opened; it returns nil if the file
// was noted before. key identifies the file, which was opened by that name.
func (r *reader) input(key, path string, kind InputKind, name string, bytes int64) *Input {
	if r.inputs == nil {
		r.inputs = make(map[string]*Input)
	}
	if r.inputs[key] != nil {
		return nil
	}
	in := &Input{Path: path, Kind: kind, Bytes: bytes, Name: name}
	r.inputs[key] = in
	r.c.Inputs = append(r.c.Inputs, in)
	return in
}

// hashed notes that f was opened, and hashes it the first time.
func (r *reader) hashed(key, path string, kind InputKind, f File, size int64) ([32]byte, error) {
	in := r.input(key, path, kind, f.Name(), size)
	if in == nil {
		return r.inputs[key].SHA256, nil
	}
	var err error
	in.SHA256, err = sumOf(path, f, size)
	return in.SHA256, err
}

// A traceFile is an open file of trace data.
type traceFile struct {
	data File
	size int64
}

// keep notes that f was opened for trace data; the capture closes it.
func (r *reader) keep(key, path string, f File, size int64) {
	r.c.closer = append(r.c.closer, f)
	if in := r.input(key, path, TraceFile, f.Name(), size); in != nil {
		in.Data = f
	}
	if r.trace == nil {
		r.trace = make(map[string]traceFile)
	}
	r.trace[key] = traceFile{f, size}
}
