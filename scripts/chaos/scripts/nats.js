// NATS: acknowledged messages of a stream, reading them back, and requests.
import nats from 'k6/x/nats';
import sweep from 'k6/x/sweep';
import { address, cell, check, nameOf, optionsOf, timeout, tls, valueOf, work } from './lib.js';

const client = new nats.Client(`nats://${address}`, {
  timeout, connectTimeout: timeout, reconnectWait: '50ms', maxReconnects: 1000, ...(tls ? { tls: { first: true } } : {}),
});
const js = client.jetStream();

export const options = optionsOf('write', 'read', 'ask');

export default function () {
  let acknowledged = null;

  const write = (i) => sweep.op('write', () => {
    const subject = `chaos.${cell}.${nameOf(i)}`;
    js.publish(subject, valueOf(subject));
    acknowledged = subject;
  });
  const read = (i) => {
    const subject = acknowledged === null ? `chaos.${cell}.${nameOf(i - 1)}` : acknowledged;
    sweep.op('read', () => {
      const message = js.getMessage('CHAOS', subject);
      check(subject, message === null ? null : message.data, subject === acknowledged);
    });
  };
  const ask = (i) => sweep.op('ask', () => {
    const key = nameOf(i);
    check(key, client.request('chaos-echo', valueOf(key)).data);
  });
  work(write, read, ask);
}

export { handleSummary, setup, teardown } from './lib.js';
