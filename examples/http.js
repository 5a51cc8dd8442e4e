// Sweeps an HTTP server: how many GETs a second, and how long do they take, the more clients there
// are? The function below knows nothing of sweeps: the executor repeats it, and its first call in
// each step, which opens the connection, is not measured.
//     k6 run http.js -e HTTP_URL=http://127.0.0.1:8080/ -e CLIENTS=1,8,32 -e DURATION=10s
import { check } from 'k6';
import http from 'k6/http';
import sweep from 'k6/x/sweep';

const url = __ENV.HTTP_URL || 'http://127.0.0.1:8080/';

export const options = {
  ...sweep.options({ scenario: 'http', op: 'get', clients: [1, 4, 16], iterations: 200, warmup: '500ms' }),
  discardResponseBodies: true,
};

export function setup() {
  sweep.meta({ target: { kind: 'http', url } });
}

export default function () {
  // No answer and an error such as 404 make it a failed operation, and so does a check that fails.
  check(http.get(url), { 'status is 200': (r) => r.status === 200 });
}

export const handleSummary = (data) => sweep.report(data); // the table here, files in results/
