/**
 * Has everything that is stored read on a schedule, while nobody needs the computer, and repaired from second copies. A worker reads and
 * repairs (`integrity/scrub/`); here is when, what the rows and the audit say of it, and the state that the desk shows. The position is
 * stored every few minutes, so a restart continues.
 */
import type { ScrubReport } from '../api/deps.ts';
import { isRecent } from '../clock-rules.ts';
import { SYSTEM } from '../db/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.ts';
import { errorFromJSON } from '../errors.ts';
import { backupPlacesOf } from '../integrity/backup/file-copies.ts';
import { directoryOf } from '../integrity/backup/keep.ts';
import { PACE, sharedPace } from '../integrity/scrub/pace.ts';
import { FIRST_CURSOR, type ScrubOutcome } from '../integrity/scrub/scrub.ts';
import {
  isOpen,
  readScrubState,
  type ScrubFinding,
  type ScrubState,
  withFindings,
  writeScrubState,
} from '../integrity/scrub/state.ts';
import { computeAgain } from '../jobs/handlers/compute-again.ts';
import { pause } from '../jobs/pause.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { WorkerPool } from '../jobs/workers/pool.ts';
import type { SiteFolder } from './folder.ts';
import { noteReturned } from './returned-files.ts';
import type { Soundness } from './soundness.ts';

export interface ScrubberOptions {
  folder: SiteFolder;
  /** Shared with the checks of the database: one of the two reads at a time. */
  workers: Pick<WorkerPool, 'run'>;
  soundness: Pick<Soundness, 'state' | 'takeOver'>;
  enqueue: JobQueue['enqueue'];
  /** Whether uploads, jobs or people need the computer. */
  isBusy: () => boolean;
  /** Whether the folder of the site is there. */
  isAway: () => boolean;
  clock: () => number;
  onProblem: (problem: unknown) => void;
  /** Until the first look; default 10 minutes, so that a start comes first. */
  delayMs?: number;
  /** Of one thread; tests read without a rest. */
  share?: number;
  /** How long one run reads; default 5 minutes. */
  forMs?: number;
}

const FIRST_DELAY_MS = 10 * MINUTE_MS;
const LOOK_EVERY_MS = HOUR_MS;
const RUN_MS = 5 * MINUTE_MS;
const ASK_EVERY_MS = 250;
/** Repairs are shown for so long. */
const TOLD_MS = 30 * DAY_MS;
/** Files that one entry of the audit names. */
const NAMED_FILES = 20;

export class Scrubber {
  readonly #options: ScrubberOptions;
  readonly #closing = new AbortController();
  readonly #pace = sharedPace();
  #state: ScrubState = { format: 1, findings: [] };
  #loaded: Promise<void> | undefined;
  #isReading = false;
  #working: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ScrubberOptions) {
    this.#options = options;
  }

  /** What is known now. */
  get report(): ScrubReport {
    const { current, last, findings } = this.#state;
    return { isReading: this.#isReading, findings, ...(current && { current }), ...(last && { last }) };
  }

  /** Reads the stored state, and plans the first look. */
  async start(): Promise<void> {
    await this.#load();
    this.#plan(this.#options.delayMs ?? FIRST_DELAY_MS);
  }

  /** Reads what is due; with `isAsked`, everything. Resolves when that is done. */
  async look(options: { isAsked?: boolean } = {}): Promise<void> {
    this.#working = this.#working.then(() => this.#look(options.isAsked ?? false)).catch(this.#options.onProblem);
    await this.#working;
  }

  /** Ends a run at once; the next start continues it. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    this.#pace.say(PACE.STOP);
    await this.#working;
  }

  async #load(): Promise<void> {
    this.#loaded ??= readScrubState(this.#options.folder.dir).then((state) => {
      this.#state = state;
    });
    await this.#loaded;
  }

  #plan(delayMs: number): void {
    if (this.#closing.signal.aborted) return;
    this.#timer = setTimeout(() => void this.look().then(() => this.#plan(LOOK_EVERY_MS)), delayMs);
    this.#timer.unref();
  }

  async #isDue(): Promise<boolean> {
    const { everyDays } = await this.#options.folder.store.settings.get('scrub.schedule');
    if (everyDays === null) return false;
    const { current, last } = this.#state;
    // A cycle that ended in the future was made while the clock was ahead.
    return current !== undefined || !last || !isRecent(last.finishedTs, everyDays * DAY_MS, this.#options.clock());
  }

  async #look(isAsked: boolean): Promise<void> {
    await this.#load();
    const isDue = isAsked || (await this.#isDue());
    const hasOpen = this.#state.findings.some((one) => isOpen(one) && one.part !== 'database');
    if (!isDue && !hasOpen) return;
    this.#isReading = true;
    // The pool has no word for waiting, so the worker reads one.
    const say = () => this.#pace.say(this.#isStopped() ? PACE.STOP : this.#options.isBusy() ? PACE.BUSY : PACE.IDLE);
    const asking = setInterval(say, ASK_EVERY_MS).unref();
    try {
      say();
      await this.#read(isDue);
    } finally {
      clearInterval(asking);
      this.#isReading = false;
    }
  }

  #isStopped(): boolean {
    const { soundness, isAway } = this.#options;
    return this.#closing.signal.aborted || soundness.state.state === 'damaged' || isAway();
  }

  /** @param isDue false: only what was found before is looked at again */
  async #read(isDue: boolean): Promise<void> {
    const { dir, store, backupsDir, databaseDescriptor } = this.#options.folder;
    let open = this.#state.findings.filter(isOpen);
    for (;;) {
      if (this.#isStopped()) return;
      const { directory } = await directoryOf(store, backupsDir);
      const places = await backupPlacesOf(dir, [directory]);
      const nowTs = this.#options.clock();
      if (isDue)
        this.#state.current ??= {
          ...{ startedTs: nowTs, files: 0, bytes: 0, found: 0, healed: 0 },
          ...{ unreached: places.unreached, cursor: FIRST_CURSOR },
        };
      const outcome = await this.#options.workers.run('scrubSite', {
        ...{ dir, places: places.reached, open, nowTs, pace: this.#pace.shared },
        cursor: isDue ? (this.#state.current?.cursor ?? FIRST_CURSOR) : { part: 'backups', after: '~' },
        forMs: this.#options.forMs ?? RUN_MS,
        ...(databaseDescriptor !== undefined && { databaseDescriptor }),
        ...(this.#options.share !== undefined && { share: this.#options.share }),
      });
      open = [];
      await this.#note(outcome, isDue, places.unreached);
      if (outcome.failure) throw errorFromJSON(outcome.failure);
      if (!outcome.cursor || !isDue) return;
      await pause(0, this.#closing.signal);
    }
  }

  async #note(outcome: ScrubOutcome, isDue: boolean, unreached: readonly string[]): Promise<void> {
    const findings = await this.#noteRows(outcome);
    const nowTs = this.#options.clock();
    const kept = this.#state.findings.filter(
      (one) => isOpen(one) || isRecent(one.healedTs ?? one.foundTs, TOLD_MS, nowTs),
    );
    this.#state.findings = withFindings(kept, findings);
    const { current } = this.#state;
    if (isDue && current) {
      current.files += outcome.files;
      current.bytes += outcome.bytes;
      current.found += findings.length;
      current.healed += findings.filter((one) => !isOpen(one)).length;
      current.unreached = [...new Set([...current.unreached, ...unreached])];
      if (outcome.cursor) current.cursor = outcome.cursor;
      else {
        const { cursor: _cursor, ...cycle } = current;
        this.#state.last = { ...cycle, finishedTs: nowTs };
        delete this.#state.current;
      }
    }
    await writeScrubState(this.#options.folder.dir, this.#state);
    if (outcome.database) await this.#options.soundness.takeOver(outcome.database);
  }

  /** Has rows and audit say what was found and repaired. A crash before leaves whole files, which the next cycle finds as they are. */
  async #noteRows({ findings, imageHashes }: ScrubOutcome): Promise<ScrubFinding[]> {
    const { store, site } = this.#options.folder;
    for (const { file, sha256 } of imageHashes) await store.messages.noteImageSha256(file, sha256);
    const ofSite = findings.filter(({ directory, part }) => directory === undefined && part !== 'database');
    const back = ofSite.flatMap(({ state, file, sha256, recordingId, from }) =>
      state === 'HEALED' && sha256 !== undefined && from
        ? [
            {
              file,
              sha256,
              ...(recordingId && { recordingId }),
              ...(from.kind === 'BACKUP' && { from: fromCopy(from) }),
            },
          ]
        : [],
    );
    await noteReturned(store, back, SYSTEM, (kind, payload) => this.#options.enqueue(kind, payload));
    for (const { state, recordingId, file } of ofSite) {
      if (state === 'HEALED' && file.endsWith('.clock') && recordingId !== undefined) {
        // The signal file was good; only its times were wrong.
        if ((await store.recordings.get(recordingId))?.fileState === 'DAMAGED')
          await store.recordings.setFileState(recordingId, 'PRESENT', SYSTEM);
        continue;
      }
      if (recordingId === undefined || state === 'HEALED' || !(await store.recordings.get(recordingId))) continue;
      // Its device is asked to send it again, where it still holds it.
      await store.recordings.setFileState(recordingId, state, SYSTEM);
    }
    const noted = await this.#computeAgain(findings);
    for (const { file } of noted.filter(({ part }) => part === 'database')) {
      const [what, id] = file.split('/');
      if (what === 'summaries' && id !== undefined) await store.summaries.rebuild(id);
    }
    await this.#audit(noted, site.id);
    return noted.map((one) =>
      one.part === 'database' && one.file.startsWith('summaries/')
        ? { ...one, state: 'HEALED', from: { kind: 'DERIVED' }, healedTs: one.foundTs }
        : one,
    );
  }

  /** Analysis results without a copy follow from the recordings. */
  async #computeAgain(findings: readonly ScrubFinding[]): Promise<ScrubFinding[]> {
    const { store } = this.#options.folder;
    const noted: ScrubFinding[] = [];
    for (const one of findings) {
      if (one.part !== 'columns' || one.state === 'HEALED' || one.sha256 === undefined) {
        noted.push(one);
        continue;
      }
      let isQueued = true;
      for (const { runId, ...window } of await store.analytics.windowsByColumns(one.sha256)) {
        if (runId !== undefined) await store.analysisRuns.markLost(runId, window.subjectId);
        else isQueued = (await computeAgain(store, this.#options.enqueue, window)) && isQueued;
      }
      noted.push(isQueued ? { ...one, state: 'HEALED', from: { kind: 'DERIVED' }, healedTs: one.foundTs } : one);
    }
    return noted;
  }

  async #audit(findings: readonly ScrubFinding[], siteId: string): Promise<void> {
    // A recording's history has entries of its own.
    const others = findings.filter(({ recordingId }) => recordingId === undefined);
    for (const [key, group] of Map.groupBy(others, ({ state, directory = '' }) => `${state}\n${directory}`)) {
      const [state, directory] = key.split('\n') as [string, string];
      await this.#options.folder.store.audit.note(SYSTEM, {
        action: state === 'HEALED' ? 'scrub.repair' : 'scrub.find',
        entityType: 'site',
        entityId: siteId,
        changes: {
          count: { new: group.length },
          files: { new: group.slice(0, NAMED_FILES).map(({ file }) => file) },
          ...(directory !== '' && { directory: { new: directory } }),
        },
      });
    }
  }
}

function fromCopy({ directory = '', backupId, createdTs }: NonNullable<ScrubFinding['from']>) {
  return {
    ...{ directory, path: '', isEncrypted: false },
    ...(backupId !== undefined && { backupId }),
    ...(createdTs !== undefined && { createdTs }),
  };
}
