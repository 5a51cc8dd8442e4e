// Operations that fail without an exception, as in ordinary k6 scripts. WORK selects one.
import { check, sleep } from 'k6';
import grpc from 'k6/net/grpc';
import http from 'k6/http';
import { Client } from 'k6/x/machbase';
import redis from 'k6/x/redis';
import sweep from 'k6/x/sweep';
import ws from 'k6/ws';

const work = __ENV.WORK;
const url = __ENV.URL;
const own = { executor: 'per-vu-iterations', vus: 2, iterations: 10 };

export const options = {
  ...(__ENV.EXECUTOR === 'own'
    ? { scenarios: { outcome: { ...own, exec: 'named' } }, thresholds: { sweep_op_failed: ['rate==0'] } }
    : sweep.options({
        scenario: 'outcome', clients: [2], iterations: 10, op: 'call', maxDuration: '20s', gracefulStop: '1s',
        onError: 'continue',
        gates: __ENV.GATES === 'none' ? undefined : 'outcome.json',
        ...(__ENV.EXECUTOR === 'portable' ? { portable: true, maxDuration: '5s' } : {}),
        ...(__ENV.EXECUTOR === 'plain' ? { exec: 'plain' } : {}),
        ...(__ENV.EXECUTOR === 'named' ? { exec: 'named' } : {}),
        ...JSON.parse(__ENV.OPTIONS || '{}'),
      })),
  ...(__ENV.SYSTEM_TAGS ? { systemTags: __ENV.SYSTEM_TAGS.split(',') } : {}),
};

const rpc = new grpc.Client();
if (work === 'grpc' || work === 'late') rpc.load([], '../../../../sweep/examples/health.proto');
const store = work === 'redis' ? new redis.Client(url) : null;
const db = work === 'machbase' ? new Client(url) : null;
let connected = false;

const works = {
  get: () => http.get(url),
  checked: () => check(http.get(url), { 'status is 200': (r) => r.status === 200 }),
  slip: () => check(http.get(url), { 'has a body': (r) => r.body.length > 1000 }),
  expected: () => http.get(url, { responseCallback: http.expectedStatuses(404) }),
  unjudged: () => http.get(url, { responseCallback: null }),
  socket: () => ws.connect(url, {}, (socket) => socket.on('open', () => socket.close())),
  grpc: () => {
    if (!connected) rpc.connect(url, { plaintext: true });
    connected = true;
    return rpc.invoke('grpc.health.v1.Health/Check', {});
  },
  // It does not check the result of the call.
  late: () => {
    if (!connected) rpc.connect(url, { plaintext: true });
    connected = true;
    rpc.invoke('grpc.health.v1.Health/Check', {}, { timeout: '50ms' });
  },
  nested: () => sweep.run(() => sleep(0.001)),
  redis: () => store.get('key'),
  typo: () => foo(url), // eslint-disable-line no-undef
  machbase: () => db.query('select 1'),
  // The request is not awaited.
  forgotten: () => { http.asyncRequest('GET', url); },
  async: async () => { await http.asyncRequest('GET', url); },
  many: () => { // more than one operation
    for (let i = 0; i < 300; i++) check(i, { counts: true });
    sleep(0.001);
    check(null, { 'is there': false });
  },
};

export default function () {
  if (work === 'machbase') db.connect();
  if (work === 'grpc') works.grpc();
  sweep.run(works[work]);
}

export const plain = async () => { await works[work](); };
export const named = async () => { await sweep.op('call', works[work]); };

export const handleSummary = (data) => sweep.report(data, { dir: __ENV.RESULTS });
