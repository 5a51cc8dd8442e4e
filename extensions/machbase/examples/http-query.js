// Queries over HTTP, machbase-neo's /db/query, with k6/http, to measure that API. (It costs the
// server many times the processor time of the native protocol.)
//
//   MACHBASE_HTTP_URL=http://127.0.0.1:5654 bin/k6 run extensions/machbase/examples/http-query.js
import { check } from 'k6';
import http from 'k6/http';

export const options = { vus: 2, iterations: 20, thresholds: { checks: ['rate==1'] } };

const url = `${__ENV.MACHBASE_HTTP_URL}/db/query`;

export default function () {
  const q = encodeURIComponent("select name, user_id from m$sys_users where name = 'SYS'");
  const get = http.get(`${url}?q=${q}`, { tags: { name: 'query' } });
  check(get, {
    'status is 200': (r) => r.status === 200,
    'one row': (r) => r.json('data.rows.#') === 1,
  });

  const body = JSON.stringify({ q: 'select name from no_such_table' });
  const failing = http.post(url, body, {
    headers: { 'Content-Type': 'application/json' },
    responseCallback: http.expectedStatuses(500),
    tags: { name: 'query that fails' },
  });
  check(failing, {
    'it says why': (r) => r.json('success') === false && String(r.json('reason')).includes('does not exist'),
  });
}
