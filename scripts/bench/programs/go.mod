module github.com/xk6-sweep/xk6-sweep/scripts/bench/programs

go 1.26.0

require (
	github.com/HdrHistogram/hdrhistogram-go v1.4.0
	github.com/bradfitz/gomemcache v0.0.0-20260422231931-4d751bb6e37c
	github.com/machbase/neo-client v1.2.2-0.20260318033338-ef7d620a23c6
	github.com/xk6-sweep/xk6-sweep/extensions v0.0.0
)

replace github.com/xk6-sweep/xk6-sweep/extensions => ../../../extensions
