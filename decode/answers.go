package decode

// A Question is what users ask of a trace, and what not every trace can answer.
type Question string

// The questions, in the order in which they are shown.
const (
	AskCycles     Question = "cycles"     // how long did it take?
	AskTimestamps Question = "timestamps" // when, against other sources?
	AskContexts   Question = "contexts"   // which task?
	AskData       Question = "data"       // what was read and written?
	AskConditions Question = "conditions" // did a predicated instruction pass?
)

// An Answer says whether a source can answer a question, by its protocol, version and
// registers.
type Answer struct {
	Question Question
	Traced   bool // the registers say so
	// Why says why it is not traced, if nothing can be set so that it is.
	Why string
	// Set is the field of a register to set so that it is traced, with the name that
	// Arm gives it.
	Set string
}

// An Answerer is a [Protocol] that knows what its stream can answer.
type Answerer interface {
	Protocol
	// Answers returns an answer for each question.
	Answers() []Answer
}
