// Publishes numbered messages, with ids, to a stream of three copies. A message without
// acknowledgement is published again with the same id. Prints each client's number of acknowledged
// messages, starting from 0, and the age of the last one.
import { sleep } from 'k6';
import sweep from 'k6/x/sweep';
import nats from 'k6/x/nats';

export const options = {
  ...sweep.options({ scenario: 'publish', clients: [4], duration: '20s', maxDuration: '60s' }),
  setupTimeout: '60s',
};

// All connect to the first server, which leads the stream.
const client = new nats.Client(__ENV.SERVERS.split(','), { noRandomize: true, timeout: '2s', reconnectWait: '100ms', maxReconnects: -1 });
const js = client.jetStream();

function until(condition) {
  for (let tries = 0; ; tries += 1) {
    try {
      if (condition()) return;
    } catch (e) {
      if (tries > 200) throw e;
    }
    sleep(0.1);
  }
}

export function setup() {
  until(() => js.ensureStream({ name: 'FAULT', subjects: ['fault.>'], numReplicas: 3, duplicateWindow: '2m' }));
  until(() => {
    if (js.streamInfo('FAULT').cluster.leader === 'server-0') return true;
    client.request('$JS.API.STREAM.LEADER.STEPDOWN.FAULT', JSON.stringify({ placement: { preferred: 'server-0' } }));
    return false;
  });
}

export default function () {
  client.connect();
  let acknowledged = 0;
  let last = 0;
  sweep.run(() => {
    sleep(0.01);
    try {
      js.publish(`fault.${__VU}`, `${__VU}-${acknowledged}`, { msgID: `${__VU}-${acknowledged}` });
    } catch (e) {
      sleep(0.05); // a reasonable rate
      throw e;
    }
    acknowledged += 1;
    last = Date.now();
  });
  console.log(`ACKNOWLEDGED ${__VU} ${acknowledged} ${Date.now() - last}`);
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
