package cmi

import "encoding/binary"

type answer struct {
	answered       bool
	last           bool
	changed        int64
	kind           int
	columns        []Column
	parameterCount int
	parameters     []Column
	accepted       int64
	rejected       int64
	message        []byte
}

func readAnswer(body []byte) (a answer, rows []byte, err error) { //nolint:cyclop // one case for each unit
	var name []byte
	for len(body) > 0 {
		u, rest, err := nextUnit(body)
		if err != nil {
			return a, nil, err
		}
		switch u.id {
		case unitRow:
			return a, body, nil
		case unitResult:
			a.answered = true
			if a.last, err = result(u.number, rest); err != nil {
				return a, nil, err
			}
		case unitRows:
			a.changed = int64(u.number)
		case unitStatementType:
			a.kind = int(u.number)
		case unitColumnName:
			name = u.data
		case unitColumnType:
			column, err := describe(string(name), u.number)
			if err != nil {
				return a, nil, err
			}
			a.columns = append(a.columns, column)
		case unitParameters:
			a.parameterCount = int(u.number)
		case unitParamType:
			column, err := describe("", u.number)
			if err != nil {
				return a, nil, err
			}
			a.parameters = append(a.parameters, column)
		case unitAccepted:
			a.accepted = int64(u.number)
		case unitRejected:
			a.rejected = int64(u.number)
		case unitMessage:
			a.message = u.data
		}
		body = rest
	}

	return a, nil, nil
}

func readResult(body []byte) (answer, []byte, error) {
	a, rows, err := readAnswer(body)
	if err == nil && !a.answered {
		err = protocolError("an answer has no result")
	}

	return a, rows, err
}

func result(status uint64, rest []byte) (last bool, err error) {
	switch status >> 32 {
	case resultOK:
		return false, nil
	case resultLast:
		return true, nil
	}
	var text string
	for len(rest) > 0 {
		u, after, err := nextUnit(rest)
		if err != nil {
			return false, err
		}
		if rest = after; u.id == unitMessage && len(u.data) > 0 {
			text = string(u.data)
		}
	}
	code := int(uint32(status))
	if code == 0 {
		return false, protocolError("an answer has an unknown result: 0x%016x %s", status, text)
	}

	return false, ServerError(code, text)
}

type unit struct {
	id     uint32
	number uint64
	data   []byte
}

func nextUnit(body []byte) (u unit, rest []byte, err error) {
	if len(body) < unitHeader {
		return u, nil, protocolError("an answer ends in the middle of a unit")
	}
	u.id = binary.LittleEndian.Uint32(body)
	unitType := binary.LittleEndian.Uint32(body[4:])
	number := binary.LittleEndian.Uint64(body[8:])
	rest = body[unitHeader:]
	if !isSized(unitType) {
		if unitType < typeInt64 { // the upper bytes are undefined
			number &= 1<<32 - 1
		}
		u.number = number

		return u, rest, nil
	}

	if number > uint64(len(rest)) || align(int(number)) > len(rest) {
		return u, nil, protocolError("a unit announces %d bytes, but there are %d", number, len(rest))
	}
	u.data = rest[:number]

	return u, rest[align(int(number)):], nil
}

// nextRow is a faster nextUnit, since nearly all units are rows.
func nextRow(body []byte) (row, rest []byte, isRow bool) {
	if len(body) < unitHeader || binary.LittleEndian.Uint64(body) != unitRow|typeBinary<<32 {
		return nil, nil, false
	}
	rest = body[unitHeader:]
	length := binary.LittleEndian.Uint64(body[8:])
	if length > uint64(len(rest)) || align(int(length)) > len(rest) {
		return nil, nil, false
	}

	return rest[:length], rest[align(int(length)):], true
}
