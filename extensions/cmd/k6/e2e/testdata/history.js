// An operation is a request to URL.
import http from 'k6/http';
import sweep from 'k6/x/sweep';

export const options = sweep.options({ scenario: 'history', clients: [2], iterations: 15, op: 'get', quiet: '0s' });

export default function () {
  sweep.run(() => http.get(__ENV.URL));
}
