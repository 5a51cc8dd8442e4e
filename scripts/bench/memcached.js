// Gets of 100 bytes from memcached. FORM: run (client.run), call (one JavaScript call per get) or
// pipeline (client.run with pipelines of 50 gets).
import memcached from 'k6/x/memcached';
import sweep from 'k6/x/sweep';
import { report, step, target } from './step.js';

const client = new memcached.Client(__ENV.MEMCACHED_URL);
const count = 10000;
const work = { duration: '1h', mix: { get: 1 }, keys: { count }, values: 100, pipeline: __ENV.FORM === 'pipeline' ? 50 : 1 };
const value = 'x'.repeat(100);
const key = (i) => `call:${i}`;

export const options = step('get');

export function setup() {
  target('memcached', __ENV.MEMCACHED_URL);
  if (__ENV.FORM !== 'call') return;
  for (let i = 0; i < count; i += 1) client.set(key(i), value);
}

function get() {
  if (client.get(key(Math.floor(Math.random() * count))) !== value) throw new Error('get gave another value than was set');
}

export default function () {
  client.connect();
  if (__ENV.FORM === 'call') {
    sweep.run(get);
  } else {
    client.prefill(work); // writes this client's share of the keys
    sweep.run(() => client.run(work));
  }
}

export const handleSummary = report;
