module github.com/xk6-sweep/xk6-sweep/scripts/grafana

go 1.26
