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
  /** Makes the token end at this time, in epoch ms, unless it ends earlier. */
  shorten(userId: string, accessToken: string, untilMs: number): Promise<void>;
  revoke(userId: string, accessToken: string): Promise<void>;
}

interface Held {
  session: z.infer<typeof SESSION>;
  /** When it ends although the site would still accept it; absent without "stay signed in". */
  untilMs?: number;
}

/** In front of what Chromium on Linux encrypts with a password that everybody knows; with a key of a keyring it is another number. */
const KNOWN_PASSWORD = 'v10';

/** @throws Error where the system has no key of its own */
const encrypt = async (text: string): Promise<Buffer> => {
  const sealed = await safeStorage.encryptStringAsync(text);
  if (process.platform === 'linux' && sealed.subarray(0, KNOWN_PASSWORD.length).toString('latin1') === KNOWN_PASSWORD)
    throw new Error('The system has no keyring.');
  return sealed;
};

/** Whether the system encrypts for this user of this computer, so that another user or another computer cannot decrypt. */
export const stayOffer = async (): Promise<StayOffer> => {
  const isLinux = process.platform === 'linux';
  // The backend is chosen by the name of the desktop, whether or not its keyring runs: so what it makes is looked at too.
  if (isLinux && !/^(?:gnome_libsecret|kwallet\d*)$/.test(safeStorage.getSelectedStorageBackend()))
    return { isOffered: false, reason: 'no-keyring' };
  if (!(await safeStorage.isAsyncEncryptionAvailable())) return { isOffered: false, reason: 'unavailable' };
  const isOwnKey = !isLinux || (await encrypt('').catch(() => null)) !== null;
  return isOwnKey ? { isOffered: true, days: STAY_DAYS } : { isOffered: false, reason: 'no-keyring' };
};

/** Without a writable site the token stays valid there, but nobody holds it any more. */
const revoke = async (site: SiteTokens, { session }: Held): Promise<void> =>
  await site.revoke(session.user.id, session.accessToken).catch(() => undefined);

export class SignIns {
  readonly #settings: SettingsFile;
  readonly #clock: () => number;
  readonly #computer: string;
  readonly #held = new Map<string, Held>();
  /** Counts what people do, so that an answer that took its time does not undo a later step. */
  #turn = 0;
  /** Who stayed signed in when the desk was locked: entering the password again renews it. */
  readonly #renewedFor = new Map<string, string>();

  constructor(settings: SettingsFile, clock: () => number = Date.now, computer: string = hostname()) {
    this.#settings = settings;
    this.#clock = clock;
    this.#computer = computer;
  }

  /** Returns the session of the person who is signed in at the site, from memory or storage; null when there is none that it accepts. */
  async current(site: SiteTokens): Promise<KeptSession | null> {
    const turn = this.#turn;
    const held = this.#held.get(site.id) ?? (await this.#unsealed(site.id));
    const isAccepted = held && (await site.authenticate(held.session.user.id, held.session.accessToken));
    // Signed in, signed out or locked meanwhile: then that holds.
    if (turn !== this.#turn) return this.inUse(site.id);
    if (!held) return null;
    if (!isAccepted || this.#isOver(held)) {
      await this.end(site, held);
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
  async keep(site: SiteTokens, session: unknown, staysSignedIn?: boolean): Promise<void> {
    const parsed = SESSION.parse(session);
    const turn = ++this.#turn;
    const before = this.#held.get(site.id);
    const isSame = before?.session.accessToken === parsed.accessToken;
    const isRenewed = this.#renewedFor.get(site.id) === parsed.user.id;
    this.#renewedFor.delete(site.id);
    if (isSame && staysSignedIn === undefined) {
      this.#held.set(site.id, { ...before, session: parsed });
      if (before.untilMs !== undefined) await this.#seal(site.id, parsed, before.untilMs);
      return;
    }
    this.#held.set(site.id, { session: parsed });
    const isStored = (staysSignedIn ?? isRenewed) && (await stayOffer()).isOffered;
    if (turn !== this.#turn) return;
    if (!isStored) {
      await this.#remove(site.id);
      return;
    }
    const untilMs = Math.min(parsed.expiration, this.#clock() + STAY_MS);
    // First: what is stored must not be worth more than its time, wherever it gets to.
    await site.shorten(parsed.user.id, parsed.accessToken, untilMs);
    if (turn !== this.#turn) return;
    this.#held.set(site.id, { session: parsed, untilMs });
    await this.#seal(site.id, parsed, untilMs);
  }

  /**
   * Ends a session at the site that came too late to be kept.
   * @throws ZodError for anything but a session
   */
  async refuse(site: SiteTokens, session: unknown): Promise<void> {
    await revoke(site, { session: SESSION.parse(session) });
  }

  /** Ends the session at the site, here and where it was stored. */
  async end(site: SiteTokens, held = this.#held.get(site.id)): Promise<void> {
    this.#turn++;
    this.#held.delete(site.id);
    this.#renewedFor.delete(site.id);
    await this.#remove(site.id);
    if (held) await revoke(site, held);
  }

  /**
   * Ends the session until the password is entered again, here and at the site, whatever the page does. What is stored for other sites is
   * forgotten with it: anyone at a locked desk could open them.
   * @param site null while none is open
   */
  async lock(site: SiteTokens | null): Promise<void> {
    this.#turn++;
    const ofSite = site && this.#held.get(site.id);
    for (const [id, { session, untilMs }] of this.#held) {
      if (untilMs !== undefined) this.#renewedFor.set(id, session.user.id);
    }
    this.#held.clear();
    if ((this.#settings.current.signIns ?? []).length > 0) await this.#settings.change({ signIns: [] });
    if (site && ofSite) await revoke(site, ofSite);
  }

  /** The session that is in use at the site. */
  inUse(siteId: string): KeptSession | null {
    return this.#held.get(siteId)?.session ?? null;
  }

  /** Whether a page's session is the one in use, perhaps with another name of its user. */
  isInUse(siteId: string, session: unknown): boolean {
    return this.inUse(siteId)?.accessToken === SESSION.parse(session).accessToken;
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
    const sealed = (await encrypt(text)).toString('base64');
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
