// The alias of k6 v1 that k6/x/sql is built with: see doc.go. It is only ever used through a replace directive.
module go.k6.io/k6

go 1.26.0

require go.k6.io/k6/v2 v2.2.0
