// TQL, machbase-neo's language for transformations, over HTTP with k6/http: the TQL script is
// the body of a request to /db/tql.
//
//   MACHBASE_HTTP_URL=http://127.0.0.1:5654 bin/k6 run extensions/machbase/examples/http-tql.js
import { check } from 'k6';
import http from 'k6/http';

export const options = { vus: 2, iterations: 20, thresholds: { checks: ['rate==1'] } };

const tql = `
SQL("select name, user_id from m$sys_users where name = 'SYS'")
MAPVALUE(1, value(1) * 100)
CSV()
`;

export default function () {
  const response = http.post(`${__ENV.MACHBASE_HTTP_URL}/db/tql`, tql, { tags: { name: 'tql' } });
  check(response, {
    'status is 200': (r) => r.status === 200,
    'the row is transformed': (r) => String(r.body).trim() === 'SYS,100',
  });
}
