/** A study of a test's own on the shared site, so that tests neither meet nor change the demo's data. */
import { type Client, createClient } from '../../src-server/api/contract/client.ts';
import type { ServedDemo } from './sites.ts';

export interface OwnStudy {
  client: Client;
  accountId: string;
  studyId: string;
  displayName: string;
}

/** Signs in as the demo's administrator. */
export const adminClient = async (
  site: Pick<ServedDemo, 'url' | 'email' | 'password'>,
): Promise<{ client: Client; accountId: string }> => {
  const client = createClient({ baseUrl: site.url });
  const { user, accessToken } = await client.call('login', { body: { email: site.email, password: site.password } });
  client.credentials = { userId: user.id, accessToken };
  return { client, accountId: user.accountId };
};

/** Makes a study that has not started, under a name that no other test has. */
export const ownStudy = async (site: ServedDemo, name: string): Promise<OwnStudy> => {
  const { client, accountId } = await adminClient(site);
  const displayName = `${name} ${crypto.randomUUID().slice(0, 8)}`;
  const { id } = await client.call('createStudy', { params: { accountId }, body: { displayName, title: name } });
  return { client, accountId, studyId: id, displayName };
};

/** Adds a user with a password and answers who can sign in as it. */
export const addUser = async (
  { client, accountId }: Pick<OwnStudy, 'client' | 'accountId'>,
  role: 'ADMIN' | 'COORDINATOR' | 'ANALYST' | 'MONITOR',
): Promise<{ id: string; email: string; password: string }> => {
  const email = `${role.toLowerCase()}-${crypto.randomUUID().slice(0, 8)}@clinic.example`;
  const password = 'a long enough one';
  const user = {
    accountId,
    email,
    firstName: 'Robin',
    lastName: 'Marsh',
    locale: 'en_US',
    timezone: 'UTC',
    role,
  } as const;
  const { id } = await client.call('createUser', { body: { email, password, user } });
  return { id, email, password };
};
