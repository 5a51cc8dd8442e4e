// Reads tags in bulk from an MXAccess gateway: the published flow, with k6/x/mxgateway or
// k6/net/grpc.
import { sleep } from 'k6';
import { Counter } from 'k6/metrics';
import grpc from 'k6/net/grpc';
import mxgateway from 'k6/x/mxgateway';
import sweep from 'k6/x/sweep';
import { duration, flag, oneOf, text, wholeNumber } from './settings.js';

const [, scheme, place] = text('MXGW_URL', '127.0.0.1:50051').match(/^(?:(\w+):\/\/)?(.*?)\/?$/);
const secured = ['grpcs', 'https'].includes(scheme);

/** host:port of the gateway. */
export const address = /:\d+$/.test(place) ? place : `${place}:50051`;

/** The client: our module or k6's. */
export const clientName = oneOf('CLIENT', ['mxgateway', 'grpc'], 'mxgateway');

const key = text('MXGW_KEY', '');
const connection = oneOf('CONNECTION', ['vu', 'shared'], 'vu');
const timeout = duration('TIMEOUT', '10s');
const wait = duration('WAIT', '1s', { least: 0 }); // the command's timeout_ms
const ownProto = decodeURIComponent(import.meta.resolve('./mxaccess_gateway.proto').replace(/^file:\/\//, '')); // a URL has %20 for a space
const proto = text('PROTO', ownProto); // or reflection
const importPaths = text('PROTO_PATHS', '').split(',').filter((path) => path !== '');
const service = text('SERVICE', '');
const reflection = proto === 'reflection';

if (clientName === 'grpc' && connection === 'shared') {
  sweep.refuse('CONNECTION=shared is for CLIENT=mxgateway: k6/net/grpc has one connection for each client');
}
if (clientName === 'grpc' && (text('TLS_SERVER_NAME') || flag('TLS_INSECURE', false))) {
  sweep.refuse('TLS_SERVER_NAME and TLS_INSECURE are for CLIENT=mxgateway: k6/net/grpc has no such options');
}

/** The tags: TAGS with the numbers from 1 instead of %03d, or a comma-separated list. */
export const tags = (() => {
  const pattern = text('TAGS', 'TestMachine_%03d.TestChangingInt');
  const list = pattern.includes(',') ? pattern.split(',').map((tag) => tag.trim()) : null;
  const bulk = wholeNumber('BULK', list ? list.length : 6, 1, 10000);
  const place = /%0?(\d*)d/;
  if (list ? list.length !== bulk || list.includes('') : bulk > 1 && !place.test(pattern)) {
    sweep.refuse(`TAGS must hold %03d or the like in the place of the tag's number, or be a comma-separated list of BULK tags, but is "${pattern}"`);
  }
  return list || Array.from({ length: bulk }, (_, i) => pattern.replace(place, (_, width) => `${i + 1}`.padStart(Number(width), '0')));
})();

/** Parameters of the run, for its report. */
export const params = { bulk: tags.length, tags: text('TAGS', 'TestMachine_%03d.TestChangingInt'), client: clientName, connection };

const tls = (() => {
  const names = ['TLS_CA', 'TLS_CERT', 'TLS_KEY', 'TLS_SERVER_NAME'].filter((name) => text(name));
  if (flag('TLS_INSECURE', false)) names.push('TLS_INSECURE');
  if (!flag('TLS', names.length > 0 || secured)) {
    if (secured) sweep.refuse(`MXGW_URL begins with ${scheme}://, which is TLS, and TLS is false`);
    if (names.length > 0) sweep.refuse(`${names[0]} is for TLS, and TLS is false`);
    return null;
  }
  const file = (name) => (text(name) ? open(text(name)) : undefined);
  return {
    cacerts: file('TLS_CA'), cert: file('TLS_CERT'), key: file('TLS_KEY'), serverName: text('TLS_SERVER_NAME'),
    insecureSkipTLSVerify: flag('TLS_INSECURE', false),
  };
})();

/** Counts of all clients; latencies include failed calls, as in the published clients. */
export const tally = new mxgateway.Tally('read-bulk');

/**
 * A client: begin() opens a session, registers and subscribes, work() reads until the step ends,
 * end() closes the session. backend() returns the gateway's name and version.
 */
export const client = { mxgateway: ownModule, grpc: k6Module }[clientName]();

function warnOf(items) {
  const failed = items.filter((item) => !item.wasSuccessful);
  if (failed.length > 0) console.warn(`${failed.length} of ${items.length} tags cannot be subscribed to: ${failed[0].tag || failed[0].tagAddress}: ${failed[0].errorMessage}`);
}

function ownModule() {
  const gateway = new mxgateway.Client(address, {
    apiKey: key, timeout, connection, service, ...(reflection ? { reflection } : { proto, importPaths }), ...(tls ? { tls } : {}),
  });
  return {
    backend() {
      const { backendName } = gateway.open('xk6-sweep setup');
      gateway.close();
      return backendName;
    },
    begin(name) {
      gateway.open(name);
      gateway.register(name);
      warnOf(gateway.subscribe(tags));
    },
    work: () => sweep.run(() => gateway.run({ wait, tally: 'read-bulk' })),
    end() {
      gateway.unsubscribe();
      gateway.close();
    },
    drop: () => gateway.close(),
  };
}

// The same in JavaScript. The names of enum values are from lib/mxaccess_gateway.proto.
function k6Module() {
  const gateway = new grpc.Client();
  const [, folder, file] = proto.match(/^(.*\/)?([^/]*)$/);
  const methods = reflection ? [] : /** @type {any} */ (gateway.load([folder || '.', ...importPaths], file));
  const found = methods.find((method) => method.full_method.endsWith('.MxAccessGateway/Invoke'));
  const path = service || (found ? found.full_method.split('/').at(-2) : 'mxaccess_gateway.v1.MxAccessGateway');
  const call = { metadata: key ? { authorization: `Bearer ${key}` } : {}, timeout };
  const failedResults = new Counter('mxgateway_results_failed'); // the module's metric
  /** @type {any} */
  let session = null; // { sessionId, serverHandle, items }

  const invoke = (method, request) => {
    const { status, error, message } = /** @type {any} */ (gateway.invoke(`${path}/${method}`, request, call));
    if (status !== grpc.StatusOK) throw Object.assign(new Error(`${method} failed with status ${status}: ${error.message}`), { status });
    if (message.protocolStatus && message.protocolStatus.code !== 'PROTOCOL_STATUS_CODE_OK') {
      throw new Error(`${method}: the gateway reports: ${message.protocolStatus.message} (${message.protocolStatus.code})`);
    }
    if (message.hresult < 0) throw new Error(`${method} failed with hresult ${message.hresult}`);
    return message;
  };
  const command = (kind, payload) => invoke('Invoke', {
    session_id: session.sessionId, command: { kind: `MX_COMMAND_KIND_${kind.toUpperCase()}`, [kind]: payload },
  });
  const connect = () => gateway.connect(address, {
    plaintext: !tls, reflect: reflection, reflectMetadata: call.metadata, timeout,
    ...(tls ? { tls: /** @type {any} */ ({ ...(tls.cacerts ? { cacerts: tls.cacerts } : {}), ...(tls.cert ? { cert: tls.cert, key: tls.key } : {}) }) } : {}),
  });
  const open = (name) => {
    connect();
    return invoke('OpenSession', { client_session_name: name });
  };
  const drop = () => {
    const last = session;
    session = null;
    try {
      if (last) invoke('CloseSession', { session_id: last.sessionId });
    } finally {
      gateway.close();
    }
  };
  const read = (request) => {
    const { bulkRead } = command('read_bulk', request);
    const results = bulkRead ? bulkRead.results : [];
    if (results.length !== tags.length) throw new Error(`the reply has ${results.length} results for ${tags.length} tags`);
    const failed = results.filter((result) => !result.wasSuccessful).length;
    if (failed > 0) failedResults.add(failed);
    return { results: results.length, cached: results.filter((result) => result.wasSuccessful && result.wasCached).length };
  };

  return {
    backend() {
      session = open('xk6-sweep setup');
      const { backendName } = session;
      drop();
      return backendName;
    },
    begin(name) {
      session = open(name);
      session.serverHandle = command('register', { client_name: name }).register.serverHandle;
      const { results } = command('subscribe_bulk', { server_handle: session.serverHandle, tag_addresses: tags }).bulkSubscribe;
      session.items = results.filter((item) => item.wasSuccessful).map((item) => item.itemHandle);
      warnOf(results);
    },
    work() {
      const request = { server_handle: session.serverHandle, tag_addresses: tags, timeout_ms: milliseconds(wait) };
      sweep.run(() => {
        try {
          tally.call(() => read(request));
        } catch (e) {
          if (e.status === grpc.StatusUnavailable) sleep(0.1); // as k6/x/mxgateway does
          throw e;
        }
      });
    },
    end() {
      try {
        command('unsubscribe_bulk', { server_handle: session.serverHandle, item_handles: session.items });
      } finally {
        drop();
      }
    },
    drop,
  };
}

function milliseconds(given) {
  const units = { ms: 1, s: 1000, m: 60000, h: 3600000 };
  return Math.round([...given.matchAll(/([\d.]+)(ms|s|m|h)/g)].reduce((sum, [, n, unit]) => sum + Number(n) * units[unit], 0));
}
