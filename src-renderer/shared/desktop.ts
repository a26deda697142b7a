/** The desktop program around this page, when the desk does not run in a browser. A flow holds it against the program's own contract. */

/** A file that the user opened with Outpost: by double click, or with its name on the command line. */
export interface OpenedFile {
  id: string;
  name: string;
  sizeBytes: number;
}

/** Files of this page, or files that the desktop program still has to hand over. */
export type FileOffer = { files: File[] } | { opened: OpenedFile[] };

/** A crash of the window, after which it was loaded again. */
export interface WindowCrash {
  atMs: number;
  /** `hang`: the user ended a page that did not answer. */
  cause: 'crash' | 'memory' | 'hang';
  /** Crashes of the last seven days, this one included. */
  countOfWeek: number;
}

/** A command of the desk, for the program's menus. */
export interface MenuCommand {
  id: string;
  label: string;
  keys: string | null;
  isOfPage: boolean;
  isEnabled: boolean;
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

/** What Bluetooth needs from the user now. */
export type BluetoothPrompt =
  | { id: string; kind: 'choose'; devices: { deviceId: string; name: string }[] }
  /** `confirmPin`: the device shows `pin` too. `providePin`: the user types what the device shows or its manual says. */
  | { id: string; kind: 'pair'; pairing: 'confirm' | 'confirmPin' | 'providePin'; deviceName: string; pin?: string };

/** Whether a person can stay signed in on this computer, and for how long; else why not. */
export type StayOffer = { isOffered: true; days: number } | { isOffered: false; reason: 'no-keyring' | 'unavailable' };

/** What the program needs of a session. */
interface KeptSession {
  accessToken: string;
  expiration: number;
  user: { id: string; accountId: string };
}

export interface DesktopProgram {
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
  /** The session of the person who is signed in at this site. */
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
  /** Resolves with true when the desk is to be locked, and with false after a while. */
  nextLock(afterMs: number | null): Promise<boolean>;
  /** Shows the commands of the present screen in the menus. */
  setCommands(commands: readonly MenuCommand[]): Promise<void>;
  /** Resolves with the command that the user chooses in a menu, or an address of the desk to show; null if none for a while. */
  nextCommand(): Promise<string | null>;
  /** The last crash of the window, until the user has read about it. */
  windowCrash(): Promise<WindowCrash | null>;
  markWindowCrashRead(): Promise<void>;
  /** Closes this site and opens another one: a recent site, or one that was restored from a backup of this site. */
  openSite(dir: string): Promise<{ ok: boolean; message?: string }>;
  /** Resolves when there are such files, or with none after a while. */
  openedFiles(): Promise<OpenedFile[]>;
  /** Returns the next bytes of a file, up to some megabytes; none at its end. Rejects when it can no longer be read. */
  readOpenedFile(id: string, offset: number): Promise<Uint8Array<ArrayBuffer>>;
  forgetOpenedFiles(ids: readonly string[]): Promise<void>;
}

export const desktopProgram = (): DesktopProgram | undefined =>
  (globalThis as { outpostDesktop?: DesktopProgram }).outpostDesktop;

/**
 * Reads a file whole; the browser keeps a large one on the disk.
 * @throws Error when it can no longer be read
 */
export async function readOpenedFile(
  program: DesktopProgram,
  { id, name }: OpenedFile,
  onProgress: (doneBytes: number) => void,
): Promise<File> {
  const pieces: Blob[] = [];
  let doneBytes = 0;
  for (;;) {
    const piece = await program.readOpenedFile(id, doneBytes);
    if (piece.length === 0) return new File(pieces, name);
    // A blob of its own, so that the bytes leave the memory of the page.
    pieces.push(new Blob([piece]));
    doneBytes += piece.length;
    onProgress(doneBytes);
  }
}
