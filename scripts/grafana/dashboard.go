package main

// object is an object of JSON.
type object = map[string]any

// schemaVersion is that of Grafana 12.0. An older Grafana reads it as well, and a newer one brings
// it up to its own.
const schemaVersion = 41

// columns of Grafana's grid.
const gridWidth = 24

// dashboard is that of a store, as Grafana imports it.
func dashboard(s store) object {
	return object{
		"uid": s.uid, "title": s.title, "tags": []string{"k6", "xk6-sweep"},
		"description":   "A sweep of the number of clients. Written by scripts/grafana: change it there.",
		"schemaVersion": schemaVersion, "version": 1, "editable": true, "graphTooltip": 1,
		"refresh": "5s", "time": object{"from": "now-1h", "to": "now"}, "timezone": "browser",
		"annotations": object{"list": []any{}}, "links": []any{},
		"templating": object{"list": templating(s)},
		"panels":     panels(s),
	}
}

func templating(s store) []object {
	chosen := variables()
	list := make([]object, 0, 1+len(chosen))
	list = append(list, object{
		"name": "datasource", "label": "Data source", "type": "datasource", "query": s.datasource,
		"multi": false, "includeAll": false, "refresh": 1, "regex": "", "options": []any{}, "current": object{},
	})
	for _, v := range chosen {
		const alphabetical, numerical, whenTimeChanges = 1, 3, 2
		sort := alphabetical
		if v.numbers {
			sort = numerical
		}
		variable := object{
			"name": v.name, "label": v.label, "type": "query", "datasource": s.source(), "query": s.values(v), "definition": definition(s.values(v)),
			"multi": v.several, "includeAll": v.several, "refresh": whenTimeChanges, "sort": sort,
			"regex": "", "options": []any{}, "current": object{},
		}
		if v.several {
			variable["allValue"] = v.all
			variable["current"] = object{"text": []string{"All"}, "value": []string{"$__all"}}
		}
		list = append(list, variable)
	}

	return list
}

// definition is what Grafana's list of variables shows of a query.
func definition(values any) any {
	if query, ok := values.(object); ok {
		return query["query"]
	}

	return values
}

func (s store) source() object {
	return object{"type": s.datasource, "uid": "${datasource}"}
}

func panels(s store) []object {
	var all []object
	y := 0
	place := func(panel object, x, width, height int) {
		panel["id"] = len(all) + 1
		panel["gridPos"] = object{"x": x, "y": y, "w": width, "h": height}
		all = append(all, panel)
	}
	for _, r := range rows() {
		if r.title != "" {
			place(object{"type": "row", "title": r.title, "collapsed": false, "panels": []any{}}, 0, gridWidth, 1)
			y++
		}
		width := gridWidth / len(r.panels)
		for i, p := range r.panels {
			place(draw(s, p), i*width, width, r.height)
		}
		y += r.height
	}

	return all
}

// draw is a panel as Grafana writes it down.
func draw(s store, p panel) object {
	drawn := object{
		"title": p.title, "description": p.description, "datasource": s.source(), "targets": targets(s, p),
		"transformations": transformations(s, p), "fieldConfig": object{"defaults": fields(p), "overrides": overrides(p)},
	}
	legend := object{"showLegend": true, "displayMode": "list", "placement": "bottom", "calcs": []any{}}
	switch p.kind {
	case overTime:
		drawn["type"], drawn["interval"] = "timeseries", "1s"
		drawn["options"] = object{"legend": legend, "tooltip": object{"mode": "multi", "sort": "desc"}}
	case againstClients:
		drawn["type"] = "xychart"
		drawn["options"] = object{
			"mapping": "auto", "series": []object{{"x": object{"matcher": object{"id": "byName", "options": "clients"}}}},
			"legend": legend, "tooltip": object{"mode": "single", "sort": "none"},
		}
	case ofSteps, change:
		drawn["type"] = "table"
		drawn["options"] = object{"showHeader": true, "cellHeight": "sm"}
	}

	return drawn
}

func targets(s store, p panel) []object {
	all := s.targets(p)
	for _, target := range all {
		target["datasource"] = s.source()
	}

	return all
}

// fields is how a panel shows its values, where they do not have a unit each.
func fields(p panel) object {
	custom := object{}
	defaults := object{"unit": p.figures[0].unit(), "color": object{"mode": "palette-classic"}, "custom": custom}
	switch p.kind {
	case overTime:
		custom["drawStyle"], custom["lineWidth"], custom["showPoints"], custom["fillOpacity"] = "line", 1, "auto", 0
		custom["spanNulls"] = false
		if p.figures[0] == hitRate {
			defaults["max"] = 1
		}
	case againstClients:
		custom["show"], custom["lineWidth"], custom["pointSize"] = "points+lines", 1, object{"fixed": 6}
	case ofSteps, change:
		return object{"custom": custom}
	}
	if p.logarithmic() {
		custom["scaleDistribution"] = logarithms(10)
	} else {
		defaults["min"] = 0
	}

	return defaults
}

func logarithms(base int) object { return object{"type": "log", "log": base} }

// overrides are the units of a table's columns, and a scale of clients that has the steps evenly
// apart.
func overrides(p panel) []object {
	named := func(name, property string, value any) object {
		return object{
			"matcher":    object{"id": "byName", "options": name},
			"properties": []object{{"id": property, "value": value}},
		}
	}
	all := []object{}
	switch p.kind {
	case againstClients:
		all = append(all, named("clients", "unit", "none"), named("clients", "min", 1),
			named("clients", "custom.scaleDistribution", logarithms(2)))
	case ofSteps:
		for _, f := range p.figures {
			if f.unit() != "" {
				all = append(all, named(f.name(), "unit", f.unitOfSteps()))
			}
		}
	case change:
		for _, f := range p.figures {
			all = append(all, named(f.name(), "unit", "percentunit"))
		}
	case overTime:
	}

	return all
}

// transformations make one table of the answers, with numbers of clients that are numbers, and
// lines of it for a graph.
func transformations(s store, p panel) []object {
	if p.kind == overTime {
		return []object{}
	}
	var all []object
	if s.merged {
		all = append(all, object{"id": "merge", "options": object{}})
	}
	all = append(all,
		object{"id": "organize", "options": object{
			"excludeByName": object{"Time": p.kind != ofSteps || s.merged}, "renameByName": s.columns(p),
			"includeByName": object{}, "indexByName": object{},
		}},
		object{"id": "convertFieldType", "options": object{
			"fields": object{}, "conversions": []object{{"targetField": "clients", "destinationType": "number"}},
		}},
		object{"id": "sortBy", "options": object{"fields": object{}, "sort": []object{{"field": "clients"}}}},
	)
	if p.kind == againstClients {
		all = append(all, object{"id": "partitionByValues", "options": object{
			"fields": []string{"op", "rate", "instance"}, "keepFields": false, "naming": object{"asLabels": true},
		}})
	}

	return all
}
