// What the NATS scenarios share: the settings of the connection, and the server's facts.
import nats from 'k6/x/nats';

export const server = { NATS_URL: 'nats://127.0.0.1:4222', TIMEOUT: '60s' };
export const layouts = ['orb', 'orb-compat', 'micro'];

export const newClient = ({ NATS_URL, TIMEOUT }, options = {}) => new nats.Client(NATS_URL, { timeout: TIMEOUT, ...options });

/** Describes the server for the report. */
export const targetOf = (client, { NATS_URL }) => ({ kind: 'nats', version: `v${client.info().version}`, url: NATS_URL.split(',')[0] });
