/**
 * Analysis runs: results of a study's data by a stated method, beside those in use, until a person adopts them. Adopting exchanges
 * rows in one transaction: what was in use stays as a run of its own, so nothing is lost and the step can be taken back. Also the
 * version to which a study is pinned, and the analyses that wait for it.
 */
import { analysisMethodHash } from '../analysis-method.ts';
import { ANALYTICS_VERSION, joinedVersion } from '../analytics/version.ts';
import {
  AnalysisRunQueries,
  type AnalysisRunRecord,
  authorOf,
  type Change,
  type RunSubjectRecord,
  StudyDefinitions,
  StudyQueries,
  type StudyRecord,
  SYSTEM,
} from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import {
  MOST_NAME_CHARACTERS,
  nameBefore,
  type RunState,
  type RunSubjectState,
  runStateOf,
  subjectStateOf,
  versionNotAvailable,
} from '../study/analysis-runs.ts';
import { changesFromNothing } from '../study/changes.ts';
import { definitionOf, mergeDefinition } from '../study/definition-input.ts';
import type { AnalysePayload } from '../study/jobs.ts';
import { studyLocked } from '../study/lock-rules.ts';
import { type AnalysisParameters, canonicalParameters, completeParameters } from '../vocabulary/analysis-parameters.ts';
import { Jobs } from './jobs.ts';
import { Recordings } from './recordings.ts';

export interface NewAnalysisRun {
  studyId: string;
  name: string;
  version: string;
  parameters: AnalysisParameters;
  /** Absent: every subject of the study with recordings, those that come later included. */
  subjectIds?: readonly string[] | undefined;
}

export interface RunSubjectShown extends RunSubjectRecord {
  state: RunSubjectState;
}

/** How many subjects of a run are in each state; MISSING: with recordings, and not in the run. */
export type RunSubjectCounts = Partial<Record<RunSubjectState | 'MISSING', number>>;

export interface CountedRun {
  run: AnalysisRunRecord;
  state: RunState;
  counts: RunSubjectCounts;
}

export interface ShownRun extends CountedRun {
  subjects: RunSubjectShown[];
  /** Subjects with recordings that a run of the whole study does not have. */
  missing: string[];
}

/** What a run exchanges in a study: a version that is a mix of several pins nothing. */
const isSingleVersion = (version: string) => !version.includes('+');

const requireReason = ({ reason }: Change): string => {
  const given = reason?.trim();
  if (given) return given;
  throw new OutpostError('INVALID_INPUT', 'Give a reason.', {
    errors: [{ path: 'reason', message: 'A reason is required.' }],
  });
};

export class AnalysisRuns extends AnalysisRunQueries {
  /** The version that this program analyses with. */
  readonly programVersion = ANALYTICS_VERSION;

  /**
   * Stores a run and queues the analysis of its subjects.
   * @throws NOT_FOUND, VERSION_NOT_AVAILABLE, DUPLICATE_NAME, INVALID_INPUT (no reason, no name), CONFLICT without recordings
   */
  async create(input: NewAnalysisRun, change: Change): Promise<AnalysisRunRecord> {
    return await this.session.write(async (session) => {
      const runs = new AnalysisRuns(session);
      const { studyId, version, parameters } = input;
      await new StudyQueries(session).require(studyId);
      const reason = requireReason(change);
      const name = input.name.trim();
      if (name === '') {
        throw new OutpostError('INVALID_INPUT', 'Give the run a name.', {
          errors: [{ path: 'name', message: 'A name is required.' }],
        });
      }
      if (version !== ANALYTICS_VERSION) throw versionNotAvailable(version, ANALYTICS_VERSION);
      if ((await runs.names(studyId)).has(name)) {
        throw new OutpostError('DUPLICATE_NAME', 'An analysis run of this study has this name. Choose another one.', {
          errors: [{ path: 'name', message: 'is taken' }],
        });
      }
      const withData = await runs.subjectsWithData(studyId);
      const chosen = input.subjectIds && new Set(input.subjectIds);
      const subjectIds = chosen ? withData.filter((id) => chosen.has(id)) : withData;
      if (subjectIds.length === 0) {
        throw new OutpostError('CONFLICT', 'There are no recordings to analyse. Start a run once there are some.');
      }
      const run = {
        id: session.newId(),
        studyId,
        name,
        reason,
        version,
        parameters,
        methodHash: analysisMethodHash(version, parameters),
        isWholeStudy: chosen === undefined,
        authorId: authorOf(change)?.id,
        createdTs: session.clock(),
      };
      await runs.insert(run);
      for (const subjectId of subjectIds) await runs.#queue(run, subjectId, change);
      const { id: _id, ...facts } = run;
      await runs.#audit('analysis-run.create', run, change, {
        ...changesFromNothing(facts),
        subjects: { new: subjectIds.length },
      });
      return await runs.require(run.id, studyId);
    });
  }

  /** The parameters by which the study itself is analysed. @throws NOT_FOUND */
  async parametersOf(studyId: string): Promise<AnalysisParameters> {
    return completeParameters((await new StudyQueries(this.session).require(studyId)).analysisParameters);
  }

  /** A run with the states of its subjects. @throws NOT_FOUND */
  async show(id: string, studyId: string): Promise<ShownRun> {
    const run = await this.require(id, studyId);
    // What became of an adopted run is in use, and follows the data from then on.
    const rows = run.adoptedTs === undefined ? await this.subjectsOf(id) : [];
    const subjects = rows.map((row) => ({ ...row, state: subjectStateOf(row) }));
    const known = new Set(subjects.map(({ subjectId }) => subjectId));
    const expected = run.isWholeStudy && run.adoptedTs === undefined ? await this.subjectsWithData(studyId) : [];
    const missing = expected.filter((subjectId) => !known.has(subjectId));
    const counts: RunSubjectCounts = missing.length > 0 ? { MISSING: missing.length } : {};
    for (const { state } of subjects) counts[state] = (counts[state] ?? 0) + 1;
    const states = subjects.map(({ state }) => state);
    return { run, subjects, missing, counts, state: runStateOf(run, states, missing.length) };
  }

  /** Runs with their subjects counted, as a list shows them. */
  async counted(runs: readonly AnalysisRunRecord[]): Promise<CountedRun[]> {
    const ids = runs.filter(({ adoptedTs }) => adoptedTs === undefined).map(({ id }) => id);
    const known = await this.subjectCounts(ids);
    const missing = await this.missingCounts(ids);
    return runs.map((run) => {
      const counts: RunSubjectCounts = {};
      for (const { count, ...alike } of known.get(run.id) ?? []) {
        const state = subjectStateOf(alike);
        counts[state] = (counts[state] ?? 0) + count;
      }
      const states = Object.keys(counts) as RunSubjectState[];
      const absent = missing.get(run.id) ?? 0;
      return {
        run,
        state: runStateOf(run, states, absent),
        counts: { ...counts, ...(absent > 0 && { MISSING: absent }) },
      };
    });
  }

  /**
   * Cancels a run. The caller ends its jobs; what was computed stays.
   * @returns the jobs that wait or run
   * @throws NOT_FOUND, CONFLICT when it is adopted or of replaced results
   */
  async cancel(id: string, studyId: string, change: Change): Promise<string[]> {
    return await this.session.write(async (session) => {
      const runs = new AnalysisRuns(session);
      const run = await runs.require(id, studyId);
      if (run.adoptedTs !== undefined) throw alreadyAdopted();
      const open = (await runs.subjectsOf(id)).flatMap(({ jobId, jobState }) =>
        jobId !== undefined && (jobState === 'queued' || jobState === 'running') ? [jobId] : [],
      );
      if (run.replacedBy !== undefined && open.length === 0) {
        throw new OutpostError('CONFLICT', 'These results were in use before. Nothing of them is being computed.');
      }
      if (run.cancelledTs !== undefined) return open;
      const cancelledTs = session.clock();
      await runs.patch(id, { cancelledTs });
      await runs.#audit('analysis-run.cancel', run, change, { cancelledTs: { new: cancelledTs } });
      return open;
    });
  }

  /**
   * Brings a run up to date: queues the subjects without results, or whose data changed since, and takes in those that are new in
   * the study. One whose change was taken back counts as done again, without an analysis. A cancelled run continues.
   * @returns how many were queued
   * @throws NOT_FOUND, VERSION_NOT_AVAILABLE when there is something to compute, CONFLICT when it is adopted
   */
  async refresh(id: string, studyId: string, change: Change): Promise<number> {
    return await this.session.write(async (session) => {
      const runs = new AnalysisRuns(session);
      const { run, subjects, missing } = await runs.show(id, studyId);
      if (run.adoptedTs !== undefined) throw alreadyAdopted();
      const behind = await runs.#clearUnchanged(subjects);
      const subjectIds = [...behind.map(({ subjectId }) => subjectId), ...missing];
      const isQueued = subjectIds.length > 0;
      if (isQueued && run.version !== ANALYTICS_VERSION) throw versionNotAvailable(run.version, ANALYTICS_VERSION);
      const isContinued = run.cancelledTs !== undefined;
      if (isQueued) await runs.patch(id, { cancelledTs: null, finishedTs: null });
      else if (isContinued) await runs.patch(id, { cancelledTs: null });
      for (const subjectId of subjectIds) await runs.#queue(run, subjectId, change);
      if (isQueued || isContinued) {
        await runs.#audit('analysis-run.refresh', run, change, {
          ...(isContinued && { cancelledTs: { old: run.cancelledTs, new: null } }),
          ...(isQueued && { subjects: { new: subjectIds.length } }),
        });
      }
      return subjectIds.length;
    });
  }

  /**
   * Puts the results of a run into use, and those in use into a run named after it. The study's parameters become those of the
   * run, and its pin, where it needs one, the run's version. Signatures over days see by the content that a day changed.
   * @returns the run of the replaced results; absent when there were none
   * @throws NOT_FOUND, STUDY_LOCKED, INVALID_INPUT without a reason, CONFLICT when it is incomplete, outdated or of some subjects
   */
  async adopt(id: string, studyId: string, change: Change): Promise<AnalysisRunRecord | undefined> {
    return await this.session.write(async (session) => {
      const runs = new AnalysisRuns(session);
      const adoptReason = requireReason(change);
      const study = await new StudyQueries(session).require(studyId);
      if (study.lockedTs !== undefined) throw studyLocked();
      // A mark is no change: data can be as it was again, and results of a version that the program does not have cannot be refreshed.
      await runs.#clearUnchanged((await runs.show(id, studyId)).subjects);
      const shown = await runs.show(id, studyId);
      const { run } = shown;
      await runs.#requireAdoptable(shown);
      const now = session.clock();
      const ofRun = new Set(shown.subjects.map(({ subjectId }) => subjectId));
      const replaced = await runs.#putAsideStudy(study, run, ofRun, change);
      for (const { subjectId } of shown.subjects) await runs.#putInUse(run, subjectId, replaced?.dates, change);
      const waiting = await runs.waitingJobs(studyId);
      await runs.settleJobs(
        waiting.map(({ id: jobId }) => jobId),
        { adoptedRunId: id },
      );
      await runs.patch(id, { adoptedTs: now, adoptedBy: authorOf(change)?.id ?? null, adoptReason });
      await runs.#setParameters(studyId, run.parameters, change);
      const pinnedVersion = pinAfter(study, run);
      if (pinnedVersion !== study.pinnedVersion) await runs.setPin(studyId, pinnedVersion ?? null);
      await runs.#audit('analysis-run.adopt', run, change, {
        adoptedTs: { new: now },
        version: { new: run.version },
        methodHash: { new: run.methodHash },
        ...(replaced && { replacedRun: { new: replaced.run.name } }),
        ...(pinnedVersion !== study.pinnedVersion && {
          pinnedVersion: { old: study.pinnedVersion ?? null, new: pinnedVersion ?? null },
        }),
      });
      return replaced?.run;
    });
  }

  /**
   * Pins a study to a version, or with null to none. Analyses that waited for another one are queued where the program can do them.
   * @throws NOT_FOUND, STUDY_LOCKED, INVALID_INPUT without a reason, VERSION_NOT_AVAILABLE for a version that neither the program nor
   *   any day of the study has
   */
  async pin(studyId: string, pinnedVersion: string | null, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const runs = new AnalysisRuns(session);
      requireReason(change);
      const study = await new StudyQueries(session).require(studyId);
      if (pinnedVersion !== null && pinnedVersion !== ANALYTICS_VERSION) {
        const known = (await runs.daysByVersion(studyId)).map(({ algorithmVersion }) => algorithmVersion);
        if (!known.includes(pinnedVersion) || !isSingleVersion(pinnedVersion)) {
          throw versionNotAvailable(pinnedVersion, ANALYTICS_VERSION);
        }
        if ((await runs.openAnalyses(studyId)).length > 0) {
          throw new OutpostError(
            'CONFLICT',
            'Recordings of the study are being imported or analysed by this version. Pin another one when that is done.',
          );
        }
      }
      const old = study.pinnedVersion ?? null;
      if (old === pinnedVersion) return;
      await runs.setPin(studyId, pinnedVersion);
      await session.audit(change, {
        action: 'study.pin-version',
        entityType: 'study',
        entityId: studyId,
        studyId,
        changes: { pinnedVersion: { old, new: pinnedVersion } },
      });
      await runs.#release(studyId, change);
    });
  }

  /**
   * Begins the deletion of a run, which is shown no more from then on; `completeDeletion` removes its rows. Never of one whose results
   * are or were in use, which the record of the study names, or of the version that the study is pinned to.
   * @param name of the run, as the person confirmed it
   * @throws NOT_FOUND, INVALID_INPUT without a reason or with another name, CONFLICT
   */
  async delete(id: string, studyId: string, name: string, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const runs = new AnalysisRuns(session);
      const { run, subjects } = await runs.show(id, studyId);
      requireReason(change);
      if (name.trim() !== run.name) {
        throw new OutpostError('INVALID_INPUT', 'The name is not that of the run. Enter its name to confirm.', {
          errors: [{ path: 'name', message: 'is not that of the run' }],
        });
      }
      if (run.adoptedTs !== undefined) {
        throw new OutpostError(
          'CONFLICT',
          'The run was adopted, so it is part of how the study was analysed and cannot be deleted.',
        );
      }
      const { pinnedVersion } = await new StudyQueries(session).require(studyId);
      if (pinnedVersion === run.version) {
        throw new OutpostError(
          'CONFLICT',
          `The study is pinned to version ${run.version}, which this run has. Lift the pin, then delete the run.`,
        );
      }
      if (subjects.some(({ state }) => state === 'WAITING' || state === 'RUNNING')) {
        throw new OutpostError('CONFLICT', 'The run is being computed. Cancel it, then delete it.');
      }
      const deletedTs = session.clock();
      await runs.patch(id, { deletedTs });
      await runs.#audit('analysis-run.delete', run, change, {
        name: { old: run.name, new: null },
        version: { old: run.version, new: null },
        methodHash: { old: run.methodHash, new: null },
        parameters: { old: run.parameters, new: null },
        subjects: { old: subjects.length, new: null },
      });
    });
  }

  /**
   * Removes the rows of a run whose deletion has begun, a subject at a time, so that nothing else waits long; ended at any point, it
   * continues when it is called again. Column files that only the run named count as unused from then on, and go like all unused ones.
   */
  async completeDeletion(id: string, signal?: AbortSignal): Promise<void> {
    for (const subjectId of await this.subjectIdsOf(id)) {
      if (signal?.aborted) return;
      await this.session.write(async (session) => {
        const runs = new AnalysisRuns(session);
        const sinceTs = session.clock();
        for (const sha256 of await runs.ownColumns(id, subjectId)) await runs.noteUnused(sha256, sinceTs);
        await runs.deleteResults(id, subjectId);
        await runs.deleteSubject(id, subjectId);
      });
    }
    await this.session.write(async (session) => await new AnalysisRuns(session).deleteRun(id));
  }

  /** Completes the deletions that an end of the program interrupted: called when a site opens. */
  async completeDeletions(signal?: AbortSignal): Promise<void> {
    for (const id of await this.deletions()) await this.completeDeletion(id, signal);
  }

  /** Queues what waited for a version that the program has now: called when a site opens. @returns how many jobs waited */
  async releaseWaiting(): Promise<number> {
    return await this.session.write(async (session) => {
      const runs = new AnalysisRuns(session);
      let count = 0;
      for (const studyId of await runs.studiesWaiting()) count += await runs.#release(studyId, SYSTEM);
      return count;
    });
  }

  /**
   * Takes note, within the transaction that stores results of a subject, that they replace those that the run had of it.
   * @param dataHash of the data that was analysed
   * @throws CANCELLED when the run was cancelled or adopted meanwhile
   */
  async replaceSubject(runId: string, subjectId: string, dataHash: string): Promise<void> {
    const run = await this.get(runId);
    if (!run || run.cancelledTs !== undefined || run.adoptedTs !== undefined) {
      throw new OutpostError('CANCELLED', 'The analysis run was cancelled.');
    }
    await this.deleteResults(runId, subjectId);
    const rows = await this.subjectsOf(runId);
    const { jobId } = rows.find((row) => row.subjectId === subjectId) ?? {};
    const now = this.session.clock();
    // It may have changed while it was analysed.
    const isChanged = dataHash !== (await this.dataHash(subjectId));
    await this.putSubject({ runId, subjectId, jobId, dataHash, storedTs: now, isChanged });
    const isLast = rows.every((row) => row.subjectId === subjectId || row.dataHash !== undefined);
    if (isLast) await this.patch(runId, { finishedTs: now });
  }

  /** Notes that a file with results of a run is lost, so that its subject has to be computed again before the run is adopted. */
  async markLost(runId: string, subjectId: string): Promise<void> {
    await this.session.write(async (session) => await new AnalysisRuns(session).forgetData(runId, subjectId));
  }

  /**
   * Compares the data of subjects that are marked as changed, and clears the mark where it is as it was.
   * @returns those without results of the present data, and without an analysis that waits or runs
   */
  async #clearUnchanged(subjects: readonly RunSubjectShown[]): Promise<RunSubjectShown[]> {
    const behind: RunSubjectShown[] = [];
    for (const subject of subjects) {
      const { runId, subjectId, dataHash, storedTs, jobId, state } = subject;
      if (state === 'WAITING' || state === 'RUNNING' || state === 'DONE') continue;
      if (dataHash !== undefined && dataHash === (await this.dataHash(subjectId))) {
        await this.putSubject({ runId, subjectId, jobId, dataHash, storedTs, isChanged: false });
      } else behind.push(subject);
    }
    return behind;
  }

  async #queue({ id: runId, studyId }: { id: string; studyId: string }, subjectId: string, change: Change) {
    const span = await this.dataSpan(subjectId);
    if (!span) {
      // Everything was rejected since: the result is that there is none.
      await this.deleteResults(runId, subjectId);
      const dataHash = await this.dataHash(subjectId);
      await this.putSubject({ runId, subjectId, dataHash, storedTs: this.session.clock(), isChanged: false });
      return;
    }
    const payload = { studyId, subjectId, ...span, recordingIds: [], runId };
    const job = await new Jobs(this.session).add({ kind: 'analyse', payload }, change);
    await this.setJob(runId, subjectId, job.id);
  }

  async #requireAdoptable({ run, subjects, missing }: ShownRun): Promise<void> {
    if (run.adoptedTs !== undefined) throw alreadyAdopted();
    if (!run.isWholeStudy) {
      throw new OutpostError(
        'CONFLICT',
        'This run has only some subjects, and the subjects of a study are analysed by one method. Start a run of the whole study, then adopt that.',
      );
    }
    const countOf = (...states: RunSubjectState[]) => subjects.filter(({ state }) => states.includes(state)).length;
    const open = countOf('WAITING', 'RUNNING');
    const failed = countOf('FAILED', 'CANCELLED');
    const outdated = countOf('OUTDATED') + missing.length;
    const details = { open, failed, outdated };
    if (open > 0) {
      throw new OutpostError('CONFLICT', `${subjectsText(open)} not analysed yet. Adopt the run when it is complete.`, {
        details,
      });
    }
    if (failed > 0) {
      throw new OutpostError(
        'CONFLICT',
        `${subjectsText(failed)} without results in this run. Bring the run up to date, then adopt it.`,
        { details },
      );
    }
    if (outdated > 0) {
      throw new OutpostError(
        'CONFLICT',
        `${subjectsText(outdated)} outdated in this run: recordings, labels, corrections or time zones changed since. Bring the run up to date, then adopt it.`,
        { details },
      );
    }
    if ((await this.openAnalyses(run.studyId)).length > 0) {
      throw new OutpostError(
        'CONFLICT',
        'Recordings of the study are being imported or analysed. Adopt the run when that is done.',
      );
    }
  }

  /** Moves what is in use into a run of its own. Subjects whose recordings are lost are in no run and keep their results. */
  async #putAsideStudy(
    study: StudyRecord,
    run: AnalysisRunRecord,
    ofRun: ReadonlySet<string>,
    change: Change,
  ): Promise<{ run: AnalysisRunRecord; dates: Map<string, string[]> } | undefined> {
    const subjectIds = (await this.subjectsWithDays(study.id)).filter((subjectId) => ofRun.has(subjectId));
    if (subjectIds.length === 0) return undefined;
    const now = this.session.clock();
    const versions = (await this.daysByVersion(study.id)).map(({ algorithmVersion }) => algorithmVersion);
    const version = versions.length > 0 ? joinedVersion(versions) : ANALYTICS_VERSION;
    const parameters = await this.parametersOf(study.id);
    const before = {
      id: this.session.newId(),
      studyId: study.id,
      name: nameBefore(run.name, await this.names(study.id), MOST_NAME_CHARACTERS),
      reason: requireReason(change),
      version,
      parameters,
      methodHash: analysisMethodHash(version, parameters),
      isWholeStudy: true,
      replacedBy: run.id,
      authorId: authorOf(change)?.id,
      createdTs: now,
      finishedTs: now,
    };
    await this.insert(before);
    const behind = new Set((await this.waitingJobs(study.id)).map(({ subjectId }) => subjectId));
    const dates = new Map<string, string[]>();
    for (const subjectId of subjectIds) {
      const { days, windows } = await this.datesInUse(subjectId);
      dates.set(subjectId, [...new Set([...days, ...windows])].sort());
      await this.putAside(before.id, subjectId);
      // What waited for another program is not in these results.
      const dataHash = behind.has(subjectId) ? undefined : await this.dataHash(subjectId);
      await this.putSubject({ runId: before.id, subjectId, dataHash, storedTs: now, isChanged: false });
    }
    return { run: await this.require(before.id, study.id), dates };
  }

  async #putInUse(
    run: AnalysisRunRecord,
    subjectId: string,
    before: ReadonlyMap<string, string[]> | undefined,
    change: Change,
  ): Promise<void> {
    const { studyId, version } = run;
    await this.putInUse(run.id, subjectId, this.session.clock());
    const { days, windows } = await this.datesInUse(subjectId);
    const present = new Set([...days, ...windows]);
    const removedDates = (before?.get(subjectId) ?? []).filter((date) => !present.has(date));
    const place = { studyId, subjectId };
    // As after an analysis: exports of what changed find the days by it.
    await this.session.audit(change, {
      action: 'analytics.store',
      entityType: 'analytics',
      entityId: subjectId,
      ...place,
      changes: {
        algorithmVersion: { new: version },
        analysisRun: { new: run.name },
        windows: { new: windows },
        days: { new: days },
        ...(removedDates.length > 0 && { removedDates: { new: removedDates } }),
      },
    });
    if (days.length > 0) await this.session.event({ action: 'METRICS_PROCESSED', ...place, referenceId: subjectId });
    const recordings = new Recordings(this.session);
    for (const id of await this.notAnalysed(subjectId)) await recordings.setDataState(id, 'ANALYSED', SYSTEM);
  }

  /** Of a study in any state: they change with the results. */
  async #setParameters(studyId: string, parameters: AnalysisParameters, change: Change): Promise<void> {
    const study = await new StudyQueries(this.session).requireDetail(studyId);
    const before = definitionOf(study);
    const old = completeParameters(before.analysisParameters);
    if (canonicalParameters(old) === canonicalParameters(parameters)) return;
    const after = mergeDefinition(before, { analysisParameters: parameters }, this.session.newId);
    await new StudyDefinitions(this.session).store(study, before, after);
    await this.session.audit(change, {
      action: 'study.definition',
      entityType: 'study',
      entityId: studyId,
      studyId,
      changes: { analysisParameters: { old, new: parameters } },
    });
  }

  async #release(studyId: string, change: Change): Promise<number> {
    const { pinnedVersion, lockedTs } = await new StudyQueries(this.session).require(studyId);
    if (lockedTs !== undefined || (pinnedVersion ?? ANALYTICS_VERSION) !== ANALYTICS_VERSION) return 0;
    const waiting = await this.waitingJobs(studyId);
    const jobs = new Jobs(this.session);
    for (const { id } of waiting) {
      const { payload } = (await jobs.get(id))!;
      const queued = await jobs.queue('analyse', payload as AnalysePayload, change);
      await this.settleJobs([id], { queuedAgainAs: queued.id });
    }
    return waiting.length;
  }

  async #audit(
    action: string,
    { id, studyId }: { id: string; studyId: string },
    change: Change,
    changes: Parameters<typeof this.session.audit>[1]['changes'],
  ): Promise<void> {
    await this.session.audit(change, {
      action,
      entityType: 'analysis-run',
      entityId: id,
      studyId,
      ...(changes && { changes }),
    });
  }
}

const alreadyAdopted = () => new OutpostError('CONFLICT', 'The run is adopted already: its results are in use.');

const subjectsText = (count: number) => (count === 1 ? '1 subject is' : `${count} subjects are`);

/**
 * A study that is pinned follows the run. One that is not becomes so when the program has another version: its new days would be
 * computed by that one beside those of the run.
 */
function pinAfter(study: StudyRecord, { version }: AnalysisRunRecord): string | undefined {
  if (!isSingleVersion(version)) return study.pinnedVersion;
  return study.pinnedVersion !== undefined || version !== ANALYTICS_VERSION ? version : undefined;
}
