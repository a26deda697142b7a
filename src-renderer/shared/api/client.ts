/** The desk's connection to its site: the page's own origin. The addresses are made from the contract at build time. */
import { addresses } from 'virtual:outpost-addresses';
import { createClientOf } from '../../../src-server/api/contract/client-core.ts';

export const client = createClientOf(addresses, { baseUrl: '' });
