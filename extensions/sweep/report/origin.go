package report

import "regexp"

var origins = regexp.MustCompile(`\b[a-z]+://([^/? ]+)`)

// DropOrigins removes scheme, host and port from the names of requests if each report is of a
// script that requests one host only. Two servers at different addresses can then be compared.
func DropOrigins(reports ...*Report) {
	named := make([][]string, len(reports))
	for i, r := range reports {
		if named[i] = r.paths(); named[i] == nil {
			return
		}
	}
	for i, r := range reports {
		for j := range r.Steps {
			r.Steps[j].Op = named[i][j]
		}
	}
}

// paths returns the names of the operations without their host. It returns nil unless there is
// exactly one host, or if two steps would get the same name.
func (r *Report) paths() []string {
	type row struct {
		Key
		repeat int
	}
	names, taken, host := make([]string, len(r.Steps)), map[row]bool{}, ""
	for i := range r.Steps {
		s := r.Steps[i]
		if at := origins.FindStringSubmatchIndex(s.Op); at != nil {
			here, path := s.Op[at[2]:at[3]], s.Op[at[1]:]
			if host != "" && host != here {
				return nil
			}
			if path == "" || path[0] != '/' {
				path = "/" + path
			}
			host, s.Op = here, s.Op[:at[0]]+path
		}
		at := row{s.Key(), s.Repeat}
		if taken[at] {
			return nil
		}
		names[i], taken[at] = s.Op, true
	}
	if r.Script == nil || host == "" {
		return nil
	}

	return names
}
