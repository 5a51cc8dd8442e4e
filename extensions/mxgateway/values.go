package mxgateway

import (
	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/wire"
)

func nameOf(method string, value sobek.Value) (string, error) {
	if k6x.IsNullish(value) {
		return defaultName, nil
	}

	return k6x.Text(method, "the name", value)
}

func tagsOf(method string, value sobek.Value) ([]string, error) {
	list, err := k6x.Elements(method, "the tags", value)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, k6x.Misuse("%s: the tags must not be empty", method)
	}
	tags := make([]string, len(list))
	for i, one := range list {
		if tags[i], err = k6x.Name(method, "a tag", one); err != nil {
			return nil, err
		}
	}

	return tags, nil
}

func itemsToJS(items []wire.Item) []any {
	list := make([]any, len(items))
	for i := range items {
		item := &items[i]
		list[i] = map[string]any{
			"tag": item.Tag, "itemHandle": item.Handle, "wasSuccessful": item.Successful, "errorMessage": item.ErrorMessage,
		}
	}

	return list
}

func resultsToJS(results []wire.Result) []any {
	list := make([]any, len(results))
	for i := range results {
		r := &results[i]
		list[i] = map[string]any{
			"tag": r.Tag, "itemHandle": r.Handle, "wasSuccessful": r.Successful, "wasCached": r.Cached, "value": r.Value,
			"quality": r.Quality, "sourceTimestamp": r.Timestamp, "errorMessage": r.ErrorMessage,
		}
	}

	return list
}
