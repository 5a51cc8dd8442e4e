package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Read reads a report in JSON and checks it against the schema and against itself, because compare,
// merge and gates rely on it.
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
	if err := checkValues(compiled(), raw); err != nil {
		return nil, err
	}

	r := &Report{}
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, errors.New(oneLineOf(err.Error()))
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

// The schemas of a report and of its tables.
var compiled, compiledTables = schemaAt(""), schemaAt("#/properties/tables") //nolint:gochecknoglobals // compiled once

func schemaAt(part string) func() *jsonschema.Schema {
	return sync.OnceValue(func() *jsonschema.Schema {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(SchemaJSON))
		if err != nil {
			panic(err) // the schema is part of this package
		}
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		if err := c.AddResource("report.json", doc); err != nil {
			panic(err)
		}

		return c.MustCompile("report.json" + part)
	})
}

// checkValues returns an error for one value that the schema refuses: the first by its path. prefix
// is the path of raw in the report.
func checkValues(schema *jsonschema.Schema, raw []byte, prefix ...string) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return errors.New(oneLineOf(err.Error()))
	}
	invalid := (*jsonschema.ValidationError)(nil)
	if !errors.As(schema.Validate(doc), &invalid) {
		return nil
	}
	var found []string
	var collect func(e *jsonschema.ValidationError)
	collect = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			collect(cause)
		}
		if unknown, ok := e.ErrorKind.(*kind.AdditionalProperties); ok {
			slices.Sort(unknown.Properties)
		}
		if len(e.Causes) == 0 {
			says := e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
			found = append(found, place(slices.Concat(prefix, e.InstanceLocation))+": "+says)
		}
	}
	collect(invalid)

	return errors.New(oneLineOf(slices.Min(found)))
}

// place formats the path of a value, such as steps[0].latencyMs.
func place(location []string) string {
	if len(location) == 0 {
		return "the report"
	}
	var b strings.Builder
	for i, key := range location {
		switch _, err := strconv.Atoi(key); {
		case err == nil:
			b.WriteString("[" + key + "]")
		case i > 0:
			b.WriteString("." + key)
		default:
			b.WriteString(key)
		}
	}

	return b.String()
}
