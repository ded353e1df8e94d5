package main

import (
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/trust"
	"github.com/tracelake/tracelake/schema"
)

// The objects of --json. Addresses are hexadecimal text, percentages numbers or null.
type (
	reportHead struct {
		SchemaVersion int            `json:"schema_version"`
		Report        string         `json:"report"`
		Forced        bool           `json:"forced"`
		Trust         jsonTrust      `json:"trust"`
		Excluded      []jsonExcluded `json:"excluded"`
	}
	jsonTrust struct {
		Verdict string `json:"verdict"`
		jsonJudgement
		Doubts           []jsonDoubt   `json:"doubts"`
		Bytes            int64         `json:"bytes"`
		BytesDecoded     int64         `json:"bytes_decoded"`
		DecodedPercent   *float64      `json:"decoded_percent"`
		BytesLost        int64         `json:"bytes_lost"`
		BytesLostAtEnds  int64         `json:"bytes_lost_at_ends"`
		BytesUnsynced    int64         `json:"bytes_lost_before_synchronisation"`
		BytesUnplaced    int64         `json:"bytes_unplaced"`
		BytesNotDecoded  int64         `json:"bytes_of_other_sources"`
		Instructions     int64         `json:"instructions"`
		Gaps             int64         `json:"gaps"`
		Agreement        jsonFigure    `json:"agreement"`
		Match            jsonFigure    `json:"match"`
		Outside          []jsonOutside `json:"outside"`
		Conditions       int64         `json:"conditions_reached"`
		ConditionsUntold int64         `json:"conditions_untold"`
		ProgramFile      bool          `json:"program_file"`
		Datasets         []jsonDataset `json:"datasets"`
	}
	jsonDoubt struct {
		Directory string `json:"directory"`
		Of        string `json:"of"`
		Kind      string `json:"kind"`
		jsonFigure
	}
	jsonOutside struct {
		Core       string `json:"core,omitempty"`
		Address    string `json:"address"`
		Executions int64  `json:"executions"`
	}
	jsonDataset struct {
		Directory    string            `json:"directory"`
		Test         string            `json:"test,omitempty"`
		Window       *schema.Window    `json:"window,omitempty"`
		Sources      []jsonSource      `json:"sources"`
		ProgramFiles []jsonProgramFile `json:"program_files"`
	}
	jsonSource struct {
		Source          string     `json:"source"`
		Core            string     `json:"core,omitempty"`
		Status          string     `json:"status"`
		Unit            string     `json:"unit"`
		Bytes           int64      `json:"bytes"`
		BytesDecoded    int64      `json:"bytes_decoded"`
		BytesLost       int64      `json:"bytes_lost"`
		BytesLostAtEnds int64      `json:"bytes_lost_at_ends"`
		BytesUnplaced   int64      `json:"bytes_unplaced"`
		Instructions    int64      `json:"instructions"`
		Gaps            int64      `json:"gaps"`
		Agreement       jsonFigure `json:"agreement"`
	}
	jsonProgramFile struct {
		File       string     `json:"file"`
		Core       string     `json:"core,omitempty"`
		SHA256     string     `json:"sha256"`
		CodeSHA256 string     `json:"code_sha256"`
		Match      jsonFigure `json:"match"`
	}
	jsonExcluded struct {
		Name         string `json:"name"`
		Reason       string `json:"reason"`
		Instructions int64  `json:"instructions"`
		Covered      int64  `json:"covered"`
	}
	jsonFigure struct {
		Count   int64    `json:"count"`
		Of      *int64   `json:"of"`
		Percent *float64 `json:"percent"`
	}
	jsonName struct {
		Core     string `json:"core,omitempty"`
		Function string `json:"function,omitempty"`
		Address  string `json:"address,omitempty"`
		File     string `json:"file,omitempty"`
		Line     uint32 `json:"line,omitempty"`
	}
)

// head is what every answer begins with.
func (q *question) head(name string) []answer.Fact {
	h := q.reportHead(name)
	return []answer.Fact{
		{Key: "schema_version", Value: answer.Int(h.SchemaVersion)},
		{Key: "report", Value: answer.Text(h.Report)},
		{Key: "forced", Value: answer.JSONOf(h.Forced)},
		{Key: "trust", Value: answer.JSONOf(h.Trust)},
		{Key: "excluded", Value: answer.JSONOf(h.Excluded)},
	}
}

// reportHead is the head of objects that are made by hand.
func (q *question) reportHead(name string) reportHead {
	t := q.m.Trust()
	return reportHead{
		SchemaVersion: schema.Version, Report: name, Forced: q.force && len(t.Doubts) > 0,
		Trust: trustObject(t), Excluded: excludedObjects(q.m.Excluded()),
	}
}

// figureObject is a figure; what is not known is null.
func figureObject(count, of int64) jsonFigure {
	f := jsonFigure{Count: count}
	if of > 0 {
		f.Of, f.Percent = &of, new(float64(count)/float64(of)*100)
	}
	return f
}

func nameObject(n *report.Name) jsonName {
	o := jsonName{Core: n.Core, Function: n.Function, File: n.File, Line: n.Line}
	if n.Function != "" || n.File == "" && n.Address != 0 {
		o.Address = answer.Hex(n.Address)
	}
	return o
}

func trustObject(t *trust.Summary) jsonTrust {
	o := jsonTrust{
		Verdict: t.Verdict.String(), jsonJudgement: judgementObject(t), Doubts: []jsonDoubt{},
		Bytes: t.Bytes, BytesDecoded: t.Decoded, DecodedPercent: figureObject(t.Decoded, t.Bytes).Percent,
		BytesLost: t.Lost, BytesLostAtEnds: t.Ends, BytesUnsynced: t.Unsynced, BytesUnplaced: t.Unplaced,
		BytesNotDecoded: t.Undecoded,
		Instructions:    t.Instructions, Gaps: t.Gaps,
		Agreement: figureObject(t.Agrees, t.Checks), Match: figureObject(t.Matching, t.Distinct),
		Outside: []jsonOutside{}, Conditions: t.Conditions, ConditionsUntold: t.Untold, ProgramFile: t.HasProgram,
	}
	for _, d := range t.Doubts {
		kind := "agreement"
		if d.OfProgramFile {
			kind = "match"
		}
		o.Doubts = append(o.Doubts, jsonDoubt{d.Dir, d.What, kind, figureObject(d.Agrees, d.Of)})
	}
	for _, x := range t.Outside {
		o.Outside = append(o.Outside, jsonOutside{x.Core, answer.Hex(x.Address), x.Times})
	}
	for i := range t.Datasets {
		o.Datasets = append(o.Datasets, datasetObject(&t.Datasets[i]))
	}
	return o
}

func datasetObject(d *trust.Dataset) jsonDataset {
	o := jsonDataset{
		Directory: d.Dir, Test: d.Test, Window: d.Window, Sources: []jsonSource{},
		ProgramFiles: []jsonProgramFile{},
	}
	for i := range d.Sources {
		s := &d.Sources[i]
		agree, of := s.Checks()
		o.Sources = append(o.Sources, jsonSource{
			Source: schema.SourceText(s.Source), Core: s.Core, Status: s.Status, Unit: s.Unit,
			Bytes: s.Bytes, BytesDecoded: s.BytesDecoded, BytesLost: s.BytesLost, BytesLostAtEnds: s.Ends,
			BytesUnplaced: s.BytesUnplaced,
			Instructions:  s.Instructions, Gaps: s.Gaps, Agreement: figureObject(agree, of),
		})
	}
	for _, f := range d.Files {
		o.ProgramFiles = append(o.ProgramFiles, jsonProgramFile{
			f.File, f.Core, f.SHA256, f.CodeSHA256,
			figureObject(f.Matching, f.Executed),
		})
	}
	return o
}

func excludedObjects(list []report.Excluded) []jsonExcluded {
	objects := []jsonExcluded{}
	for _, e := range list {
		objects = append(objects, jsonExcluded{e.Name, e.Reason, e.Instructions, e.Covered})
	}
	return objects
}
