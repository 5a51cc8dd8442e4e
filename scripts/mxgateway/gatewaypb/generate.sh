#!/usr/bin/env bash
# Generates this package from the .proto; run by `go generate`. It takes protoc (on Debian: apt-get
# install protobuf-compiler).
set -euo pipefail
cd "$(dirname "$0")"
proto=../../../scenarios/lib
protoc --proto_path="$proto" \
  --plugin=protoc-gen-go="$(go tool -n protoc-gen-go)" --go_out=. --go_opt=paths=source_relative \
  --plugin=protoc-gen-go-grpc="$(go tool -n protoc-gen-go-grpc)" --go-grpc_out=. --go-grpc_opt=paths=source_relative \
  "$proto/mxaccess_gateway.proto"
