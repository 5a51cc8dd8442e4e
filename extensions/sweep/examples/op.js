// Several kinds of operations: sweep.op measures a function as an operation with its own name,
// table row and gates, and returns the function's result.
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
    check(response, { 'as long as HEAD says': ({ body }) => String(body).length === length }); // a failed check makes it a failed operation
  });
}

export const handleSummary = (data) => sweep.report(data);
