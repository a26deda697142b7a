/**
 * Who is signed in at this computer, for each site. A session lives in the memory of the program and, only if its person asked for it,
 * encrypted by the system in the settings. The page keeps no copy on the disk.
 */
import { hostname } from 'node:os';
import { safeStorage } from 'electron';
import { z } from 'zod';
import { isOpen } from '../src-server/clock-rules.ts';
import { DAY_MS } from '../src-server/durations.ts';
import type { KeptSession, StayOffer } from './desktop-api.ts';
import type { SettingsFile } from './settings.ts';

/** How long a person stays signed in after entering the password. */
export const STAY_DAYS = 7;
const STAY_MS = STAY_DAYS * DAY_MS;

const SESSION = z.looseObject({
  accessToken: z.string().min(1).max(200),
  expiration: z.number(),
  user: z.looseObject({ id: z.string().min(1).max(100), accountId: z.string().min(1).max(100) }),
});

/** What is encrypted: bound to the site, the computer and the time, so that no part can be exchanged. */
const SEALED = z.object({ siteId: z.string(), computer: z.string(), untilMs: z.number(), session: SESSION });

/** The part of a site that knows whether a token is still accepted. */
export interface SiteTokens {
  id: string;
  authenticate(userId: string, accessToken: string): Promise<unknown>;
  revoke(userId: string, accessToken: string): Promise<void>;
}

interface Held {
  session: z.infer<typeof SESSION>;
  /** When it ends although the site would still accept it; absent without "stay signed in". */
  untilMs?: number;
}

/** Whether the system encrypts for this user of this computer, so that another program's user or a copied folder cannot decrypt. */
export const stayOffer = async (): Promise<StayOffer> => {
  // Without a keyring Chromium on Linux encrypts with a password that everybody knows.
  const backend = process.platform === 'linux' ? safeStorage.getSelectedStorageBackend() : undefined;
  if (backend === 'basic_text' || backend === 'unknown') return { isOffered: false, reason: 'no-keyring' };
  if (!(await safeStorage.isAsyncEncryptionAvailable())) return { isOffered: false, reason: 'unavailable' };
  return { isOffered: true, days: STAY_DAYS };
};

export class SignIns {
  readonly #settings: SettingsFile;
  readonly #clock: () => number;
  readonly #computer: string;
  readonly #held = new Map<string, Held>();
  /** Who stayed signed in when the desk was locked: entering the password again renews it. */
  readonly #renewedFor = new Map<string, string>();

  constructor(settings: SettingsFile, clock: () => number = Date.now, computer: string = hostname()) {
    this.#settings = settings;
    this.#clock = clock;
    this.#computer = computer;
  }

  /** Returns the session of the person who is signed in at the site, from memory or storage; null when there is none that it accepts. */
  async current(site: SiteTokens): Promise<KeptSession | null> {
    const held = this.#held.get(site.id) ?? (await this.#unsealed(site.id));
    if (!held) return null;
    const isAccepted = await site.authenticate(held.session.user.id, held.session.accessToken);
    if (!isAccepted || this.#isOver(held)) {
      await this.forget(site.id);
      return null;
    }
    this.#held.set(site.id, held);
    return held.session;
  }

  /**
   * Keeps the session of the person who has signed in.
   * @param staysSignedIn stores it encrypted too; undefined changes nothing about that
   * @throws ZodError for anything but a session
   */
  async keep(siteId: string, session: unknown, staysSignedIn?: boolean): Promise<void> {
    const parsed = SESSION.parse(session);
    const before = this.#held.get(siteId);
    const isSame = before?.session.accessToken === parsed.accessToken;
    const isRenewed = this.#renewedFor.get(siteId) === parsed.user.id;
    this.#renewedFor.delete(siteId);
    if (isSame && staysSignedIn === undefined) {
      this.#held.set(siteId, { ...before, session: parsed });
      if (before.untilMs !== undefined) await this.#seal(siteId, parsed, before.untilMs);
      return;
    }
    this.#held.set(siteId, { session: parsed });
    if (!(staysSignedIn ?? isRenewed) || !(await stayOffer()).isOffered) {
      await this.#remove(siteId);
      return;
    }
    const untilMs = Math.min(parsed.expiration, this.#clock() + STAY_MS);
    this.#held.set(siteId, { session: parsed, untilMs });
    await this.#seal(siteId, parsed, untilMs);
  }

  /** Forgets the session, also the stored one. */
  async forget(siteId: string): Promise<void> {
    this.#held.delete(siteId);
    this.#renewedFor.delete(siteId);
    await this.#remove(siteId);
  }

  /** Ends the session until the password is entered again, here and at the site, whatever the page does. */
  async lock(site: SiteTokens): Promise<void> {
    const held = this.#held.get(site.id);
    if (!held) return;
    this.#held.delete(site.id);
    if (held.untilMs !== undefined) this.#renewedFor.set(site.id, held.session.user.id);
    await this.#remove(site.id);
    // Without a writable site the token stays valid there, but nobody holds it any more.
    await site.revoke(held.session.user.id, held.session.accessToken).catch(() => undefined);
  }

  /** The session that is in use at the site. */
  inUse(siteId: string): KeptSession | null {
    return this.#held.get(siteId)?.session ?? null;
  }

  isSignedIn(siteId: string): boolean {
    return this.#held.has(siteId);
  }

  /** Whether the time is over for which the person wanted to stay signed in. */
  isTimeOver(siteId: string): boolean {
    const held = this.#held.get(siteId);
    return held !== undefined && this.#isOver(held);
  }

  #isOver({ untilMs }: Held): boolean {
    return untilMs !== undefined && !isOpen(untilMs, STAY_MS, this.#clock());
  }

  async #seal(siteId: string, session: Held['session'], untilMs: number): Promise<void> {
    const text = JSON.stringify({ siteId, computer: this.#computer, untilMs, session } satisfies z.infer<
      typeof SEALED
    >);
    const sealed = (await safeStorage.encryptStringAsync(text)).toString('base64');
    // Signed out or locked in the meantime.
    if (this.#held.get(siteId)?.session.accessToken !== session.accessToken) return;
    const others = (this.#settings.current.signIns ?? []).filter((one) => one.siteId !== siteId);
    await this.#settings.change({ signIns: [...others, { siteId, sealed }] });
  }

  /** What was stored; anything that this computer cannot open, or that is over, is deleted. */
  async #unsealed(siteId: string): Promise<Held | null> {
    const stored = this.#settings.current.signIns?.find((one) => one.siteId === siteId);
    if (!stored) return null;
    try {
      if (!(await stayOffer()).isOffered) throw new Error('The system no longer encrypts.');
      const { result } = await safeStorage.decryptStringAsync(Buffer.from(stored.sealed, 'base64'));
      const { computer, untilMs, session, ...of } = SEALED.parse(JSON.parse(result));
      const held = { session, untilMs };
      if (of.siteId === siteId && computer === this.#computer && !this.#isOver(held)) return held;
    } catch {
      // Copied from another computer, or of another user: as if it were not there.
    }
    await this.#remove(siteId);
    return null;
  }

  async #remove(siteId: string): Promise<void> {
    const signIns = this.#settings.current.signIns ?? [];
    const others = signIns.filter((one) => one.siteId !== siteId);
    if (others.length < signIns.length) await this.#settings.change({ signIns: others });
  }
}
