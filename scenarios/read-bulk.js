// ReadBulk from an MXAccess gateway: each client opens a session, registers, subscribes to the
// tags, warms up, reads them repeatedly, and closes its session. CLIENTS defaults to one; the last
// line is then the published JSON object, as scripts/read-bulk.sh expects it. Settings: see
// README.md.
//
//   scripts/servers.sh with mxgateway -- bin/k6 run scenarios/read-bulk.js
//   scripts/servers.sh with mxgateway -- bin/k6 run scenarios/read-bulk.js -e CLIENTS=1,2,5,10,20
import { sleep } from 'k6';
import exec from 'k6/execution';
import mxgateway from 'k6/x/mxgateway';
import sweep from 'k6/x/sweep';

const env = sweep.settings({
  MXGW_URL: '127.0.0.1:50051',
  MXGW_KEY: null,
  CLIENTS: [1],
  BULK: { type: 'integer', to: 10000 },
  TAGS: 'TestMachine_%03d.TestChangingInt',
  PROTO: null, // or reflection
  PROTO_PATHS: '',
  SERVICE: null,
  CONNECTION: ['vu', 'shared'],
  WAIT: { usual: '1s', from: 0 }, // the command's timeout_ms
  TIMEOUT: '10s',
  TLS: { type: 'flag' }, TLS_CA: null, TLS_CERT: null, TLS_KEY: null, TLS_SERVER_NAME: null, TLS_INSECURE: { type: 'flag' },
});

const [, scheme, place] = env.MXGW_URL.match(/^(?:(\w+):\/\/)?(.*?)\/?$/);
const address = /:\d+$/.test(place) ? place : `${place}:50051`;

/** The tags: TAGS with the numbers from 1 instead of %03d, or a comma-separated list. */
const number = /%0?(\d*)d/;
const listed = env.TAGS.includes(',') ? env.TAGS.split(',').map((tag) => tag.trim()) : null;
const bulk = env.BULK || (listed ? listed.length : 6);
if (listed ? listed.length !== bulk || listed.includes('') : bulk > 1 && !number.test(env.TAGS)) {
  sweep.refuse(`TAGS must hold %03d or the like in the place of the tag's number, or be a comma-separated list of BULK tags, but is "${env.TAGS}"`);
}
const tags = listed || Array.from({ length: bulk }, (_, i) => env.TAGS.replace(number, (_, width) => `${i + 1}`.padStart(Number(width), '0')));

const secured = ['grpcs', 'https'].includes(scheme);
const [reason] = ['TLS_CA', 'TLS_CERT', 'TLS_KEY', 'TLS_SERVER_NAME', 'TLS_INSECURE'].filter((name) => env[name]);
if (env.TLS === false && secured) sweep.refuse(`MXGW_URL begins with ${scheme}://, which is TLS, and TLS is false`);
if (env.TLS === false && reason) sweep.refuse(`${reason} is for TLS, and TLS is false`);
const file = (path) => (path ? open(path) : undefined);
const tls = (env.TLS || secured || reason) && {
  cacerts: file(env.TLS_CA), cert: file(env.TLS_CERT), key: file(env.TLS_KEY), serverName: env.TLS_SERVER_NAME, insecureSkipTLSVerify: env.TLS_INSECURE,
};

const ownProto = decodeURIComponent(import.meta.resolve('./lib/mxaccess_gateway.proto').replace(/^file:\/\//, '')); // a URL has %20 for a space
const schema = env.PROTO === 'reflection' ? { reflection: true } : {
  proto: env.PROTO || ownProto, importPaths: env.PROTO_PATHS.split(',').filter((path) => path !== ''),
};
const gateway = new mxgateway.Client(address, {
  apiKey: env.MXGW_KEY, timeout: env.TIMEOUT, connection: env.CONNECTION, service: env.SERVICE, ...schema, ...(tls && { tls }),
});
/** Counts of all clients; latencies include failed calls, as in the published clients. */
const tally = new mxgateway.Tally('read-bulk');

export const options = sweep.options({
  scenario: 'read-bulk', op: 'readBulk', clients: env.CLIENTS, duration: '30s', warmup: '2s', pause: '1s', maxDuration: '1h',
  thresholds: { mxgateway_results_failed: ['count==0'] }, // tags that the gateway could not read
});

export function setup() {
  let version;
  try {
    version = gateway.open('xk6-sweep setup').backendName;
    gateway.close();
    console.info(`backend: ${version}`); // on stderr, for scripts/read-bulk.sh
  } catch (e) {
    console.warn(`the gateway's version is unknown: ${e.message}`); // the clients fail for the same reason, and count it
  }
  sweep.meta({
    target: { kind: 'mxgateway', version, url: `grpc://${address}` }, params: { bulk: tags.length, tags: env.TAGS, connection: env.CONNECTION },
  });
}

export default function () {
  try {
    tally.attempt(() => begin(`xk6-sweep ${exec.vu.idInTest}`));
  } catch (e) {
    quietly(() => gateway.close());
    sleep(0.1); // limits how often k6 retries until the end of the step
    throw e;
  }
  sweep.run(() => gateway.run({ wait: env.WAIT, tally: 'read-bulk' }));
  quietly(() => {
    gateway.unsubscribe();
    gateway.close();
  });
}

function begin(name) {
  gateway.open(name);
  gateway.register(name);
  const failed = gateway.subscribe(tags).filter((item) => !item.wasSuccessful);
  if (failed.length > 0) console.warn(`${failed.length} of ${tags.length} tags cannot be subscribed to: ${failed[0].tag}: ${failed[0].errorMessage}`);
}

/** Calls end after the measured phase and ignores its errors: they fail no operation. */
function quietly(end) {
  try {
    end();
  } catch (e) {
    console.warn(`the session was not closed: ${e.message}`);
  }
}

/** Returns the report; for one client, the last line is the published JSON object. */
export function handleSummary(data) {
  const report = sweep.report(data);
  if (`${env.CLIENTS}` === '1') report.stdout = `${report.stdout.trimEnd()}\n\n${JSON.stringify(tally.summary())}\n`;
  return report;
}
