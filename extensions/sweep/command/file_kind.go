package command

import (
	"encoding/json"
	"errors"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

type kind int

const (
	noObject kind = iota
	anotherObject
	aReport
	aFileOfGates
	aBaseline
)

func kindOf(raw []byte) kind {
	raw, _ = report.UTF8(raw) // invalid files have no keys
	var keys map[string]json.RawMessage
	if json.Unmarshal(raw, &keys) != nil {
		return noObject
	}
	schema, hasSchema := keys["schema"]
	var version string
	_ = json.Unmarshal(schema, &version) // an error means another kind
	_, absolute := keys["absolute"]
	_, relative := keys["relative"]
	switch {
	case version == gate.BaselineSchema:
		return aBaseline
	case hasSchema:
		return aReport
	case absolute || relative:
		return aFileOfGates
	}

	return anotherObject
}

// swapped returns an error for a file of the wrong kind in the arguments of gate, or nil.
func swapped(file string, raw []byte, taken kind) error {
	const order = "k6 x sweep gate takes the run first and then the gates"
	switch looks := kindOf(raw); {
	case taken == aReport && looks == aFileOfGates:
		return unusable(file, errors.New("it looks like a file of gates and not like a report: "+order))
	case taken == aReport && looks == aBaseline:
		return unusable(file, errors.New("it is a baseline and not a report: "+order))
	case taken == aFileOfGates && (looks == aReport || looks == aBaseline):
		return unusable(file, errors.New("it looks like a report and not like a file of gates: "+order))
	}

	return nil
}
