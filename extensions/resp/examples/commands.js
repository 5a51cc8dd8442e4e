// Sweeps any commands of Redis: writes and reads of hashes, in pipelines. With CLUSTER=true the
// server is one of a Redis Cluster.
//
//   REDIS_URL=redis://127.0.0.1:6379 bin/k6 run extensions/resp/examples/commands.js
import resp from 'k6/x/resp';
import sweep from 'k6/x/sweep';

export const options = sweep.options({
  scenario: 'commands', clients: [1, 4, 16], iterations: 200, warmup: '500ms', opNames: ['hset', 'hget'],
});

const client = new resp.Client(__ENV.REDIS_URL, { cluster: __ENV.CLUSTER === 'true' });
const hset = { op: 'hset', args: ['HSET', '{key}', 'name', '{value}'] };
const hget = { op: 'hget', args: ['HGET', '{key}', 'name'], share: 9, reply: { value: '{value}' } };
const keys = { count: 1000, prefix: 'hash:' };

export default function () {
  client.connect();
  client.prefill({ keys, commands: [hset] }); // once for each key
  sweep.run(() => client.run({ iterations: 1000, keys, pipeline: 10, commands: [hset, hget] }));
}

export const handleSummary = (data) => sweep.report(data);
