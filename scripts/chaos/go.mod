module github.com/xk6-sweep/xk6-sweep/scripts/chaos

go 1.26.0

require (
	github.com/nats-io/nats.go v1.55.0
	github.com/xk6-sweep/xk6-sweep v0.0.0
	golang.org/x/net v0.62.0
)

require (
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/nats-io/nkeys v0.4.16 // indirect
	github.com/nats-io/nuid v1.0.1 // indirect
	github.com/stretchr/testify v1.12.1 // indirect
	github.com/twmb/murmur3 v1.1.8 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/xk6-sweep/xk6-sweep => ../..
