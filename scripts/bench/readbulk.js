// ReadBulk through k6/net/grpc as no scenario does it: nothing but the call and its status, in the
// ways that a script has to make it cheaper. VARIANT is plain, discard (discardResponseMessage) or
// async (asyncInvoke). See scripts/bench.sh.
import grpc from 'k6/net/grpc';
import sweep from 'k6/x/sweep';
import { tags } from '../../scenarios/lib/readbulk.js';
import { oneOf, text } from '../../scenarios/lib/settings.js';
import { sweepOptions, sweepReport } from '../../scenarios/lib/sweeping.js';

const service = 'mxaccess_gateway.v1.MxAccessGateway';
const variant = oneOf('VARIANT', ['plain', 'discard', 'async'], 'plain');
const client = new grpc.Client();
client.load([], '../../scenarios/lib/mxaccess_gateway.proto');
const metadata = { authorization: `Bearer ${text('MXGW_KEY')}` };
const params = { metadata, discardResponseMessage: variant === 'discard' };

export const options = sweepOptions('readbulk', 'readBulk', { exec: variant === 'async' ? 'asynchronous' : 'blocking' });

function check({ status, error }) {
  if (status !== grpc.StatusOK) throw new Error(`the call failed with status ${status}: ${error.message}`);
}

let request; // of this VU's session

// begin opens a session, and makes the one request that is sent again and again.
function begin() {
  client.connect(text('MXGW_URL'), { plaintext: true });
  const invoke = (method, what) => {
    const reply = client.invoke(`${service}/${method}`, what, { metadata });
    check(reply);
    return reply.message;
  };
  const { sessionId } = invoke('OpenSession', { client_session_name: 'bench' });
  const command = (kind, payload) => ({ session_id: sessionId, command: { kind: `MX_COMMAND_KIND_${kind.toUpperCase()}`, [kind]: payload } });
  const { serverHandle } = invoke('Invoke', command('register', { client_name: 'bench' })).register;
  invoke('Invoke', command('subscribe_bulk', { server_handle: serverHandle, tag_addresses: tags }));
  request = command('read_bulk', { server_handle: serverHandle, tag_addresses: tags });
  return sessionId;
}

export function blocking() {
  const sessionId = begin();
  sweep.run(() => check(client.invoke(`${service}/Invoke`, request, params)));
  client.invoke(`${service}/CloseSession`, { session_id: sessionId }, { metadata });
  client.close();
}

// Promises are not for sweep.run: the executor repeats the whole function, and its first call,
// which opens the session, is not measured.
export async function asynchronous() {
  if (!request) begin();
  check(await client.asyncInvoke(`${service}/Invoke`, request, params));
}

export const handleSummary = sweepReport;
