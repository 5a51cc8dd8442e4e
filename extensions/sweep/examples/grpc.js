// Sweeps a gRPC server: a unary call, here of the standard health service. All clients of a step
// connect first and start together; then sweep.run calls its function for each operation, and only
// that is measured.
//     k6 run -e GRPC_URL=127.0.0.1:50051 grpc.js
import { check } from 'k6';
import grpc from 'k6/net/grpc';
import sweep from 'k6/x/sweep';

const address = __ENV.GRPC_URL || '127.0.0.1:50051';
const method = 'grpc.health.v1.Health/Check';
const request = { service: __ENV.GRPC_SERVICE || '' }; // '' is the server as a whole

const client = new grpc.Client();
client.load([], 'health.proto');

export const options = {
  scenarios: {
    grpc: { executor: 'client-sweep', clients: [1, 4, 16], iterations: 200, warmup: '500ms', op: 'check' },
  },
  thresholds: {
    sweep_failed: ['count==0'],
    sweep_incomplete: ['count==0'],
    'sweep_p99{clients:16}': ['value<1000'], // ms
  },
};

export default function () {
  client.connect(address, { plaintext: true });
  sweep.run(() => {
    // A status other than OK makes it a failed operation, and so does a check that fails.
    const { status, message } = /** @type {any} */ (client.invoke(method, request));
    check(status, { 'status is OK': (s) => s === grpc.StatusOK }); // k6 tells of no timeout in any other way
    check(message, { 'the service is serving': (m) => m && m.status === 'SERVING' });
  });
  client.close();
}

export const handleSummary = (data) => sweep.report(data);
