// A strictly checked TypeScript project that uses each module with the names and shapes of
// ../../../extensions/API.md.
import machbase from 'k6/x/machbase';
import memcached, { type MemcachedError } from 'k6/x/memcached';
import mxgateway from 'k6/x/mxgateway';
import nats from 'k6/x/nats';
import resp from 'k6/x/resp';
import sql from 'k6/x/sql';
import sqlite3 from 'k6/x/sql/driver/sqlite3';
import sweep from 'k6/x/sweep';
import umemcache from 'k6/x/umemcache';

const tls = { cacerts: ['PEM'], cert: 'PEM', key: 'PEM', password: 'x', serverName: 'host', insecureSkipTLSVerify: true };
const times = { timeout: '5s', connectTimeout: 500 };

const clients = [
  new machbase.Client('machbase://127.0.0.1:5656', times),
  new memcached.Client(['a:11211', 'b:11211'], { ...times, tls, connection: 'shared' }),
  new mxgateway.Client({ url: '127.0.0.1:50051', ...times, tls: true, connection: 'vu' }),
  new nats.Client(['nats://a:4222', 'nats://b:4222'], { ...times, tls: { ...tls, first: true }, connection: 'vu' }),
  new resp.Client('rediss://127.0.0.1:6379', { ...times, tls }),
  new umemcache.Client({ ...times }),
];

const cache = new memcached.Client();
const messages = new nats.Client();
const db = sql.open(sqlite3, ':memory:', { timeout: '5s' });

const env = sweep.settings({ GATES: null, KEYS: { usual: 10, to: 1000 } });

export const options = sweep.options({
  scenario: 'strict', clients: [1, 8], duration: '10s', opNames: ['get', 'set'], gates: env.GATES, allowFailed: '1%',
});

export default function (): void {
  for (const client of clients) client.connect();
  const step = sweep.step();
  if (step === null || step.phase === 'warmup') return;
  const workload = { iterations: 1000, keys: { count: env.KEYS }, ttl: '60s', tags: { page: 'login' } };
  cache.prefill(workload);
  sweep.run(() => {
    const { succeeded, failed, seconds, bytesSent, bytesReceived }: Record<string, number> = { ...cache.run(workload) };
    if (succeeded + failed + seconds + bytesSent + bytesReceived < 0) throw new Error('less than nothing');
  });
  try {
    cache.set('key', 'value', { ttl: '60s', tags: { page: 'login' } });
  } catch (e) {
    const { name, kind, code, message } = e as MemcachedError;
    if (kind === 'full') throw new Error(`${name} ${code}: ${message}`);
  }
  db.query('select 1');
}

export async function promises(): Promise<void> {
  await cache.asyncConnect();
  const value = await cache.asyncGet('key');
  if (value !== null) await cache.asyncSet('key', value, new Date());
  const js = messages.jetStream();
  js.publishNoWait('subject', 'data');
  await js.asyncPublish('subject', 'data', { ttl: '60s' });
  const kv = js.keyValue('bucket');
  kv.create('key', 'value', { ttl: '60s' });
}

// run refuses a function whose work is not done when it returns.
export function late(): void {
  // @ts-expect-error a promise
  sweep.run(async () => cache.asyncGet('a'));
  // @ts-expect-error a promise
  sweep.run({ base: () => cache.get('a'), change: () => cache.asyncGet('a') });
  sweep.run({ base: () => cache.get('a'), change: () => ({ status: 200 }) });
}
