// The line protocol of InfluxDB over HTTP with k6/http: machbase-neo's /metrics/write writes each
// field to the tag table of ?db=, as the tag MEASUREMENT.FIELD.
//
//   MACHBASE_HTTP_URL=http://127.0.0.1:5654 bin/k6 run extensions/machbase/examples/http-line-protocol.js
import { check } from 'k6';
import http from 'k6/http';

export const options = { vus: 2, iterations: 10, thresholds: { checks: ['rate==1'] } };

const base = __ENV.MACHBASE_HTTP_URL;
const table = 'example_line_protocol';

function sql(q) {
  const response = http.get(`${base}/db/query?q=${encodeURIComponent(q)}`, { tags: { name: 'sql' } });
  if (response.status !== 200) {
    throw new Error(`${q}: ${response.json('reason')}`);
  }
  return response.json('data.rows');
}

export function setup() {
  sql(`create tag table ${table} (name varchar(80) primary key, time datetime basetime, value double)`);
}

export default function () {
  const begin = BigInt(Date.now()) * 1000000n;
  const lines = Array.from({ length: 100 }, (_, i) => `vu${__VU} cpu=${i},memory=${2 * i} ${begin + BigInt(i)}`);
  const response = http.post(`${base}/metrics/write?db=${table}`, lines.join('\n'), { tags: { name: 'line protocol' } });
  check(response, { 'status is 204': (r) => r.status === 204 });
}

export function teardown() {
  sql(`exec table_flush(${table})`);
  console.log(`${sql(`select count(*) from ${table}`)} rows`);
  sql(`drop table ${table}`);
}
