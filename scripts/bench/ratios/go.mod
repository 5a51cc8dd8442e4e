module github.com/xk6-sweep/xk6-sweep/scripts/bench/ratios

go 1.26
