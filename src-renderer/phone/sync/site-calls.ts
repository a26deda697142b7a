/** The calls of `resources/protocol/phone.md` that the app makes, to the site that serves it. */
import { addresses } from 'virtual:outpost-addresses';
import { createClientOf } from '../../../src-server/api/contract/client-core.ts';
import type { RouteId, Routes } from '../../../src-server/api/contract/index.ts';
import type { ResponseOf } from '../../../src-server/api/contract/route.ts';

type Answer<K extends RouteId> = ResponseOf<Routes[K]>;

/** Every call fails with an `ApiError`: status 0 when the site was not reached. */
export interface SiteCalls {
  signIn(body: { token: string; phoneId: string; clockTs: number }): Promise<Answer<'signInPhone'>>;
  signOut(token: string): Promise<void>;
  /** @param body text of a batch */
  sync(token: string, body: string): Promise<Answer<'syncPhone'>>;
  program(token: string): Promise<Answer<'getPhoneProgram'>>;
  tasks(token: string): Promise<Answer<'listPhoneTasks'>>;
  messages(token: string): Promise<Answer<'listPhoneMessages'>>;
  sensors(token: string): Promise<Answer<'listPhoneSensors'>>;
  /** A picture at its signed address. */
  picture(href: string): Promise<Blob>;
}

const TIMEOUT_MS = 30_000;
/** A batch of pictures on a slow network. */
const BATCH_TIMEOUT_MS = 180_000;
/** Two weeks without contact, and yesterday. */
const DAYS = 16;

export function siteCalls(): SiteCalls {
  const clientOf = (token?: string) =>
    createClientOf(addresses, {
      baseUrl: '',
      fetch: (url, init) => {
        const headers = new Headers(init.headers);
        if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
        headers.set('accept-language', document.documentElement.lang);
        // Neither the browser's cache nor its cookies have a part in this.
        return fetch(url, { ...init, headers, cache: 'no-store', credentials: 'omit' });
      },
    });
  const within = (ms = TIMEOUT_MS) => ({ signal: AbortSignal.timeout(ms) });
  return {
    signIn: (body) => clientOf().call('signInPhone', { body, ...within() }),
    signOut: (token) => clientOf(token).call('signOutPhone', within()),
    sync: (token, body) => clientOf(token).call('syncPhone', { body: JSON.parse(body), ...within(BATCH_TIMEOUT_MS) }),
    program: (token) => clientOf(token).call('getPhoneProgram', { query: { days: DAYS }, ...within() }),
    tasks: (token) => clientOf(token).call('listPhoneTasks', within()),
    messages: (token) => clientOf(token).call('listPhoneMessages', within()),
    sensors: (token) => clientOf(token).call('listPhoneSensors', within()),
    picture: async (href) => await (await clientOf().follow(href, within().signal)).blob(),
  };
}
