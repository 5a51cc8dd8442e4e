// ReadBulk from an MXAccess gateway: each client opens a session, registers, subscribes to the
// tags, warms up, reads them repeatedly, and closes its session. CLIENTS defaults to one; the last
// line is then the published JSON object, as scripts/read-bulk.sh expects it. Settings: see
// README.md.
//
//   scripts/servers.sh with mxgateway -- bin/k6 run scenarios/read-bulk.js
//   scripts/servers.sh with mxgateway -- bin/k6 run scenarios/read-bulk.js -e CLIENTS=1,2,5,10,20
import { sleep } from 'k6';
import exec from 'k6/execution';
import sweep from 'k6/x/sweep';
import { address, client, clientName, params, tally } from './lib/readbulk.js';
import { wholeNumber, wholeNumbers } from './lib/settings.js';
import { results, sweepOptions, sweepReport } from './lib/sweeping.js';

const clients = wholeNumbers('CLIENTS', [1], 100000);
const single = clients.length === 1 && clients[0] === 1 && wholeNumber('REPEATS', 1) === 1;

export const options = sweepOptions('read-bulk', 'readBulk', {
  clients,
  thresholds: { mxgateway_results_failed: ['count==0'] }, // tags that the gateway could not read
}, { duration: '30s' });

export function setup() {
  let version;
  try {
    version = client.backend();
    console.info(`backend: ${version}`); // on stderr, for scripts/read-bulk.sh
  } catch (e) {
    console.warn(`the gateway's version is unknown: ${e.message}`); // the clients fail for the same reason, and count it
  }
  sweep.meta({ target: { kind: 'mxgateway', version, driver: clientName, url: `grpc://${address}` }, params, results });
}

export default function () {
  try {
    tally.attempt(() => client.begin(`xk6-sweep ${exec.vu.idInTest}`));
  } catch (e) {
    quietly(client.drop);
    sleep(0.1); // limits how often k6 retries until the end of the step
    throw e;
  }
  client.work();
  quietly(client.end);
}

// Calls end after the measured phase and ignores its errors: they fail no operation.
function quietly(end) {
  try {
    end();
  } catch (e) {
    console.warn(`the session was not closed: ${e.message}`);
  }
}

export function handleSummary(data) {
  const report = sweepReport(data);
  if (single) report.stdout = `${report.stdout.trimEnd()}\n\n${JSON.stringify(tally.summary())}\n`;
  return report;
}
