// Reads the complete stream: every acknowledged message must be in it exactly once. ACKNOWLEDGED:
// the count of each client, such as 1:20,2:30.
import { sleep } from 'k6';
import nats from 'k6/x/nats';

export const options = { setupTimeout: '60s' };

const js = new nats.Client(__ENV.SERVERS.split(','), { timeout: '5s' }).jetStream();

// Counts each message in the stream. A change of the cluster's leader ends a consumer; then it
// starts again.
function read() {
  for (let tries = 0; ; tries += 1) {
    try {
      const times = {};
      const { messages } = js.streamInfo('FAULT').state;
      const consumer = js.orderedConsumer('FAULT');
      for (let n = 0; n < messages;) {
        const got = consumer.fetch(1000);
        if (got.length === 0) throw new Error(`${n} of ${messages} messages can be read`);
        for (const { data } of got) times[data] = (times[data] || 0) + 1;
        n += got.length;
      }
      return times;
    } catch (e) {
      if (tries === 20) throw e;
      sleep(0.5);
    }
  }
}

// In setup, because an exception there ends the run with its own exit code.
export function setup() {
  const times = read();
  for (const [data, n] of Object.entries(times)) if (n !== 1) throw new Error(`${data} is in the stream ${n} times`);
  let sum = 0;
  for (const [vu, n] of __ENV.ACKNOWLEDGED.split(',').map((one) => one.split(':').map(Number))) {
    for (let i = 0; i < n; i += 1) if (!times[`${vu}-${i}`]) throw new Error(`${vu}-${i} was acknowledged and is not in the stream`);
    sum += n;
  }
  console.log(`ALL ${sum} ARE THERE, AND ${Object.keys(times).length - sum} MORE`);
}

export default function () {}
