// Writes over HTTP, machbase-neo's /db/write, with k6/http. The example does not drop the
// table: with method=append the server keeps an appender open on it for some time.
//
//   MACHBASE_HTTP_URL=http://127.0.0.1:5654 bin/k6 run extensions/machbase/examples/http-write.js
import { check } from 'k6';
import http from 'k6/http';

export const options = { vus: 2, iterations: 10, thresholds: { checks: ['rate==1'] } };

const base = __ENV.MACHBASE_HTTP_URL;
const table = 'example_http_write';
const rows = 100; // per request

function sql(q) {
  const response = http.get(`${base}/db/query?q=${encodeURIComponent(q)}`, { tags: { name: 'sql' } });
  if (response.status !== 200) {
    throw new Error(`${q}: ${response.json('reason')}`);
  }
  return response.json('data.rows');
}

export function setup() {
  sql(`create tag table if not exists ${table} (name varchar(20) primary key, time datetime basetime, value double)`);
}

export default function () {
  const begin = BigInt(Date.now()) * 1000000n; // in nanoseconds, unless ?timeformat= says otherwise
  const lines = Array.from({ length: rows }, (_, i) => `["vu-${__VU}",${begin + BigInt(i)},${Math.sin(i)}]`);
  const body = `{"data":{"columns":["name","time","value"],"rows":[${lines.join(',')}]}}`;
  const response = http.post(`${base}/db/write/${table}?method=append`, body, {
    headers: { 'Content-Type': 'application/json' },
    tags: { name: 'write' },
  });
  check(response, {
    'status is 200': (r) => r.status === 200,
    'it is a success': (r) => r.json('success') === true,
  });
}

export function teardown() {
  sql(`exec table_flush(${table})`);
  console.log(`${sql(`select count(*) from ${table}`)} rows`);
}
