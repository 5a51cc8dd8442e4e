package mxgateway

import (
	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/wire"
)

// textOr reads a text that may be left out.
func textOr(value sobek.Value, fallback, usage string) (string, error) {
	if k6glue.IsNullish(value) {
		return fallback, nil
	}
	text, ok := k6glue.Text(value)
	if !ok {
		return "", misuse("%s", usage)
	}

	return text, nil
}

// tagsOf reads an array of tags.
func tagsOf(value sobek.Value, usage string) ([]string, error) {
	list, err := elements(value, usage)
	if err == nil && len(list) == 0 {
		err = misuse("%s", usage)
	}
	if err != nil {
		return nil, err
	}
	tags := make([]string, len(list))
	for i, one := range list {
		var ok bool
		if tags[i], ok = k6glue.Text(one); !ok || tags[i] == "" {
			return nil, misuse("%s", usage)
		}
	}

	return tags, nil
}

// elements are those of an array. Usage is the error of what is none.
func elements(value sobek.Value, usage string) ([]sobek.Value, error) {
	if object, ok := value.(*sobek.Object); !ok || object.ClassName() != "Array" {
		return nil, misuse("%s", usage)
	}
	list, err := k6glue.Elements("the array", value)
	if err != nil {
		return nil, misuse("%s", err)
	}

	return list, nil
}

func itemsToJS(items []wire.Item) []map[string]any {
	list := make([]map[string]any, len(items))
	for i := range items {
		item := &items[i]
		list[i] = map[string]any{
			"tag": item.Tag, "itemHandle": item.Handle, "wasSuccessful": item.Successful, "errorMessage": item.ErrorMessage,
		}
	}

	return list
}

func resultsToJS(results []wire.Result) []map[string]any {
	list := make([]map[string]any, len(results))
	for i := range results {
		r := &results[i]
		list[i] = map[string]any{
			"tag": r.Tag, "itemHandle": r.Handle, "wasSuccessful": r.Successful, "wasCached": r.Cached, "value": r.Value,
			"quality": r.Quality, "sourceTimestamp": r.Timestamp, "errorMessage": r.ErrorMessage,
		}
	}

	return list
}
