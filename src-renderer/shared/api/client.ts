/** The desk's connection to its site: the page's own origin. */
import { z } from 'zod';
import { createClient } from '../../../src-server/api/contract/client.ts';

// The site's content security policy forbids code made from strings, which zod would try.
z.config({ jitless: true });

export const client = createClient({ baseUrl: '' });
