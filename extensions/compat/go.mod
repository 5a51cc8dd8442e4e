// Replaces go.k6.io/k6 (k6 v1) for k6/x/sql: see doc.go.
module go.k6.io/k6

go 1.26.0

require go.k6.io/k6/v2 v2.2.0
