/** The desk's connection to its site: the page's own origin. */
import './schemas-without-eval.ts';
import { createClient } from '../../../src-server/api/contract/client.ts';

export const client = createClient({ baseUrl: '' });
