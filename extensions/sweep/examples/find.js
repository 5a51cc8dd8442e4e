// Finds the highest number of clients, up to 64, with p99 of at most 5 ms. For a rate instead:
//     find: { of: 'rate', p99: '5ms', max: 5000 }, preAllocatedVUs: 64
//     k6 run -e HTTP_URL=http://127.0.0.1:8080/ find.js
import http from 'k6/http';
import sweep from 'k6/x/sweep';

const url = __ENV.HTTP_URL || 'http://127.0.0.1:8080/';

export const options = {
  discardResponseBodies: true,
  scenarios: {
    find: { executor: 'client-sweep', find: { p99: __ENV.P99 || '5ms', max: 64 }, duration: '1s', op: 'get' },
  },
};

export default function () {
  http.get(url); // no answer, or an error such as 404, is a failed operation
}

export const handleSummary = (data) => sweep.report(data);
