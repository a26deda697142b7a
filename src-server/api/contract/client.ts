/** The client with all schemas, for the command line and tests. */
import { addressesOf } from './addresses.ts';
import { type Client, type ClientOptions, createClientOf } from './client-core.ts';
import { routes } from './index.ts';
import type { RouteContract } from './route.ts';

export { basicAuthorization, type Client, type Credentials } from './client-core.ts';

/** Makes a client; with `validateResponses` it checks every JSON answer against its schema and throws on a mismatch. */
export function createClient(options: ClientOptions & { validateResponses?: boolean }): Client {
  return createClientOf(addressesOf(routes), options, (id, json) => {
    const { response }: RouteContract = routes[id];
    const result = options.validateResponses && response?.safeParse(json);
    if (!result || result.success) return;
    const issue = result.error.issues[0];
    throw new Error(`The answer of ${id} breaks its schema at ${issue?.path.join('.')}: ${issue?.message}`);
  });
}
