module example.com/xk6-echo

go 1.26.0

require (
	github.com/grafana/sobek v0.0.0-20260727154728-7781506a890f
	github.com/xk6-sweep/xk6-sweep v0.1.0
	go.k6.io/k6/v2 v2.2.0
)
