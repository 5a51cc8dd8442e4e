// What the scripts of all protocols have in common. scripts/chaos runs them, and says with -e where
// and how.
import { sleep } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';
import sweep from 'k6/x/sweep';

/** host:port, or a URL where the protocol has those: the proxy's. */
export const address = __ENV.ADDRESS;

/** Whether the proxy speaks TLS. */
export const tls = __ENV.TLS === 'true';

/** How long an operation may take, and connecting. */
export const timeout = __ENV.TIMEOUT;

/** The cell's own name, with which all begins that it writes. */
export const cell = __ENV.CELL;

const pace = Number(__ENV.PACE);       // seconds between two operations of a client
const forgets = __ENV.FORGETS === 'true'; // what was acknowledged may be gone: see scripts/chaos
const garbled = __ENV.GARBLED === 'true'; // the proxy changes replies

let next = 0; // number of the client's next operation, of all steps

/** Tells scripts/chaos what must never be. */
export function wrong(what) {
  console.error(`CHAOS: ${what}`);
}

/** The only value that is ever written under a key. */
export function valueOf(key) {
  return `value of ${key} ${'x'.repeat(40)}`;
}

/**
 * Holds what came for a key, null for nothing, against what was written; throws where the operation
 * has failed by it. A key that was not acknowledged may be there or not.
 */
export function check(key, value, acknowledged = true) {
  if (value === valueOf(key)) return;
  if (value === null) {
    if (acknowledged && !forgets && !garbled) wrong(`${key} was acknowledged and is lost`);
    throw new Error('the key is not there');
  }
  const other = /^value of (\S+) x+$/.exec(value);
  if (other) wrong(`the answer for ${key} is that of ${other[1]}`);
  else if (!garbled) wrong(`the answer for ${key} is ${JSON.stringify(value)}`);
  throw new Error('the answer is not the one that was asked for');
}

/** k6's options of a cell: a step in which some clients do operations of these kinds. */
export function optionsOf(...ops) {
  return {
    ...sweep.options({
      scenario: 'chaos',
      clients: [Number(__ENV.CLIENTS)],
      iterations: Number(__ENV.ITERATIONS),
      opNames: ops,
      maxDuration: __ENV.MAX_DURATION,
      repeats: Number(__ENV.REPEATS),
      quiet: '0s',
      onError: 'continue', // also where nothing ever succeeds
      gracefulStop: '1s',
    }),
    dns: { ttl: '0', policy: __ENV.PREFER }, // names are asked for anew
    setupTimeout: '5s',
    teardownTimeout: '10s',
  };
}

/** Calls each of the functions in turn, as the operations of a client. */
export function work(...functions) {
  sweep.run(() => {
    if (pace) sleep(pace);
    const number = next;
    next += 1; // whether it fails or not
    functions[number % functions.length](number);
  });
}

/** The name of a client's operation number i, which no other has. */
export function nameOf(i) {
  return `${cell}-${exec.vu.idInTest}-${i}`;
}

/** Writes a key and, in the next turn, reads the last one whose writing was acknowledged. */
export function writeAndRead(write, read) {
  let acknowledged;

  return [
    (i) => sweep.op('write', () => {
      write(nameOf(i), valueOf(nameOf(i)));
      acknowledged = nameOf(i);
    }),
    (i) => {
      const key = acknowledged === undefined ? nameOf(i - 1) : acknowledged;
      sweep.op('read', () => check(key, read(key), key === acknowledged));
    },
  ];
}

/** Writes some keys in Go, commands ahead of their answers, and reads them back in the same way. */
export function runs(client) {
  const keys = { prefix: `${cell}:${next}:`, count: 100000, distribution: 'sequential' };
  const pipeline = __ENV.PIPELINE === undefined ? {} : { pipeline: Number(__ENV.PIPELINE) };
  const each = { iterations: 4, keys, ...pipeline };
  let failed = false;

  return [
    () => {
      const result = client.run({ ...each, mix: { set: 1 } });
      failed = failed || result.failed > 0 || result.succeeded < each.iterations;
    },
    () => {
      const result = client.run({ ...each, mix: { get: 1 } });
      if (result.wrong > 0 && !garbled) wrong(`${result.wrong} answers of a run are not those of their keys`);
      if (result.misses > 0 && !failed && !forgets && !garbled) wrong(`${result.misses} keys of a run were acknowledged and are lost`);
      failed = failed || result.failed > 0 || result.succeeded < each.iterations;
    },
  ];
}

/** Where the steps that are done are kept, whatever ends k6. */
export function setup() {
  sweep.meta({ results: __ENV.RESULTS });
}

/** All clients have ended: scripts/chaos looks at what they have left. */
export function teardown() {
  http.get(`${__ENV.CONTROL}/ended`, { timeout: '8s' });
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
