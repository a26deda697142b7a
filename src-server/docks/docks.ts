/**
 * Docks and watched folders of a site: looks every two seconds what is there, offers it to the subject to whom the recorder was handed,
 * and copies what was taken, several at once. Lives in the site, so that the desktop program and a server without a window do the same.
 */

import { type Change, type SettingValue, SYSTEM, type TransferRecord } from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import { templatesOfText } from '../importers/generic-csv/recognise-text.ts';
import { readHead } from '../importers/source-bytes.ts';
import type { ImportHints } from '../study/jobs.ts';
import { siteTimeZone } from '../study/zones.ts';
import type { CsvMapping, CsvTemplate } from '../vocabulary/csv-mapping.ts';
import { confirmTransfer } from './confirm.ts';
import { type FoundDrive, findDrives } from './find-drives.ts';
import { findFiles } from './find-files.ts';
import { type Found, foundNow, importName, type SeenFolder, safeName } from './found.ts';
import { type MatchedFound, matchFound } from './match-found.ts';
import { listMounts } from './mounts.ts';
import type { DocksOptions } from './options.ts';
import { keysOf, offersOf } from './set-offers.ts';
import { Taking, type TransferProgress } from './taking.ts';

export interface TakeInput {
  studyId: string;
  subjectId: string;
  /** Required where the recording is a question, or is taken for another subject than it is offered to. */
  reason?: string | undefined;
  options?: ImportHints;
  /** The template of the study by which a table is read; needed where not exactly one has its header. */
  csvTemplateId?: string | undefined;
}

/** A recording as it is shown: what is there now, what was decided, or both. */
export interface ShownTransfer {
  id: string;
  found?: Found;
  match?: MatchedFound;
  row?: TransferRecord;
  progress?: TransferProgress;
}

const INTERVAL_MS = 2000;
/** Undecided recordings of which one look decides whether they are taken by the settings. */
const MOST_MATCHED = 100;
const SHOWN_ROWS = 200;
/** The header line of a table is within this. */
const TABLE_HEAD_BYTES = 64 << 10;

export class Docks {
  readonly #options: DocksOptions;
  readonly #taking: Taking;
  #drives = new Map<string, FoundDrive>();
  #folders = new Map<string, SeenFolder>();
  #found = new Map<string, Found>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #lastLookTs: number | undefined;
  /** Where in the list of undecided recordings the next look begins. */
  #turn = 0;
  #state = '';
  #isClosed = false;

  constructor(options: DocksOptions) {
    this.#options = options;
    this.#taking = new Taking(options, (id) => this.#found.get(id));
  }

  /** Continues what the last run left unfinished, then looks regularly. */
  async start(): Promise<void> {
    await this.#taking.start();
    this.#timer = setInterval(() => {
      this.look().catch(this.#options.onProblem);
    }, this.#options.intervalMs ?? INTERVAL_MS);
    this.#timer.unref();
  }

  /** Looks once; a look that still runs is the same one. */
  async look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#looking?.catch(() => undefined);
    await this.#taking.close();
  }

  get drives(): FoundDrive[] {
    return [...this.#drives.values()];
  }

  get folders(): SeenFolder[] {
    return [...this.#folders.values()];
  }

  /** When was looked last, epoch ms. */
  get lastLookTs(): number | undefined {
    return this.#lastLookTs;
  }

  /** The instant, in epoch ms, of a moment of the clock of the looks, which a corrected computer clock does not move. */
  tsOf(lookMs: number): number {
    const { clock, elapsedMs = () => performance.now() } = this.#options;
    return Math.round(clock() - (elapsedMs() - lookMs));
  }

  /** What is there now and undecided, then what was decided, the newest first. */
  async list(accountId: string): Promise<ShownTransfer[]> {
    const rows = await this.#options.store.transfers.list(accountId, SHOWN_ROWS);
    const decided = new Set(rows.map(({ id }) => id));
    const open: ShownTransfer[] = [];
    for (const id of this.#found.keys()) {
      if (decided.has(id)) continue;
      const shown = await this.get(id);
      if (shown && accountOf(shown) === accountId) open.push(shown);
    }
    return [...open, ...rows.map((row) => this.#decided(row))];
  }

  /** The first of what is there now and undecided. A look at Today must not match every file of a large folder. */
  async waiting(accountId: string, limit: number): Promise<ShownTransfer[]> {
    const known = await this.#options.store.transfers.known([...this.#found.keys()]);
    const waiting: ShownTransfer[] = [];
    for (const [id, found] of [...this.#found].filter(([id]) => !known.has(id)).slice(0, limit)) {
      const shown = { id, found, match: await this.#match(found) };
      if (accountOf(shown) === accountId) waiting.push(shown);
    }
    return waiting;
  }

  /** Decided recordings that a person must still look at: failed, interrupted, or stored while their recorder is plugged in. */
  async unfinished(accountId: string): Promise<ShownTransfer[]> {
    const rows = await this.#options.store.transfers.inStates(['COPYING', 'STORED', 'FAILED']);
    return rows
      .filter((row) => row.accountId === accountId)
      .map((row) => this.#decided(row))
      .filter(({ row, found, progress }) => {
        if (row?.state === 'COPYING') return progress?.problem !== undefined;
        return row?.state === 'FAILED' || found?.source === 'DOCK';
      });
  }

  async get(id: string): Promise<ShownTransfer | undefined> {
    const row = await this.#options.store.transfers.get(id);
    if (row) return this.#decided(row);
    const found = this.#found.get(id);
    return found && { id, found, match: await this.#match(found) };
  }

  /**
   * Takes a recording for a subject: copies and imports it.
   * @throws NOT_FOUND, CONFLICT when it is taken already or not there, INVALID_INPUT when a question has no reason
   */
  async take(id: string, input: TakeInput, change: Change): Promise<ShownTransfer> {
    const { store } = this.#options;
    const shown = await this.get(id);
    if (!shown) throw notThere();
    const { row } = shown;
    if (row && row.state !== 'FAILED' && row.state !== 'DISMISSED') {
      throw new OutpostError('CONFLICT', 'This recording was taken already.');
    }
    const found = this.#found.get(id);
    if (!found) throw notThere();
    const match = shown.match ?? (await this.#match(found));
    const isOffered = match.question === undefined && match.subjectId === input.subjectId;
    const reason = input.reason?.trim();
    if (!isOffered && !reason) {
      throw new OutpostError(
        'INVALID_INPUT',
        'State the reason: the register does not say that this recording is of this subject.',
        { errors: [{ path: 'reason', message: 'is required' }] },
      );
    }
    const subject = await store.subjects.require(input.subjectId, input.studyId);
    const study = await store.studies.require(subject.studyId);
    if (study.accountId !== match.accountId) throw new OutpostError('NOT_FOUND', 'No such subject.');
    if (found.recognised.needsStart && input.options?.defaultStartUs === undefined) {
      throw invalid('startTs', 'The file does not say when it was recorded. State its start.');
    }
    const csvMapping = await mappingOf(found, study.csvTemplates, input.csvTemplateId);
    const options = { ...input.options, ...(csvMapping && { csvMapping }) };
    await this.#store(id, found, match, { ...input, options, ...(reason && { reason }) }, change);
    await this.#taking.begin(id);
    return (await this.get(id))!;
  }

  /** Takes it off the list. The device is left as it is, and it can still be taken. @throws NOT_FOUND, CONFLICT */
  async dismiss(id: string, reason: string, change: Change): Promise<void> {
    const shown = await this.get(id);
    if (!shown) throw notThere();
    if (shown.row) {
      const from = ['COPYING', 'FAILED'] as const;
      const patch = { state: 'DISMISSED', decisionReason: reason, decidedBy: change.actor.id ?? null } as const;
      const moved = await this.#options.store.transfers.move(id, from, patch, change);
      if (!moved) throw new OutpostError('CONFLICT', 'This recording was taken already, so it cannot be dismissed.');
      await this.#taking.forget(id);
      return;
    }
    const { found, match } = shown;
    if (!found || !match) throw notThere();
    await this.#options.store.transfers.decide(
      { ...rowOf(id, found, match), state: 'DISMISSED', options: {}, decisionReason: reason, ...deciderOf(change) },
      change,
    );
  }

  /**
   * A person has seen that the recording is verified, so that the device may be cleared.
   * @throws NOT_FOUND, CONFLICT when it is not stored, or what is stored is not whole
   */
  async confirm(id: string, change: Change): Promise<ShownTransfer> {
    await confirmTransfer(this.#options, id, change);
    return (await this.get(id))!;
  }

  #decided(row: TransferRecord): ShownTransfer {
    const found = this.#found.get(row.id);
    const progress = this.#taking.progress(row.id);
    return { id: row.id, row, ...(found && { found }), ...(progress && { progress }) };
  }

  async #match(found: Found): Promise<MatchedFound> {
    const { store, clock } = this.#options;
    const { timeZone } = await store.settings.get('docks.rules');
    return await matchFound(store, found, { timeZone: timeZone ?? siteTimeZone(), nowMs: clock() });
  }

  async #store(id: string, found: Found, match: MatchedFound, input: TakeInput, change: Change): Promise<void> {
    const { timeZone } = await this.#options.store.settings.get('docks.rules');
    const row = rowOf(id, found, match);
    await this.#options.store.transfers.decide(
      {
        ...row,
        state: 'COPYING',
        studyId: input.studyId,
        subjectId: input.subjectId,
        options: { timeZone: timeZone ?? siteTimeZone(), ...input.options },
        ...(input.reason && { decisionReason: input.reason }),
        ...deciderOf(change),
      },
      change,
    );
  }

  async #look(): Promise<void> {
    const rules = await this.#options.store.settings.get('docks.rules');
    const mounts = rules.isOn ? await (this.#options.mounts ?? listMounts)() : [];
    this.#drives = await findDrives(mounts, this.#drives);
    this.#folders = await this.#lookAtFolders(rules);
    const taken = await this.#takenSets();
    const offers = (folder: SeenFolder) => offersOf(folder, taken);
    this.#found = foundNow(this.#drives.values(), this.#folders.values(), rules.action, offers);
    this.#lastLookTs = this.#options.clock();
    if (this.#isClosed) return;
    const state = this.#describe();
    if (state !== this.#state) this.#options.store.transfers.announceFound();
    this.#state = state;
    await this.#takeBySettings();
    await this.#taking.continueAll();
  }

  async #takenSets(): Promise<TransferRecord[]> {
    if (this.folders.length === 0) return [];
    const { transfers } = this.#options.store;
    const keys = this.folders.map(keysOf);
    const names = keys.flatMap((one) => one.names);
    const taken = await transfers.takenAs(
      names,
      keys.flatMap(({ ids }) => ids),
    );
    const isTaken = new Set(taken.map(({ id }) => id));
    // A set that is being copied may have none of these names any more.
    const copying = (await transfers.inStates(['COPYING'])).filter(({ id, files }) => files && !isTaken.has(id));
    return [...taken, ...copying];
  }

  async #lookAtFolders({ folders }: SettingValue<'docks.rules'>): Promise<Map<string, SeenFolder>> {
    const seen = await Promise.all(
      folders.map(async (rule) => {
        const before = this.#folders.get(rule.path)?.seen;
        const { siteDir, inboxDir, recognise, store, quietMs, elapsedMs } = this.#options;
        const templates = (await store.studies.get(rule.studyId))?.csvTemplates ?? [];
        const byContent = { inboxDir, ask: recognise, templates };
        const times = { ...(quietMs !== undefined && { quietMs }), ...(elapsedMs && { nowMs: elapsedMs() }) };
        return { rule, seen: await findFiles(rule.path, before, { siteDir, byContent, ...times }) };
      }),
    );
    return new Map(seen.map((one) => [one.rule.path, one]));
  }

  /** What of the last look a desk would show. */
  #describe(): string {
    const folders = this.folders.map(({ rule, seen }) => [
      rule.path,
      seen.isThere,
      [...seen.files].map(([name, { state, found }]) => [name, state, found?.table]),
      [...seen.sets].map(([name, set]) => [name, set.state, set.members.length, set.unreadable.length, set.found?.id]),
      [...seen.closed],
    ]);
    return JSON.stringify([this.drives.map(({ path, state, sizeBytes }) => [path, state, sizeBytes]), folders]);
  }

  /** Takes what its rule allows without a person: new, and certain in every respect. */
  async #takeBySettings(): Promise<void> {
    const wanted = [...this.#found].filter(([, { action }]) => action === 'TAKE');
    const known = await this.#options.store.transfers.known(wanted.map(([id]) => id));
    // A large folder of open questions must not keep the site busy: some at each look, in turn.
    const open = wanted.filter(([id]) => !known.has(id));
    const from = open.length > MOST_MATCHED ? this.#turn % open.length : 0;
    this.#turn += MOST_MATCHED;
    for (const [id, found] of [...open.slice(from), ...open.slice(0, from)].slice(0, MOST_MATCHED)) {
      const match = await this.#match(found);
      const { studyId, subjectId, question } = match;
      if (question || studyId === undefined || subjectId === undefined) continue;
      await this.#store(id, found, match, { studyId, subjectId }, SYSTEM);
    }
  }
}

const notThere = () =>
  new OutpostError('NOT_FOUND', 'This recording is not there now. Plug the device in again, or look into the folder.');

const invalid = (path: string, message: string) =>
  new OutpostError('INVALID_INPUT', message, { errors: [{ path, message }] });

/** How a table is read: by the chosen template of the study, or the only one that has its header. @throws INVALID_INPUT */
async function mappingOf(
  { path, recognised: { table } }: Found,
  templates: readonly CsvTemplate[],
  templateId: string | undefined,
): Promise<CsvMapping | undefined> {
  if (!table) return undefined;
  if (templateId !== undefined) {
    const chosen = templates.find(({ id }) => id === templateId);
    if (chosen) return chosen.mapping;
    throw invalid('csvTemplateId', 'The study has no such template. Choose another one.');
  }
  const matching = templatesOfText(await readHead(path, TABLE_HEAD_BYTES), templates);
  if (matching.length === 1) return matching[0]!.mapping;
  if (matching.length === 0 && table.isGuess) return undefined;
  throw invalid('csvTemplateId', 'Choose the template of the study by which this table is read.');
}

const accountOf = ({ row, match }: ShownTransfer): string | undefined => row?.accountId ?? match?.accountId;

const deciderOf = ({ actor }: Change) => (actor.type === 'USER' && actor.id ? { decidedBy: actor.id } : {});

function rowOf(id: string, found: Found, match: MatchedFound) {
  const { source, displayName, recognised, members } = found;
  const { model, serial, sessionId, sizeBytes } = recognised;
  const { accountId, equipmentId, startTs, stopTs } = match;
  return {
    ...{ id, accountId, source, displayName, fileName: importName(found), sizeBytes },
    ...(members && {
      files: members.map((one) => ({ id: one.id, name: safeName(one.name), sizeBytes: one.sizeBytes })),
    }),
    ...(model !== undefined && { model }),
    ...(serial !== undefined && { serial }),
    ...(sessionId !== undefined && { sessionId }),
    ...(equipmentId !== undefined && { equipmentId }),
    ...(startTs !== undefined && { startTs }),
    ...(stopTs !== undefined && { stopTs }),
  };
}
