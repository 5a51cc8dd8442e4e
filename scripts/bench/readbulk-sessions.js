// Opens SESSIONS sessions of an MXAccess gateway for ghz, subscribes to six tags in each, and
// leaves them open. Prints them in the last line of standard output.
import grpc from 'k6/net/grpc';

const { MXGW_URL, MXGW_KEY, SESSIONS = '1' } = __ENV;
const tags = [1, 2, 3, 4, 5, 6].map((n) => `TestMachine_00${n}.TestChangingInt`);
const service = 'mxaccess_gateway.v1.MxAccessGateway';
const client = new grpc.Client();
client.load([], '../../scenarios/lib/mxaccess_gateway.proto');

export const options = { iterations: 1, vus: 1 };

export function setup() {
  client.connect(MXGW_URL, { plaintext: true });
  const invoke = (method, request) => {
    const { status, error, message } = client.invoke(`${service}/${method}`, request, { metadata: { authorization: `Bearer ${MXGW_KEY}` } });
    if (status !== grpc.StatusOK) throw new Error(`${method} failed with status ${status}: ${error.message}`);
    return message;
  };
  const sessions = [];
  let backend;
  for (let i = 0; i < Number(SESSIONS); i += 1) {
    const { sessionId, backendName } = invoke('OpenSession', { client_session_name: `bench ${i}` });
    const command = (kind, payload) => invoke('Invoke', {
      session_id: sessionId, command: { kind: `MX_COMMAND_KIND_${kind.toUpperCase()}`, [kind]: payload },
    });
    const { serverHandle } = command('register', { client_name: 'bench' }).register;
    command('subscribe_bulk', { server_handle: serverHandle, tag_addresses: tags });
    sessions.push({ sessionId, serverHandle });
    backend = backendName;
  }
  client.close();
  return { backend, tags, sessions };
}

export default function () {}

export const handleSummary = (data) => ({ stdout: `${JSON.stringify(data.setup_data)}\n` });
