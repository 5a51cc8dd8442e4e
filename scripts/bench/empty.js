// Operations of nothing: what sweep.run itself costs. No server. See scripts/bench.sh.
import sweep from 'k6/x/sweep';

export const options = sweep.options({
  scenario: 'empty',
  clients: [Number(__ENV.CLIENTS)],
  iterations: Number(__ENV.ITERATIONS),
});

export default function () {
  sweep.run(() => {});
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
