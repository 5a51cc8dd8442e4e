// Sweeps an HTTP server: how fast is a GET with 1, 4 and 16 clients? The function below knows
// nothing of sweeps: the executor repeats it, and its first call in each step, which opens the
// connection, is not measured.
//     k6 run -e HTTP_URL=http://127.0.0.1:8080/ http.js
import { check } from 'k6';
import http from 'k6/http';
import sweep from 'k6/x/sweep';

const url = __ENV.HTTP_URL || 'http://127.0.0.1:8080/';

export const options = {
  discardResponseBodies: true,
  scenarios: {
    http: { executor: 'client-sweep', clients: [1, 4, 16], iterations: 200, warmup: '500ms', op: 'get' },
  },
  thresholds: {
    sweep_failed: ['count==0'],
    sweep_incomplete: ['count==0'],
    'sweep_p99{clients:16}': ['value<1000'], // ms
  },
};

export default function () {
  // No answer and an error such as 404 make it a failed operation, and so does a check that fails.
  check(http.get(url), { 'status is 200': (r) => r.status === 200 });
}

export const handleSummary = (data) => sweep.report(data);
