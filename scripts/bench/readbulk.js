// ReadBulk of six tags. FORM: module (k6/x/mxgateway) or grpc (k6/net/grpc, only the call).
import grpc from 'k6/net/grpc';
import mxgateway from 'k6/x/mxgateway';
import sweep from 'k6/x/sweep';
import { report, step, target } from './step.js';

const proto = '../../scenarios/lib/mxaccess_gateway.proto';
const tags = [1, 2, 3, 4, 5, 6].map((n) => `TestMachine_00${n}.TestChangingInt`);
const service = 'mxaccess_gateway.v1.MxAccessGateway';
const address = __ENV.MXGW_URL;
const metadata = { authorization: `Bearer ${__ENV.MXGW_KEY}` };
const ownProto = decodeURIComponent(import.meta.resolve(proto).replace(/^file:\/\//, ''));
const isModule = __ENV.FORM === 'module';
/** @type {any} */
const client = isModule ? new mxgateway.Client(address, { apiKey: __ENV.MXGW_KEY, connection: 'vu', proto: ownProto }) : new grpc.Client();
if (!isModule) client.load([], proto);

export const options = step('readBulk');

export const setup = () => target('grpc', address);

function module() {
  client.open('bench');
  client.register('bench');
  client.subscribe(tags);
  sweep.run(() => client.run());
  client.unsubscribe();
  client.close();
}

function invoke(method, request) {
  const { status, error, message } = client.invoke(`${service}/${method}`, request, { metadata });
  if (status !== grpc.StatusOK) throw new Error(`${method} failed with status ${status}: ${error.message}`);
  return message;
}

function calls() {
  client.connect(address, { plaintext: true });
  const { sessionId } = invoke('OpenSession', { client_session_name: 'bench' });
  const command = (kind, payload) => ({ session_id: sessionId, command: { kind: `MX_COMMAND_KIND_${kind.toUpperCase()}`, [kind]: payload } });
  const { serverHandle } = invoke('Invoke', command('register', { client_name: 'bench' })).register;
  invoke('Invoke', command('subscribe_bulk', { server_handle: serverHandle, tag_addresses: tags }));
  const request = command('read_bulk', { server_handle: serverHandle, tag_addresses: tags });
  sweep.run(() => invoke('Invoke', request));
  invoke('CloseSession', { session_id: sessionId });
  client.close();
}

export default isModule ? module : calls;

export const handleSummary = report;
