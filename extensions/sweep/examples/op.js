// Operations of several kinds: sweep.op times a piece of JavaScript as an operation of its own
// name, with its own line in the table and its own gates, and returns what the piece returns.
//     k6 run -e HTTP_URL=http://127.0.0.1:8080/ op.js
import { check } from 'k6';
import http from 'k6/http';
import sweep from 'k6/x/sweep';

const url = __ENV.HTTP_URL || 'http://127.0.0.1:8080/';

export const options = {
  scenarios: {
    op: { executor: 'client-sweep', clients: [1, 4], iterations: 300, opNames: ['head', 'get'] },
  },
  thresholds: {
    sweep_failed: ['count==0'],
    sweep_incomplete: ['count==0'],
    'sweep_p95{clients:4,op:head}': ['value<1000'], // ms
    'sweep_p95{clients:4,op:get}': ['value<1000'],
  },
};

export default function () {
  const head = sweep.op('head', () => http.head(url));
  const length = Number(head.headers['Content-Length']);
  sweep.op('get', () => {
    const response = http.get(url);
    check(response, { 'as long as HEAD says': ({ body }) => String(body).length === length }); // else the operation has failed
  });
}

export const handleSummary = (data) => sweep.report(data);
