// Prints how a Redis that accepts no commands refuses one.
import { Client } from 'k6/x/resp';

export default function () {
  const client = new Client(__ENV.SERVER);
  try {
    client.connect();
    client.run({ iterations: 1, mix: { get: 1 }, keys: { count: 1 }, allowMisses: true });
    console.log('refused: nothing');
  } catch (e) {
    console.log(`refused: ${e.kind} ${e.message}`);
  }
}
