// ReadBulk from an MXAccess gateway: each client opens a session, registers, subscribes to the
// tags, warms up, reads them all again and again, and ends its session. One client unless CLIENTS
// says otherwise; then the last line is the published JSON object, for scripts/read-bulk.sh and its
// like. Settings: see README.md.
//
//   scripts/servers.sh with mxgateway -- bin/k6 run scenarios/read-bulk.js
//   scripts/servers.sh with mxgateway -- bin/k6 run scenarios/read-bulk.js -e CLIENTS=1,2,5,10,20,64
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
  thresholds: { mxgateway_results_failed: ['count==0'] }, // tags that could not be read
}, { duration: '30s' });

export function setup() {
  let version;
  try {
    version = client.backend();
    console.info(`backend: ${version}`); // on stderr, for scripts/read-bulk.sh
  } catch (e) {
    console.warn(`what the gateway is remains unknown: ${e.message}`); // the clients will tell, and count
  }
  sweep.meta({ target: { kind: 'mxgateway', version, driver: clientName, url: `grpc://${address}` }, params, results });
}

export default function () {
  try {
    tally.attempt(() => client.begin(`xk6-sweep ${exec.vu.idInTest}`));
  } catch (e) {
    quietly(client.drop);
    sleep(0.1); // k6 tries again until the step is over: not more often than this
    throw e;
  }
  client.work();
  quietly(client.end);
}

// Ends what is to be ended after the measured phase, where a failure is none of an operation.
function quietly(end) {
  try {
    end();
  } catch (e) {
    console.warn(`the session did not end as it should: ${e.message}`);
  }
}

export function handleSummary(data) {
  const report = sweepReport(data);
  if (single) report.stdout = `${report.stdout.trimEnd()}\n\n${JSON.stringify(tally.summary())}\n`;
  return report;
}
