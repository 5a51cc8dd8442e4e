// A module of somebody else in a sweep: single calls in both forms, and many in one, judged by
// gates.
//     k6 run -e ECHO_URL=127.0.0.1:7 echo.js
import echo from 'k6/x/echo';
import sweep from 'k6/x/sweep';

const client = new echo.Client(__ENV.ECHO_URL || '127.0.0.1:7');

export const options = sweep.options({
  scenario: 'echo',
  clients: [1, 4],
  iterations: 3000,
  opNames: ['echo', 'batch', 'single'],
  gates: __ENV.GATES,
  thresholds: { 'sweep_p90{clients:4,op:echo}': ['value<1000'] }, // ms
});

export default function () {
  client.connect(); // all clients connect; then they start together
  let n = 0;
  sweep.run(() => {
    n += 1;
    if (n % 3 === 0) sweep.op('single', () => client.echo(`line ${n}`));
    else client.run({ iterations: 10, batch: n % 3 });
  });
}

/** Both forms, outside of the sweep. */
export async function setup() {
  const lines = [client.echo('one'), await client.asyncEcho('two')];
  client.close();
  return lines;
}

export const handleSummary = (data) => sweep.report(data);
