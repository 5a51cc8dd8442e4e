// Common code of the scripts of all protocols. scripts/chaos runs them with settings in -e.
import { sleep } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';
import sweep from 'k6/x/sweep';

/** host:port or URL of the proxy. */
export const address = __ENV.ADDRESS;

/** Whether the proxy uses TLS. */
export const tls = __ENV.TLS === 'true';

/** Time limit of an operation, and of connecting. */
export const timeout = __ENV.TIMEOUT;

/** The name of the cell, and prefix of all its keys. */
export const cell = __ENV.CELL;

const pace = Number(__ENV.PACE);       // seconds between two operations of a client
const forgets = __ENV.FORGETS === 'true'; // acknowledged data may be lost: see scripts/chaos
const garbled = __ENV.GARBLED === 'true'; // the proxy changes replies

let next = 0; // number of the client's next operation, over all steps

/** Reports a forbidden result to scripts/chaos. */
export function wrong(what) {
  console.error(`CHAOS: ${what}`);
}

/** Returns the only value that is written under a key. */
export function valueOf(key) {
  return `value of ${key} ${'x'.repeat(40)}`;
}

/**
 * Compares the value of a key, null for none, with the written one; throws if the operation has
 * failed. A key that was not acknowledged may exist or not.
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

/** Returns k6's options for a cell: one step with these kinds of operations. */
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
      onError: 'continue', // even if no operation succeeds
      gracefulStop: '1s',
    }),
    dns: { ttl: '0', policy: __ENV.PREFER }, // resolve names again each time
    setupTimeout: '5s',
    teardownTimeout: '10s',
  };
}

/** Calls the functions in turn, as the operations of a client. */
export function work(...functions) {
  sweep.run(() => {
    if (pace) sleep(pace);
    const number = next;
    next += 1; // even if it fails
    functions[number % functions.length](number);
  });
}

/** Returns a unique name for a client's operation number i. */
export function nameOf(i) {
  return `${cell}-${exec.vu.idInTest}-${i}`;
}

/** Alternates between writing a key and reading the last acknowledged one. */
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

/** Writes keys in Go with pipelined commands, and reads them back. */
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

/** Enables the journal of completed steps. */
export function setup() {
  sweep.meta({ results: __ENV.RESULTS });
}

/** After the end of all clients, scripts/chaos checks for leaks. */
export function teardown() {
  http.get(`${__ENV.CONTROL}/ended`, { timeout: '8s' });
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
