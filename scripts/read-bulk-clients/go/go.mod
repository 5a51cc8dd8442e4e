module github.com/xk6-sweep/xk6-sweep/scripts/read-bulk-clients/go

go 1.26.0

require (
	github.com/xk6-sweep/xk6-sweep/scripts/mxgateway v0.0.0
	google.golang.org/grpc v1.83.2
)

require (
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260526163538-3dc84a4a5aaa // indirect
	google.golang.org/protobuf v1.36.11 // indirect
)

replace github.com/xk6-sweep/xk6-sweep/scripts/mxgateway => ../../mxgateway
