// Each client takes longer to connect than the previous one.
import exec from 'k6/execution';
import { Counter } from 'k6/metrics';
import sweep from 'k6/x/sweep';

const connected = new Counter('connected');
const worked = new Counter('worked');

export const options = sweep.options({ scenario: 'ready', clients: [4], iterations: 10, quiet: '0s' });

const after = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

let there = false;

export default async function () {
  if (!there) {
    await after(100 * exec.vu.idInTest);
    connected.add(1);
    there = true;
  }
  await sweep.ready();
  worked.add(1);
  await after(1);
}
