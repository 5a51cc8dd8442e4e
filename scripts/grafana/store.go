package main

// store is what a dashboard asks.
type store struct {
	uid, title, file string
	datasource       string // Grafana's name of the kind
	// targets are the queries of a panel; merged tells whether they are to be put together by what
	// they have in common.
	targets func(panel) []object
	merged  bool
	// columns are the names that the panel's figures have in the answer, where those are not their
	// own.
	columns func(panel) map[string]string
	// values is the query for the values of a variable.
	values func(variable) any
}

// stores are all there are.
func stores() []store { return []store{influxdb(), prometheus()} }

// variable is one that the user of a dashboard chooses.
type variable struct {
	name, label string
	several     bool
	all         string // the regular expression that stands for all values, where several can be chosen
	numbers     bool
	within      []string // the values depend on these variables
	of          string   // the tag, where it is not the name
}

// tag is the tag that a variable has the values of.
func (v variable) tag() string {
	if v.of != "" {
		return v.of
	}

	return v.name
}

// variables are those of every dashboard. What a module counts while a step warms up has no tag for
// the clients: all clients are all that are named. A run need not have a name.
func variables() []variable {
	return []variable{
		{name: "scenario", label: "Scenario"},
		{name: "instance", label: "Run", several: true, all: ".*", within: []string{"scenario"}},
		{name: "op", label: "Operation", several: true, all: ".+", within: []string{"scenario"}},
		{name: "clients", label: "Clients", several: true, all: ".+", numbers: true, within: []string{"scenario"}},
		{name: "baseline", label: "Compare with", within: []string{"scenario"}, of: "instance"},
	}
}
