// Messages of core NATS under 1 to 512 clients: publish, publish-subscribe and request-reply, one
// after another. Settings: see README.md. An operation is:
//   publish  BATCH messages to a subject without subscribers, acknowledged by a flush
//   pubsub   (deliver) one message, from publish to receive, in batches; a lost one has failed
//   request  a request to a service on the same machine, and its answer
//
//   scripts/servers.sh with nats -- bin/k6 run scenarios/nats-core.js -e WORK=request
import exec from 'k6/execution';
import sweep from 'k6/x/sweep';
import { newClient, server, targetOf } from './lib/nats.js';
import { ratesOf } from './lib/tables.js';

const works = {
  publish: { op: 'publish', batch: 10000, begin: publish },
  pubsub: { op: 'deliver', batch: 100, begin: deliver },
  request: { op: 'request', batch: 1000, begin: request },
};
const env = sweep.settings({
  ...server, WORK: { someOf: Object.keys(works) }, BATCH: { type: 'integer', to: 100000 }, VALUE: { type: 'bytes', usual: 100, to: 1048576 },
}, { base: ['NATS_URL', 'TIMEOUT', 'BATCH', 'VALUE'] });
const nameOf = (work) => (env.WORK.length > 1 ? `nats-core-${work}` : 'nats-core');

/** The clients of a server, and the settings for it. */
const sides = [env, env.base].filter(Boolean).map((own) => ({
  own,
  data: 'x'.repeat(own.VALUE),
  client: newClient(own),
  stamping: newClient(own, { stamp: true }),
  services: newClient(own, { connection: 'shared' }), // one connection for the services of all clients
}));

export const options = sweep.options(env.WORK.map((work) => ({
  scenario: nameOf(work), op: works[work].op, ...(work === 'publish' ? {} : { opNames: [works[work].op] }), env: { WORK_NOW: work },
  clients: [1, 8, 16, 32, 64, 128, 512], duration: '10s', warmup: '2s', pause: '1s', maxDuration: '1h',
})));

export function setup() {
  for (const { client } of sides) client.connect();
  for (const work of env.WORK) {
    const [change, base] = sides.map(({ client, own }) => ({
      target: targetOf(client, own), facts: { value: own.VALUE, ...(work !== 'request' && { batch: own.BATCH || works[work].batch }) },
    }));
    sweep.meta({
      scenario: nameOf(work), name: `nats-core-${work}${base ? '-duet' : ''}`, target: change.target, params: { work, ...change.facts },
      base: base && { ...base.target, ...base.facts },
    });
  }
}

export default function () {
  const { begin, batch } = works[__ENV.WORK_NOW];
  const [change, base] = sides.map((side, i) => begin(side, `xk6-sweep.${__ENV.WORK_NOW}.${exec.vu.idInTest}.${i}`, side.own.BATCH || batch));
  sweep.run({ change: change.operation, base: base && base.operation });
  change.close();
  if (base) base.close();
}

function publish({ client, data }, subject, iterations) {
  client.connect();
  const batch = Object.freeze({ iterations });
  return {
    operation: () => {
      client.publishBatch(subject, data, batch);
      client.flush();
    },
    close: () => {},
  };
}

function deliver({ stamping, data, own }, subject, iterations) {
  const incoming = stamping.subscribe(subject, { pending: Math.max(iterations, 1000) });
  const batch = Object.freeze({ iterations });
  const each = Object.freeze({ each: true, discard: true, timeout: own.TIMEOUT });
  return {
    operation: () => {
      stamping.publishBatch(subject, data, batch);
      incoming.fetch(iterations, each);
    },
    close: () => incoming.close(),
  };
}

function request({ client, services, data }, subject, iterations) {
  const service = services.respond(subject);
  client.connect({ runs: true });
  const batch = Object.freeze({ iterations });
  return { operation: () => client.requestBatch(subject, data, batch), close: () => service.close() };
}

/** Returns the report, and the messages per second of publish, whose operations are batches. */
export const handleSummary = (data) => sweep.report(data, {
  tables: ({ scenario, steps }) => (env.WORK.includes('publish') && scenario === nameOf('publish') ? [ratesOf('messages', steps)] : []),
});
