/** Settings of the desktop program, stored in the user's own folder, not in the site. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { writeDurably } from '../src-server/files/durable-files.ts';
import { WINDOW_PLACES } from './window-place.ts';

const RECENT_SITE = z.object({ dir: z.string().min(1), name: z.string(), openedMs: z.number() });
/** A site that was open on this computer. */
export type RecentSite = z.infer<typeof RECENT_SITE>;

/** A damaged or unknown value of one member counts as absent and leaves the others. */
const SETTINGS = z.looseObject({
  /** Folder of the site that was open last. */
  siteDir: z.string().min(1).optional().catch(undefined),
  /** The sites that were open here, the last one first. */
  recentSites: z.array(RECENT_SITE).optional().catch(undefined),
  /** What closing the window does; asked when absent. */
  whenClosed: z.enum(['keep-receiving', 'quit']).optional().catch(undefined),
  /** Folder that updates come from; none is looked for when absent. */
  updateFolder: z.string().min(1).optional().catch(undefined),
  /** Whether the computer stays awake on mains power while devices could deliver. */
  staysAwake: z.boolean().optional().catch(undefined),
  /** Folder in which a file was saved last. */
  saveDir: z.string().min(1).optional().catch(undefined),
  /** Whether notifications about items that need attention are shown; absent: yes. */
  notifies: z.boolean().optional().catch(undefined),
  /** Whether they name subjects; absent: no. */
  namesInNotices: z.boolean().optional().catch(undefined),
  /** Sessions of people who stay signed in, encrypted by the system. */
  signIns: z
    .array(z.object({ siteId: z.string(), sealed: z.string() }))
    .optional()
    .catch(undefined),
  /** When the window crashed, the last time first. */
  windowCrashesMs: z.array(z.number()).optional().catch(undefined),
  /** Where the window was, for each arrangement of displays. */
  windowPlaces: WINDOW_PLACES.optional().catch(undefined),
});

export type DesktopSettings = z.infer<typeof SETTINGS>;

/** Reads the settings. An unreadable file counts as empty. */
export const readSettings = (path: string): DesktopSettings => {
  try {
    return SETTINGS.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return {};
  }
};

/** The settings in memory and in their file. Members that this version does not know are kept. */
export class SettingsFile {
  readonly path: string;
  #settings: DesktopSettings;
  #writing: Promise<void> = Promise.resolve();
  /** Called after every change, with the members that were set. */
  onChange: (changed: Partial<DesktopSettings>) => void = () => {};

  constructor(path: string) {
    this.path = path;
    this.#settings = readSettings(path);
  }

  get current(): Readonly<DesktopSettings> {
    return this.#settings;
  }

  /**
   * Changes members at once in memory and, in order, on the disk. Resolves when they are stored, also if the disk refuses:
   * the program works without its settings.
   */
  async change(members: Partial<DesktopSettings>): Promise<void> {
    this.#settings = { ...this.#settings, ...members };
    this.onChange(members);
    const text = JSON.stringify(this.#settings);
    this.#writing = this.#writing.then(() => writeDurably(this.path, text)).catch(() => undefined);
    await this.#writing;
  }

  /** Resolves when every change so far is on the disk. */
  async stored(): Promise<void> {
    await this.#writing;
  }
}
