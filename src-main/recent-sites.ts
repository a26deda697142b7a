/** The sites that were open on this computer, and whether each could be opened now. */
import { type SiteState, siteStateOf } from '../src-server/site/site-state.ts';
import type { DesktopSettings, RecentSite, SettingsFile } from './settings.ts';

export type RecentSiteState = SiteState | { state: 'open' } | { state: 'checking' } | { state: 'no-answer' };

export interface ListedSite extends RecentSite {
  state: RecentSiteState;
}

/** How many sites are remembered. */
const MAX_SITES = 12;
/** A disk that sleeps needs seconds; a server that is gone, minutes. */
const ANSWER_WITHIN_MS = 4000;
/**
 * Folders that may be waited for at the same time. A question to a server that is gone holds one of the four threads that Node has
 * for files, which the open site needs.
 */
const MAX_WAITING = 2;

const sitesOf = ({ recentSites = [] }: DesktopSettings): RecentSite[] => recentSites;

export class RecentSites {
  readonly #settings: SettingsFile;
  readonly #openDir: () => string | null;
  readonly #stateOf: (dir: string) => Promise<SiteState>;
  readonly #answerWithinMs: number;
  /** Questions without an answer yet; `isLate` once somebody stopped waiting. */
  readonly #waiting = new Map<string, { answer: Promise<SiteState>; isLate: boolean }>();

  /** @param openDir folder of the site that this program has open: it is not asked about, because it is locked by us */
  constructor(
    settings: SettingsFile,
    openDir: () => string | null,
    stateOf: (dir: string) => Promise<SiteState> = siteStateOf,
    answerWithinMs = ANSWER_WITHIN_MS,
  ) {
    this.#settings = settings;
    this.#openDir = openDir;
    this.#stateOf = stateOf;
    this.#answerWithinMs = answerWithinMs;
  }

  /** Newest first. */
  get sites(): readonly RecentSite[] {
    return sitesOf(this.#settings.current);
  }

  has(dir: string): boolean {
    return this.sites.some((site) => site.dir === dir);
  }

  async add(site: RecentSite): Promise<void> {
    const others = this.sites.filter(({ dir }) => dir !== site.dir);
    await this.#settings.change({ recentSites: [site, ...others].slice(0, MAX_SITES) });
  }

  /** Takes a site from the list; its folder stays as it is. */
  async forget(dir: string): Promise<void> {
    await this.#settings.change({ recentSites: this.sites.filter((site) => site.dir !== dir) });
  }

  /** The sites as they are shown before their folders have answered. */
  unchecked(): ListedSite[] {
    return this.sites.map((site) => ({
      ...site,
      state: { state: site.dir === this.#openDir() ? 'open' : 'checking' },
    }));
  }

  /** Asks every folder, one after the other. */
  async checked(): Promise<ListedSite[]> {
    const listed: ListedSite[] = [];
    for (const site of this.sites) listed.push({ ...site, state: await this.stateOf(site.dir) });
    return listed;
  }

  async stateOf(dir: string): Promise<RecentSiteState> {
    if (dir === this.#openDir()) return { state: 'open' };
    const asked = this.#waiting.get(dir) ?? this.#ask(dir);
    if (!asked || asked.isLate) return { state: 'no-answer' };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<RecentSiteState>((resolve) => {
      timer = setTimeout(() => {
        asked.isLate = true;
        resolve({ state: 'no-answer' });
      }, this.#answerWithinMs);
    });
    return await Promise.race([asked.answer, late]).finally(() => clearTimeout(timer));
  }

  #ask(dir: string): { answer: Promise<SiteState>; isLate: boolean } | undefined {
    if (this.#waiting.size >= MAX_WAITING) return undefined;
    const asked = { answer: this.#stateOf(dir).finally(() => this.#waiting.delete(dir)), isLate: false };
    this.#waiting.set(dir, asked);
    return asked;
  }
}
