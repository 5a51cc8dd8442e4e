// Publishes, and subscribes in two ways: with a callback on k6's event loop, and with next().
//
//   NATS_URL=nats://127.0.0.1:4222 bin/k6 run extensions/nats/examples/core.js
import nats from 'k6/x/nats';

export const options = {
  vus: 2,
  iterations: 20,
  thresholds: { nats_errors: ['count==0'], nats_messages_received: ['count>0'], nats_delivery_latency: ['p(99)<1000'] },
};

// One connection per VU, opened by its first operation and closed when the test ends.
const client = new nats.Client(__ENV.NATS_URL, { name: 'example', stamp: true });

export default async function () {
  const subject = `example.core.${__VU}.${__ITER}`;

  const queue = client.subscribe(subject);
  client.publish(subject, 'a text', { headers: { Kind: 'greeting' } });
  client.publish(subject, new Uint8Array([0, 1, 255]));
  const first = queue.next('1s');
  if (first.data !== 'a text' || first.headers.Kind !== 'greeting' || queue.next('1s').raw.byteLength !== 3) {
    throw new Error('it did not come as it was sent');
  }

  client.publishBatch(subject, 'many', { iterations: 1000 }); // in Go
  if (queue.fetch(1000, { discard: true }) !== 1000) {
    throw new Error('messages are missing');
  }
  queue.close();

  let seen = 0;
  const all = client.subscribe(`example.core.${__VU}.>`, () => {
    seen += 1;
    if (seen === 10) {
      all.close(); // the iteration ends with it
    }
  });
  client.publishBatch(subject, 'x', { iterations: 10 });
}
