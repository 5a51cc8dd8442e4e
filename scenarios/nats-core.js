// Messages of core NATS under 1 to 512 clients: publish, publish-subscribe and request-reply, one
// after another. Settings: see README.md. An operation is:
//   publish  BATCH messages to a subject without subscribers, acknowledged by a flush
//   pubsub   (deliver) one message, from publish to receive, in batches; a lost one has failed
//   request  a request to a service on the same machine, and its answer
//
//   scripts/servers.sh with nats -- bin/k6 run scenarios/nats-core.js -e WORK=request
import exec from 'k6/execution';
import sweep from 'k6/x/sweep';
import { newBase, newClient, oneScenario, target } from './lib/nats.js';
import { bytes, duration, oneOf, wholeNumber } from './lib/settings.js';
import { fileName, oneAfterAnother, results, run, sweepOptions, sweepReport, tenSeconds } from './lib/sweeping.js';
import { ratesOf } from './lib/tables.js';

const scenario = 'nats-core';

const works = {
  publish: { op: 'publish', batch: 10000, work: publish },
  pubsub: { op: 'deliver', batch: 100, work: deliver },
  request: { op: 'request', batch: 1000, work: request },
};
const asked = oneOf('WORK', [...Object.keys(works), 'all'], 'all');
const names = asked === 'all' ? Object.keys(works) : [asked];
const nameOf = (name) => (names.length > 1 ? `${scenario}-${name}` : scenario);
oneScenario(names, 'WORK');

const make = () => ({
  batch: wholeNumber('BATCH', undefined, 1, 100000),
  data: 'x'.repeat(bytes('VALUE', 100, 1, 1048576)),
  within: duration('TIMEOUT', '60s'),
  client: newClient(),
  stamping: newClient({ stamp: true }),
  services: newClient({ connection: 'shared' }), // one connection for the services of all clients
});
const change = make();
const base = newBase(['BATCH', 'VALUE'], make);
const batchOf = ({ batch }, name) => batch || works[name].batch;
const facts = (variant, name) => ({ value: variant.data.length, ...(name === 'request' ? {} : { batch: batchOf(variant, name) }) });

export const options = oneAfterAnother(names.map(nameOf), (sweepName, after, i) => {
  const { op } = works[names[i]];
  return sweepOptions(sweepName, op, { ...(op === 'publish' ? {} : { opNames: [op] }), env: { PART: names[i] }, ...after }, tenSeconds);
});

export function setup() {
  change.client.connect();
  if (base) base.client.connect();
  for (const name of names) {
    sweep.meta({
      scenario: nameOf(name),
      target: target(change.client),
      params: { work: name, ...facts(change, name) },
      results,
      name: fileName(scenario, name, base),
    });
    if (base) sweep.meta({ scenario: nameOf(name), base: { ...target(base.client, base.url), ...facts(base, name) } });
  }
}

export default function () {
  const name = __ENV.PART;
  const subject = `xk6-sweep.${name}.${exec.vu.idInTest}`;
  const variants = [change, ...(base ? [base] : [])].map((variant, i) => works[name].work(variant, `${subject}.${i}`, batchOf(variant, name)));
  run(variants[0].operation, variants[1] && variants[1].operation);
  for (const { close } of variants) close();
}

function publish({ client, data }, subject, count) {
  client.connect();
  const batched = Object.freeze({ iterations: count });
  return {
    operation: () => {
      client.publishBatch(subject, data, batched);
      client.flush();
    },
    close: () => {},
  };
}

function deliver({ stamping, data, within }, subject, count) {
  const incoming = stamping.subscribe(subject, { pending: Math.max(count, 1000) });
  const batched = Object.freeze({ iterations: count });
  const each = Object.freeze({ each: true, discard: true, timeout: within });
  return {
    operation: () => {
      stamping.publishBatch(subject, data, batched);
      incoming.fetch(count, each);
    },
    close: () => incoming.close(),
  };
}

function request({ client, services, data }, subject, count) {
  const service = services.respond(subject);
  client.connect({ runs: true });
  const batched = Object.freeze({ iterations: count });
  return { operation: () => client.requestBatch(subject, data, batched), close: () => service.close() };
}

/**
 * Returns the report, and for publish the messages per second, since its operations are batches.
 */
export function handleSummary(data) {
  return sweepReport(data, ({ scenario: name, steps }) => (names.includes('publish') && name === nameOf('publish') ? [ratesOf('messages', steps)] : []));
}
