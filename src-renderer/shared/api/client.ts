/** The desk's API client, for the page's own origin. The table of addresses is generated from the contract at build time. */
import { addresses } from 'virtual:outpost-addresses';
import { createClientOf } from '../../../src-server/api/contract/client-core.ts';

export const client = createClientOf(addresses, { baseUrl: '' });
