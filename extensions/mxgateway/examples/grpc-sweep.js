// Sweeps any unary method of any gRPC server with k6's own client. Address, method and request are
// settings.
//
//   GRPC_URL=127.0.0.1:50051 GRPC_METHOD=grpc.health.v1.Health/Check GRPC_REQUEST='{"service":""}' \
//     bin/k6 run extensions/mxgateway/examples/grpc-sweep.js
//
// To reduce k6's cost per call, the script creates the request object only once, and uses
// discardResponseMessage, which saves the conversion of replies from protobuf to JavaScript.
import grpc from 'k6/net/grpc';
import sweep from 'k6/x/sweep';

const address = __ENV.GRPC_URL || '127.0.0.1:50051';
const method = __ENV.GRPC_METHOD || 'grpc.health.v1.Health/Check';
const request = JSON.parse(__ENV.GRPC_REQUEST || '{}');
const metadata = __ENV.GRPC_AUTHORIZATION ? { authorization: __ENV.GRPC_AUTHORIZATION } : {};
const params = { metadata, discardResponseMessage: true, timeout: '10s' };
const tls = __ENV.GRPC_TLS === 'true';

const client = new grpc.Client();
if (__ENV.PROTO) client.load([], __ENV.PROTO); // otherwise by reflection

export const options = sweep.options({ scenario: 'grpc-sweep', clients: [1, 4, 16], iterations: 200, warmup: '500ms', op: 'invoke' });

export default function () {
  client.connect(address, { plaintext: !tls, reflect: !__ENV.PROTO, reflectMetadata: metadata });
  sweep.run(() => {
    const { status, error } = /** @type {any} */ (client.invoke(method, request, params));
    if (status !== grpc.StatusOK) throw new Error(`the call failed with status ${status}: ${error.message}`);
  });
  client.close();
}

export const handleSummary = (data) => sweep.report(data);
