package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Read reads and validates a report in JSON. It checks that no figure is missing and that all
// agree, because compare, merge and gates rely on it.
//
// Errors are one line about the content; the caller adds the file name.
func Read(raw []byte) (*Report, error) {
	raw, err := UTF8(raw)
	if err != nil {
		return nil, err
	}
	if err := checkJSON(raw); err != nil {
		return nil, err
	}
	if err := checkSchema(raw); err != nil {
		return nil, err
	}
	if err := checkKeys(raw); err != nil {
		return nil, err
	}
	if err := checkTwice(raw); err != nil {
		return nil, err
	}

	r := &Report{}
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, oneLine(err)
	}
	if err := r.Validate(); err != nil {
		return nil, err
	}

	return r, nil
}

// UTF8 removes a byte order mark. Its error names the encoding of a file that is not UTF-8.
func UTF8(raw []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(raw, []byte("\xff\xfe")), bytes.HasPrefix(raw, []byte("\xfe\xff")):
		return nil, errors.New("the file is UTF-16, as Windows PowerShell writes it: it must be UTF-8")
	case bytes.HasPrefix(raw, []byte("\x1f\x8b")):
		return nil, errors.New("the file is compressed: unpack it with gunzip")
	}

	return bytes.TrimPrefix(raw, []byte("\ufeff")), nil
}

// checkJSON distinguishes files that are not JSON from truncated ones.
func checkJSON(raw []byte) error {
	if len(bytes.TrimSpace(raw)) == 0 {
		return errors.New("the file is empty")
	}

	dec := json.NewDecoder(bytes.NewReader(raw))
	var value json.RawMessage
	err := dec.Decode(&value)
	if err == nil {
		if _, err = dec.Token(); errors.Is(err, io.EOF) {
			return nil
		}

		return fmt.Errorf("not a report: something follows the JSON, %s", position(raw, dec.InputOffset()))
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the file is truncated: its JSON ends too early, %s", position(raw, int64(len(raw))))
	}
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		return fmt.Errorf("not JSON: %w, %s", err, position(raw, syntax.Offset-1))
	}

	return fmt.Errorf("not JSON: %w", err)
}

func position(raw []byte, offset int64) string {
	before := raw[:min(max(offset, 0), int64(len(raw)))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n')

	return fmt.Sprintf("in line %d, column %d", line, column)
}

// checkSchema comes first: nothing else can be checked for an unknown version.
func checkSchema(raw []byte) error {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(raw, &top); err != nil || top["schema"] == nil {
		return fmt.Errorf("not a report: there is no key \"schema\", which is to be %q", Schema)
	}
	var schema string
	if err := json.Unmarshal(top["schema"], &schema); err != nil || schema == "" {
		return fmt.Errorf("not a report: the key \"schema\" is to be %q", Schema)
	}
	if schema == Schema {
		return nil
	}

	name, version, _ := strings.Cut(schema, "/")
	ours, known, _ := strings.Cut(Schema, "/")
	n, err := strconv.ParseUint(version, 10, 32)
	if latest, _ := strconv.ParseUint(known, 10, 32); name == ours && err == nil && n > latest {
		return fmt.Errorf("the report is of schema %q, which is newer than this k6 knows (%q): use a newer build", schema, Schema)
	}

	return fmt.Errorf("the report is of schema %q, and not of %q", schema, Schema)
}

// oneLine rewrites an error of encoding/json for readers of reports.
func oneLine(err error) error {
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return fmt.Errorf("%s is the %s, which does not fit: it is to be %s", oneLineOf(wrong.Field), wrong.Value, kindOf(wrong.Type))
	}

	if wrong := (*time.ParseError)(nil); errors.As(err, &wrong) {
		return fmt.Errorf("%s is no time: it is to be such as \"2026-01-31T12:00:00Z\"", oneLineOf(wrong.Value))
	}

	return errors.New(oneLineOf(err.Error()))
}
