// Measures GETs per second from an HTTP server, and their latency, with 1, 4 and 16 clients. The
// executor repeats the function below. Its first call in each step opens the connection and is not
// measured. Each step lasts DURATION, 5 s by default.
//     k6 run http.js -e HTTP_URL=http://127.0.0.1:8080/ -e CLIENTS=1,8,32 -e DURATION=10s
import { check } from 'k6';
import http from 'k6/http';
import sweep from 'k6/x/sweep';

const url = __ENV.HTTP_URL || 'http://127.0.0.1:8080/';

export const options = {
  ...sweep.options({ scenario: 'http', op: 'get', clients: [1, 4, 16], duration: '5s', warmup: '1s' }),
  discardResponseBodies: true,
  throw: true, // a missing answer is an exception, and not a line in the log
};

export function setup() {
  sweep.meta({ target: { kind: 'http', url } });
}

export default function () {
  // A missing answer, an error such as 404, or a failed check makes it a failed operation.
  check(http.get(url), { 'status is 200': (r) => r.status === 200 });
}

export const handleSummary = (data) => sweep.report(data); // the table here, files in results/
