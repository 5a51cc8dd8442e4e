// sweep.run with the behaviour of a test.
import exec from 'k6/execution';
import http from 'k6/http';
import timers, { setInterval as every } from 'k6/timers';
import { sleep } from 'k6';
import sweep from 'k6/x/sweep';

const clients = JSON.parse(__ENV.CLIENTS || '[2]');

export const options = {
  scenarios: {
    run: {
      executor: 'client-sweep',
      clients,
      iterations: Number(__ENV.ITERATIONS || 10),
      maxDuration: __ENV.MAX_DURATION || '20s',
      gracefulStop: __ENV.GRACEFUL_STOP || '1s',
      op: 'work',
    },
  },
  thresholds: {
    sweep_failed: ['count==0'],
    sweep_incomplete: ['count==0'],
    [`sweep_max{op:work,clients:${clients[clients.length - 1]}}`]: ['value<10000'],
  },
};

const later = async () => { await Promise.resolve(); };

const works = {
  ok: () => {},
  slow: () => sleep(0.3),
  throws: () => { throw new TypeError('no good'); },
  aborts: () => exec.test.abort('enough'),
  promises: () => Promise.resolve(),
  'promises in a duet': { base: () => sleep(0.001), change: () => Promise.resolve() },
  'a timer': () => { setTimeout(() => {}, 1); },
  'a timer of the module': () => { timers.setTimeout(() => {}, 1); },
  'an interval of the module': () => { const id = every(() => timers.clearInterval(id), 1); },
  'a request': () => { http.asyncRequest('GET', __ENV.URL); },
  'a promise of ours': () => { sweep.ready(); },
  'an asynchronous function': () => { later(); },
  stuck: () => { for (;;) sleep(0.1); }, // for ever; only the end of the step wakes it early
};

export default function () {
  if (__ENV.BEFORE === 'throws' && exec.vu.idInTest === 1) throw new Error('cannot connect');
  if (__ENV.BEFORE === 'returns' && exec.vu.idInTest === 1) return;
  sweep.run(works[__ENV.WORK || 'ok']);
  if (__ENV.TWICE) sweep.run(works.ok);
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
