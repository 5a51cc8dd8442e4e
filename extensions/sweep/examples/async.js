// An async function: all clients connect, wait for each other, and start together. Each call after
// the first one is an operation.
//     k6 run -e HTTP_URL=http://127.0.0.1:8080/ async.js
import http from 'k6/http';
import sweep from 'k6/x/sweep';

const url = __ENV.HTTP_URL || 'http://127.0.0.1:8080/';

export const options = sweep.options({
  scenario: 'async', clients: [1, 4], iterations: 50, thresholds: { 'sweep_p95{clients:4}': ['value<1000'] }, // ms
});

export default async function () {
  await sweep.ready();
  await Promise.all([http.asyncRequest('GET', url), http.asyncRequest('HEAD', url)]);
}
