// Starts 100, then 500 operations per second, whether earlier ones have ended or not, as users of a
// website do. Latency starts when an operation is due, so it includes the wait for a slow server.
//     k6 run -e HTTP_URL=http://127.0.0.1:8080/ open-loop.js
import http from 'k6/http';
import sweep from 'k6/x/sweep';

const url = __ENV.HTTP_URL || 'http://127.0.0.1:8080/';

export const options = {
  discardResponseBodies: true,
  scenarios: {
    'open-loop': { executor: 'client-sweep', rate: [100, 500], preAllocatedVUs: 8, duration: '3s', op: 'get' },
  },
  thresholds: {
    sweep_failed: ['count==0'],
    sweep_incomplete: ['count==0'], // 8 clients are too few if a due operation did not start
    'sweep_p99{rate:500}': ['value<1000'], // ms
  },
};

export default function () {
  http.get(url); // no answer, or an error such as 404, is a failed operation
}

export const handleSummary = (data) => sweep.report(data);
