/** The session of the open site: what the desk may ask of it, and when it ends without the desk. */
import type { RunningSite } from '../src-server/site/server.ts';
import type { SignedIn } from './attention-watch.ts';
import type { DesktopApi } from './desktop-api.ts';
import { IdleLock } from './idle-lock.ts';
import type { SettingsFile } from './settings.ts';
import { SignIns, type SiteTokens, stayOffer } from './sign-ins.ts';

type SessionCalls = Pick<
  DesktopApi,
  'session' | 'lockRequests' | 'keepSession' | 'forgetSession' | 'isLocked' | 'stayOffer' | 'nextLock'
>;

const tokensOf = ({ folder: { site, store } }: RunningSite): SiteTokens => ({
  id: site.id,
  authenticate: (userId, accessToken) => store.tokens.authenticate(userId, accessToken),
  shorten: (userId, accessToken, untilMs) => store.tokens.shorten(userId, accessToken, untilMs),
  revoke: (userId, accessToken) => store.tokens.revoke(userId, accessToken),
});

export class DeskSession {
  readonly #signIns: SignIns;
  readonly #site: () => RunningSite | null;
  readonly #lock = new IdleLock(() => void this.#end());

  constructor(settings: SettingsFile, site: () => RunningSite | null) {
    this.#signIns = new SignIns(settings);
    this.#site = site;
  }

  /** What pages of the site may call. */
  get calls(): SessionCalls {
    return {
      session: async () => {
        const site = this.#site();
        const { requests } = this.#lock;
        const kept = site && (await this.#signIns.current(tokensOf(site)));
        // A lock forgets every session, so one that is there belongs to a desk that is not locked.
        if (kept) this.#lock.begin(requests);
        return kept;
      },
      lockRequests: async () => this.#lock.requests,
      keepSession: async (session, staysSignedIn, lockRequests) => {
        const site = this.#site();
        if (!site) return false;
        const tokens = tokensOf(site);
        // First, because the page asks about the next lock before the session has been encrypted.
        const isOpen =
          typeof lockRequests === 'number'
            ? this.#lock.begin(lockRequests)
            : this.#signIns.isInUse(site.folder.site.id, session);
        if (!isOpen) {
          await this.#signIns.refuse(tokens, session);
          return false;
        }
        const wish = typeof staysSignedIn === 'boolean' ? staysSignedIn : undefined;
        await this.#signIns.keep(tokens, session, wish);
        return true;
      },
      forgetSession: async () => {
        const site = this.#site();
        if (site) await this.#signIns.end(tokensOf(site));
      },
      isLocked: async () => this.#lock.isLocked,
      stayOffer,
      nextLock: (afterMs) => this.#lock.next(afterMs),
    };
  }

  /** The person who is signed in at the open site, for the program's own requests. */
  get signedIn(): SignedIn | null {
    const site = this.#site();
    const session = site && this.#signIns.inUse(site.folder.site.id);
    if (!session) return null;
    const { id: userId, accountId } = session.user;
    return { url: site.url, userId, accountId, accessToken: session.accessToken };
  }

  /** Looks whether nobody uses the computer any more, or a person has stayed signed in for long enough. */
  update(): void {
    const site = this.#site();
    if (!site || !this.#signIns.isSignedIn(site.folder.site.id)) return;
    if (this.#signIns.isTimeOver(site.folder.site.id)) this.#lock.lock();
    this.#lock.update();
  }

  async #end(): Promise<void> {
    const site = this.#site();
    await this.#signIns.lock(site && tokensOf(site));
  }
}
