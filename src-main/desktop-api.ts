import type { NewSite } from '../src-server/site/folder.ts';
import type { SetUpLanguage } from '../src-server/site/set-up/words.ts';

/** IPC contract between the window and the main process, shared by preload, main process and pages. */

export interface DesktopInfo {
  version: string;
  platform: NodeJS.Platform;
  /** Folder of the open site. */
  siteDir: string;
}

/** Result of an action that can fail, with messages per field for forms. */
export type Outcome = { ok: true } | { ok: false; message: string; fields?: Record<string, string> };

/** Values of the set-up form. */
export type SiteWishes = Omit<NewSite, 'locale'>;

/** A site of the list of recent sites, as the page shows it. */
export interface SiteLine {
  dir: string;
  name: string;
  /** What can be said about the folder now, in words. */
  status: string;
  isOpen: boolean;
  canOpen: boolean;
}

/** A command of the desk, for menus. */
export interface DeskCommand {
  id: string;
  label: string;
  /** The keys in the desk's words, such as `Mod+K`. */
  keys: string | null;
  /** Whether it belongs to the present screen, and not to every one. */
  isOfPage: boolean;
  isEnabled: boolean;
}

/** A crash of the window, after which it was loaded again. */
export interface WindowCrash {
  atMs: number;
  /** `hang`: the user ended a page that did not answer. */
  cause: 'crash' | 'memory' | 'hang';
  /** Crashes of the last seven days, this one included. */
  countOfWeek: number;
}

/** A file that the user opened with Outpost: by double click, or with its name on the command line. */
export interface OpenedFile {
  id: string;
  name: string;
  sizeBytes: number;
}

/** Why a file could not be saved. `incomplete`: the site did not deliver all of it. */
export type SavingProblem = 'disk-full' | 'disk-gone' | 'not-allowed' | 'in-use' | 'incomplete';

/** A file that is being saved, or was. */
export interface Saving {
  id: string;
  name: string;
  state: 'saving' | 'done' | 'failed';
  doneBytes: number;
  /** Null while it is not known. */
  totalBytes: number | null;
  problem?: SavingProblem;
}

/** A Bluetooth device that the program found for a page. */
export interface BluetoothChoice {
  deviceId: string;
  /** Empty where the device sends no name. */
  name: string;
}

/** What Bluetooth needs from the user now. */
export type BluetoothPrompt =
  | { id: string; kind: 'choose'; devices: BluetoothChoice[] }
  /** `confirmPin`: the device shows `pin` too. `providePin`: the user types what the device shows or its manual says. */
  | { id: string; kind: 'pair'; pairing: 'confirm' | 'confirmPin' | 'providePin'; deviceName: string; pin?: string };

/** A session as the site answered it. Only the members that the program reads are named. */
export interface KeptSession {
  accessToken: string;
  expiration: number;
  user: { id: string; accountId: string };
}

/** Whether a person can stay signed in on this computer, and for how long; else why not. */
export type StayOffer = { isOffered: true; days: number } | { isOffered: false; reason: 'no-keyring' | 'unavailable' };

export type DemoOutcome = { ok: true; email: string; password: string } | { ok: false; message: string };

/** What the failure page asks of the recovery. `progress` may be asked while another step runs. */
export type RecoveryStep =
  | 'look'
  | 'lookElsewhere'
  | 'restore'
  | 'restoreElsewhere'
  | 'rebuild'
  | 'passphrase'
  | 'siteFile'
  | 'siteFileNew'
  | 'lock'
  | 'progress';

/** In sentences, in the language of the page. */
export type RecoveryAnswer =
  | { kind: 'progress'; percent: number }
  | { kind: 'found'; facts: [name: string, value: string][]; notes: string[]; canRebuild: boolean; locked?: string }
  | { kind: 'none'; notes: string[]; canRebuild: boolean; locked?: string }
  /** Only the passphrase helps, or to do without a backup. */
  | { kind: 'locked'; locked: string }
  | { kind: 'done'; sentences: string[]; credentials?: { email: string; password: string } }
  | { kind: 'problem'; message: string }
  | { kind: 'cancelled' | 'busy' | 'unlocked' };

/** What the page of updates asks for; `view` may be asked while another step runs. */
export type UpdateStep =
  | 'view'
  | 'chooseFolder'
  | 'turnOff'
  | 'check'
  | 'prepare'
  | 'prepareWithout'
  | 'installNow'
  | 'installOnQuit'
  | 'notOnQuit'
  | 'goBack'
  | 'tryAgain'
  | 'forget'
  | 'leave';

/** What the page of updates shows, in the language of the page. */
export interface UpdatesView {
  title: string;
  sentences: string[];
  facts: [name: string, value: string][];
  problem?: string;
  /** What is under way. */
  status?: string;
  isBusy: boolean;
  /** Asks for words, which go with a step of their own. */
  question?: { label: string; step: UpdateStep; button: string };
  buttons: { step: UpdateStep; label: string; isPrimary: boolean }[];
}

export interface DesktopApi {
  info(): Promise<DesktopInfo>;
  /** Opens an https or mailto address in the system's own program; anything else is refused. */
  openExternal(url: string): Promise<Outcome>;
  /** Shows the site's folder in the file manager. */
  showSiteFolder(): Promise<void>;
  /** Files that the user opened with Outpost; resolves when there are some, or with none after a while. */
  openedFiles(): Promise<OpenedFile[]>;
  /** Returns the next bytes of such a file; none at its end. */
  readOpenedFile(id: string, offset: number): Promise<Uint8Array<ArrayBuffer>>;
  forgetOpenedFiles(ids: readonly string[]): Promise<void>;
  /** The last crash of the window, until the user has read about it. */
  windowCrash(): Promise<WindowCrash | null>;
  markWindowCrashRead(): Promise<void>;
  /** Files that are being saved, as soon as they differ from the version that the page has seen. */
  nextSavings(seenVersion: number | null): Promise<{ version: number; savings: Saving[] }>;
  /** Stops saving a file, or takes a finished one from the list. */
  endSaving(id: string): Promise<void>;
  /** Shows a saved file in the file manager. */
  showSaved(id: string): Promise<void>;
  /** What Bluetooth asks the user, as soon as it differs from the version that the page has seen; null: nothing. */
  nextBluetoothPrompt(seenVersion: number | null): Promise<{ version: number; prompt: BluetoothPrompt | null }>;
  /** Answers it: with the id of a device, the PIN, or anything to confirm; null cancels. Late answers do nothing. */
  answerBluetoothPrompt(id: string, answer: string | null): Promise<void>;
  /** The session of the person who is signed in at the open site. */
  session(): Promise<KeptSession | null>;
  /** How often the desk was to be locked so far; ask before signing in, for `keepSession`. */
  lockRequests(): Promise<number>;
  /**
   * Keeps a session as long as the program runs, and beyond if wanted. Undefined leaves that as it is.
   * @param lockRequests `lockRequests` before the sign-in; undefined for a change of the session in use
   * @returns false when the desk was locked since: the session is ended, and the desk stays locked
   */
  keepSession(session: KeptSession, staysSignedIn?: boolean, lockRequests?: number): Promise<boolean>;
  forgetSession(): Promise<void>;
  /** Whether the desk is locked: then the session has ended, and the password is asked under a cover. */
  isLocked(): Promise<boolean>;
  stayOffer(): Promise<StayOffer>;
  /**
   * Resolves with true when the desk is to be locked, and with false after a while.
   * @param afterMs how long the computer may be unused; null: never
   */
  nextLock(afterMs: number | null): Promise<boolean>;
  /** Shows the commands of the present screen in the menus. */
  setCommands(commands: readonly DeskCommand[]): Promise<void>;
  /** Resolves with the command that the user chooses in a menu, or an address of the desk to show; null if none for a while. */
  nextCommand(): Promise<string | null>;
  /** For start pages only: */
  retry(): Promise<void>;
  retryOnFreePort(): Promise<void>;
  /** Asks for a folder and opens the site in it. Does nothing if cancelled. */
  chooseFolder(): Promise<void>;
  /** Shows the page with the recent sites. The open site keeps receiving. */
  showSites(): Promise<void>;
  sites(): Promise<SiteLine[]>;
  /** Opens one of the recent sites or one that the open site restored from a backup, or returns to the one that is open. */
  openSite(dir: string): Promise<Outcome>;
  /** Takes a site from the list of recent sites. Its folder stays as it is. */
  forgetSite(dir: string): Promise<void>;
  /** Asks for an empty folder and shows the set-up page for it. */
  newSite(): Promise<Outcome>;
  createSite(site: SiteWishes): Promise<Outcome>;
  /** Shows the page in another language, keeping the values entered. */
  chooseLanguage(language: SetUpLanguage, typed: Partial<SiteWishes>): Promise<void>;
  /** The password among them, which no page holds; once. */
  takeTypedPassword(): Promise<string>;
  /** Creates a demo site if there is none, and returns its credentials. `retry` then opens it. */
  openDemo(): Promise<DemoOutcome>;
  /** Finds the newest good backup of a site that does not open, and gets back to work with it or without one. */
  recover(step: RecoveryStep, passphrase?: string): Promise<RecoveryAnswer>;
  /** Shows the state of updates, and takes a step. `words` say why there is no backup. */
  updates(step: UpdateStep, words?: string): Promise<UpdatesView>;
  quit(): Promise<void>;
}

/** IPC channels, one per method, so that pages cannot call anything else. */
export const CHANNELS = {
  info: 'outpost:info',
  openExternal: 'outpost:open-external',
  showSiteFolder: 'outpost:show-site-folder',
  openedFiles: 'outpost:opened-files',
  readOpenedFile: 'outpost:read-opened-file',
  forgetOpenedFiles: 'outpost:forget-opened-files',
  windowCrash: 'outpost:window-crash',
  markWindowCrashRead: 'outpost:mark-window-crash-read',
  nextSavings: 'outpost:next-savings',
  endSaving: 'outpost:end-saving',
  showSaved: 'outpost:show-saved',
  nextBluetoothPrompt: 'outpost:next-bluetooth-prompt',
  answerBluetoothPrompt: 'outpost:answer-bluetooth-prompt',
  session: 'outpost:session',
  lockRequests: 'outpost:lock-requests',
  keepSession: 'outpost:keep-session',
  forgetSession: 'outpost:forget-session',
  isLocked: 'outpost:is-locked',
  stayOffer: 'outpost:stay-offer',
  nextLock: 'outpost:next-lock',
  setCommands: 'outpost:set-commands',
  nextCommand: 'outpost:next-command',
  retry: 'outpost:retry',
  retryOnFreePort: 'outpost:retry-on-free-port',
  chooseFolder: 'outpost:choose-folder',
  showSites: 'outpost:show-sites',
  sites: 'outpost:sites',
  openSite: 'outpost:open-site',
  forgetSite: 'outpost:forget-site',
  newSite: 'outpost:new-site',
  createSite: 'outpost:create-site',
  chooseLanguage: 'outpost:choose-language',
  takeTypedPassword: 'outpost:take-typed-password',
  openDemo: 'outpost:open-demo',
  recover: 'outpost:recover',
  updates: 'outpost:updates',
  quit: 'outpost:quit',
} as const satisfies Record<keyof DesktopApi, string>;
