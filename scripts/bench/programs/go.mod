module github.com/xk6-sweep/xk6-sweep/scripts/bench/programs

go 1.26.0

require (
	github.com/HdrHistogram/hdrhistogram-go v1.4.0
	github.com/bradfitz/gomemcache v0.0.0-20260422231931-4d751bb6e37c
	github.com/grafana/sobek v0.0.0-20260727154728-7781506a890f
	github.com/machbase/neo-client v1.2.2-0.20260318033338-ef7d620a23c6
	github.com/nats-io/nats.go v1.55.0
	github.com/xk6-sweep/xk6-sweep v0.0.0
	golang.org/x/sys v0.49.0
)

require (
	github.com/dlclark/regexp2/v2 v2.5.2 // indirect
	github.com/go-sourcemap/sourcemap v2.1.4+incompatible // indirect
	github.com/google/pprof v0.0.0-20260802141513-ef3492d7dac3 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/nats-io/nkeys v0.4.16 // indirect
	github.com/nats-io/nuid v1.0.1 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace github.com/xk6-sweep/xk6-sweep => ../../..
