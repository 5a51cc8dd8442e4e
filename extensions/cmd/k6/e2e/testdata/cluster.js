// A mix of single commands, of pipelines, or of any commands on a Redis Cluster.
import resp from 'k6/x/resp';
import sweep from 'k6/x/sweep';

const commands = [
  { op: 'hset', args: ['HSET', '{key}', 'field', '{value}'], reply: { type: 'integer' } },
  { op: 'hget', args: ['HGET', '{key}', 'field'], share: 3, reply: { value: '{value}' } },
];
const kinds = {
  single: { mix: { get: 3, set: 1 } },
  pipeline: { mix: { get: 3, set: 1 }, pipeline: 20 },
  commands: { commands, pipeline: 5 },
  count: { commands: [{ op: 'incr', args: ['INCR', '{key}'], reply: { type: 'integer' } }, { op: 'get', args: ['GET', '{key}'] }] },
  multi: { mix: { getMulti: 1 } },
};
const kind = kinds[__ENV.KIND];
const work = { keys: { count: 3000, prefix: __ENV.PREFIX || 'key:' }, values: 20, iterations: 100, ...kind };
const client = new resp.Client(__ENV.REDIS_URL, {
  cluster: true, timeout: '20s', connectTimeout: '2s', protocol: Number(__ENV.RESP || 2),
});

export const options = sweep.options({
  scenario: 'cluster', rate: [500], preAllocatedVUs: 4, duration: __ENV.DURATION || '4s', warmup: '0s', onError: 'continue',
});

export default function () {
  client.connect();
  if (__ENV.KIND !== 'count') client.prefill({ ...work, commands: kind.commands && commands.slice(0, 1) });
  sweep.run(() => client.run(work));
}

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
