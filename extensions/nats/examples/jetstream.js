// A stream: single and batch publications with acknowledgements, and consumers.
//
//   NATS_URL=nats://127.0.0.1:4222 bin/k6 run extensions/nats/examples/jetstream.js
import nats from 'k6/x/nats';

export const options = {
  vus: 2,
  iterations: 20,
  thresholds: { 'nats_op_duration{op:js.publish}': ['p(99)<1000'], nats_errors: ['count==0'] },
};

const stream = 'EXAMPLE';
const js = new nats.Client(__ENV.NATS_URL).jetStream({ maxPending: 500 });

export function setup() {
  js.ensureStream({ name: stream, subjects: ['example.stream.>'], storage: 'memory', maxAge: '10m', duplicateWindow: '1m' });
}

export default async function () {
  const subject = `example.stream.${__VU}.${__ITER}`;

  const { sequence } = js.publish(subject, 'first', { msgID: subject });
  if (!js.publish(subject, 'first', { msgID: subject }).duplicate) {
    throw new Error('the stream has it twice');
  }
  js.publish(subject, 'second', { expectLastSequenceForSubject: sequence });
  js.publishBatch(subject, 'more', { iterations: 998 }); // in Go, up to maxPending without an acknowledgement

  const consumer = js.createConsumer(stream, { filterSubject: subject, ackPolicy: 'explicit', inactiveThreshold: '1m' });
  const [first, second] = consumer.fetch(2);
  first.ack();
  second.nak(); // asks for another delivery
  const rest = consumer.fetch(999, { ack: true, discard: true }); // in Go
  if (rest !== 999) {
    throw new Error(`${rest} of 999 messages`);
  }

  /** @type {number | bigint} */
  let last = 0;
  const ordered = js.orderedConsumer(stream, { filterSubjects: [subject] }).consume((m) => {
    if (m.sequence <= last) {
      throw new Error('out of order');
    }
    last = m.sequence;
    if (m.pending === 0) {
      ordered.close(); // the iteration ends with it
    }
  });
}

export function teardown() {
  js.deleteStream(stream);
}
