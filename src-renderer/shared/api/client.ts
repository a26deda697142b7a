/** The desk's API client, for the page's own origin. The table of addresses is generated from the contract at build time. */
import { addresses } from 'virtual:outpost-addresses';
import { basicAuthorization, createClientOf } from '../../../src-server/api/contract/client-core.ts';
import { AHEAD_MEMBER, Ahead, type AheadRequests } from './ahead.ts';
import { withoutLateRefusals } from './late-refusals.ts';

const page = globalThis as { [AHEAD_MEMBER]?: AheadRequests };
/** A head start that comes after the desk finds this and does nothing. */
page[AHEAD_MEMBER] ??= new Map();

export const ahead = new Ahead(globalThis.fetch.bind(globalThis), page[AHEAD_MEMBER]);

export const client = createClientOf(addresses, {
  baseUrl: '',
  fetch: withoutLateRefusals(ahead.fetch, () => client.credentials?.accessToken),
});

/** Asks for an address that never changes, before the code that needs it runs. */
export function askAhead(url: string): void {
  if (client.credentials) ahead.ask(url, basicAuthorization(client.credentials));
}
