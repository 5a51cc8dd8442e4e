// Measures calls per second to a gRPC server, and their latency, with 1, 4 and 16 clients. It
// calls the standard health service, and needs server reflection. Without it, load a .proto in the
// init code: client.load([], 'my.proto'). Each step lasts DURATION, 5 s by default.
//     k6 run grpc.js -e GRPC_URL=127.0.0.1:50051 -e CLIENTS=1,8,32 -e DURATION=10s
import { check } from 'k6';
import grpc from 'k6/net/grpc';
import sweep from 'k6/x/sweep';

const address = __ENV.GRPC_URL || '127.0.0.1:50051';
const method = 'grpc.health.v1.Health/Check';
const client = new grpc.Client();

export const options = sweep.options({ scenario: 'grpc', op: 'check', clients: [1, 4, 16], duration: '5s', warmup: '1s' });

export function setup() {
  sweep.meta({ target: { kind: 'grpc', url: `grpc://${address}` } });
}

export default function () {
  client.connect(address, { plaintext: true, reflect: true }); // all clients of a step connect; then they start together
  sweep.run(() => { // one call is one operation; a status other than OK or a failed check makes it a failed one
    check(client.invoke(method, { service: '' }), { 'status is OK': (r) => Boolean(r) && r.status === grpc.StatusOK });
  });
  client.close();
}

export const handleSummary = (data) => sweep.report(data); // the table here, files in results/
