/** Follows what Today shows to the person who is signed in, with that person's own credentials, as the desk does. */
import { createClient } from '../src-server/api/contract/client.ts';
import { ApiError } from '../src-server/api/contract/client-core.ts';
import type { AttentionItem } from '../src-server/api/contract/index.ts';
import { MINUTE_MS, SECOND_MS } from '../src-server/durations.ts';

/** Who is signed in where. */
export interface SignedIn {
  url: string;
  userId: string;
  accountId: string;
  accessToken: string;
}

/** A burst of changes is one question. */
const ASK_AFTER_MS = 2 * SECOND_MS;
/** Also without a change: some items appear because a device stays silent. */
const ASK_EVERY_MS = MINUTE_MS;
const CONNECT_AGAIN_MS = 10 * SECOND_MS;

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    timer.unref();
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

export class AttentionWatch {
  readonly #signedIn: () => SignedIn | null;
  readonly #onItems: (items: readonly AttentionItem[]) => void;
  readonly #onEnd: () => void;
  #following: { key: string; stop: AbortController } | null = null;

  /** @param onEnd called when the person is no longer signed in */
  constructor(signedIn: () => SignedIn | null, onItems: (items: readonly AttentionItem[]) => void, onEnd: () => void) {
    this.#signedIn = signedIn;
    this.#onItems = onItems;
    this.#onEnd = onEnd;
  }

  /** Follows another person, or nobody, if that changed. */
  update(): void {
    const next = this.#signedIn();
    const key = next ? `${next.url} ${next.accessToken}` : '';
    if (key === (this.#following?.key ?? '')) return;
    this.close();
    if (!next) return;
    const stop = new AbortController();
    this.#following = { key, stop };
    void this.#follow(next, stop.signal);
  }

  close(): void {
    if (!this.#following) return;
    this.#following.stop.abort();
    this.#following = null;
    this.#onEnd();
  }

  async #follow({ url, accountId, ...credentials }: SignedIn, signal: AbortSignal): Promise<void> {
    const client = createClient({ baseUrl: url, credentials });
    let isAccepted = true;
    const ask = async (): Promise<void> => {
      // A site that is closing, or a token that is no longer valid: the next list says more.
      const list = await client.call('listAttention', { params: { accountId }, query: {}, signal }).catch(() => null);
      if (list && !signal.aborted) this.#onItems(list.items);
    };
    let soon: NodeJS.Timeout | undefined;
    const askSoon = () => {
      soon ??= setTimeout(() => {
        soon = undefined;
        void ask();
      }, ASK_AFTER_MS).unref();
    };
    const timer = setInterval(() => void ask(), ASK_EVERY_MS);
    timer.unref();
    while (isAccepted && !signal.aborted) {
      try {
        for await (const _change of client.live(signal, () => void ask())) askSoon();
      } catch (thrown) {
        // A token that was revoked is not tried again; any other reason passes.
        isAccepted = !(thrown instanceof ApiError && thrown.status === 401);
      }
      if (isAccepted) await sleep(CONNECT_AGAIN_MS, signal);
    }
    clearInterval(timer);
    clearTimeout(soon);
  }
}
