// Messages of core NATS, 1 to 512 clients: publishing, publish-subscribe and request-reply, one
// after the other. Settings: see README.md.
//   publish  an operation is BATCH messages to a subject that nobody listens to, and the server's word that it has them
//   pubsub   an operation (deliver) is one message from when it was sent until it was taken, BATCH of them at a time; a lost one has failed
//   request  an operation is a request to a service of the same machine, and its answer
//
//   scripts/servers.sh with nats -- bin/k6 run scenarios/nats-core.js -e WORK=request
import exec from 'k6/execution';
import sweep from 'k6/x/sweep';
import { newClient, oneScenario, target } from './lib/nats.js';
import { duration, oneOf, wholeNumber } from './lib/settings.js';
import { oneAfterAnother, results, sweepOptions, sweepReport, tenSeconds } from './lib/sweeping.js';
import { ratesOf } from './lib/tables.js';

const scenario = 'nats-core';

const works = {
  publish: { op: 'publish', batch: 10000, run: publish },
  pubsub: { op: 'deliver', batch: 100, run: deliver },
  request: { op: 'request', batch: 1000, run: request },
};
const asked = oneOf('WORK', [...Object.keys(works), 'all'], 'all');
const names = asked === 'all' ? Object.keys(works) : [asked];
const nameOf = (name) => (names.length > 1 ? `${scenario}-${name}` : scenario);
oneScenario(names, 'WORK');

const batch = wholeNumber('BATCH', undefined, 1, 100000);
const batchOf = (name) => batch || works[name].batch;
const data = 'x'.repeat(wholeNumber('VALUE', 100, 1, 1048576));
const within = duration('TIMEOUT', '60s');

const client = newClient();
const stamping = newClient({ stamp: true });
const services = newClient({ connection: 'shared' }); // one connection has the services of all clients

export const options = oneAfterAnother(names.map(nameOf), (sweepName, after, i) => {
  const { op } = works[names[i]];
  return sweepOptions(sweepName, op, { ...(op === 'publish' ? {} : { opNames: [op] }), env: { PART: names[i] }, ...after }, tenSeconds);
});

export function setup() {
  client.connect();
  for (const name of names) {
    sweep.meta({
      scenario: nameOf(name),
      target: target(client),
      params: { work: name, value: data.length, ...(name === 'request' ? {} : { batch: batchOf(name) }) },
      results,
    });
  }
}

export default function () {
  const name = __ENV.PART;
  works[name].run(`xk6-sweep.${name}.${exec.vu.idInTest}`, batchOf(name));
}

function publish(subject, count) {
  client.connect();
  const batched = Object.freeze({ iterations: count });
  sweep.run(() => {
    client.publishBatch(subject, data, batched);
    client.flush();
  });
}

function deliver(subject, count) {
  const incoming = stamping.subscribe(subject, { pending: Math.max(count, 1000) });
  const batched = Object.freeze({ iterations: count });
  const each = Object.freeze({ each: true, discard: true, timeout: within });
  sweep.run(() => {
    stamping.publishBatch(subject, data, batched);
    incoming.fetch(count, each);
  });
  incoming.close();
}

function request(subject, count) {
  const service = services.respond(subject);
  client.connect();
  const batched = Object.freeze({ iterations: count });
  sweep.run(() => client.requestBatch(subject, data, batched));
  service.close();
}

/** The report, and the messages a second of publishing, whose operations are batches. */
export function handleSummary(data) {
  return sweepReport(data, ({ scenario: name, steps }) => (name === nameOf('publish') ? [ratesOf('messages', steps)] : []));
}
