// Thresholds and scenarios of a test.
import { sleep } from 'k6';
import exec from 'k6/execution';
import { Counter, Rate, Trend } from 'k6/metrics';
import 'k6/x/machbase';
import sweep from 'k6/x/sweep';

new Counter('a_counter');
new Rate('a_rate');
new Trend('a_trend', true);

const given = (name) => JSON.parse(__ENV[name] || '{}');
const swept = __ENV.SWEEP ? sweep.options(given('SWEEP')) : { scenarios: {}, thresholds: {} };

export const options = {
  scenarios: { ...swept.scenarios, ...given('SCENARIOS') },
  thresholds: { ...swept.thresholds, ...given('THRESHOLDS') },
};

let repeat = 0;

const works = {
  ok: () => sleep(0.001),
  fails: () => { throw new Error('on purpose'); },
  // The slow one ends first, the fast one last.
  kinds: () => {
    sweep.op('a_slow', () => sleep(0.03));
    sweep.op('quick', () => sleep(0.001));
  },
  // The last repeat is the fastest.
  quicker: () => sleep(repeat === 3 ? 0.001 : 0.03),
  // Of 4 clients and 1 client, the last step is the fastest.
  crowd: () => sleep(exec.vu.metrics.tags.clients === '4' ? 0.03 : 0.001),
};

export default function () {
  repeat += 1;
  sweep.run(works[__ENV.WORK || 'ok']);
}

export function pulse() {
  sweep.op('nap', () => sleep(0.01));
}

// Besides the report, k6's own threshold results.
export const handleSummary = (data) => {
  const marks = Object.entries(data.metrics).flatMap(([name, { thresholds = {} }]) =>
    Object.entries(thresholds).map(([expression, { ok }]) => `k6 says ${ok ? 'held' : 'crossed'}: ${name} ${expression}\n`));
  const files = sweep.report(data, { dir: __ENV.RESULTS });
  return { ...files, stdout: (files.stdout || '') + marks.join('') };
};
