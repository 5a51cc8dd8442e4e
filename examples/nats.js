// Measures requests per second over NATS, and their latency, with 1, 4 and 16 clients. This k6
// also runs the service that answers, over another connection. Each step lasts DURATION, 5 s by
// default.
//     k6 run nats.js -e NATS_URL=nats://127.0.0.1:4222 -e CLIENTS=1,8,32 -e DURATION=10s
import nats from 'k6/x/nats';
import sweep from 'k6/x/sweep';

const url = __ENV.NATS_URL || 'nats://127.0.0.1:4222';

const client = new nats.Client(url);
const services = new nats.Client(url, { connection: 'shared' }); // one connection for the services of all clients
const text = 'x'.repeat(100);

export const options = sweep.options({ scenario: 'nats', op: 'request', clients: [1, 4, 16], duration: '5s', warmup: '1s' });

export function setup() {
  sweep.meta({ target: { kind: 'nats', url } });
}

export default function () {
  const subject = `xk6-sweep.${__VU}`;
  const service = services.respond(subject);
  client.connect(); // all clients of a step connect; then they start together
  sweep.run(() => { // one call is one operation
    client.request(subject, text);
  });
  service.close();
}

export const handleSummary = (data) => sweep.report(data); // the table here, files in results/
