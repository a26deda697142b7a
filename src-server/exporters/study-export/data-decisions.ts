/**
 * What subjects who withdrew decided on their data, applied to every format of study exports: writers read through a store that holds
 * nothing of a subject whose data is not used, and of one whose data is kept until the withdrawal only what was collected by the end of
 * that date. A recording that runs past it is left out whole. What writers may read is listed here: anything else is refused. What a
 * subject asks for of their own data is not filtered.
 */
import type { ReadStore } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import { midnightWindow } from '../../study/day-windows.ts';
import { lastUsableDate } from '../../study/participation.ts';
import { monthAndBit, type TaskMonth } from '../../study/program.ts';
import type { DataDecision } from '../../vocabulary/participation.ts';
import type { AppliedDecision, StudyExportContext, StudyExportOptions, StudyExportWriter } from './types.ts';

/**
 * A repository of which writers have only what applies the decisions: the replaced methods, and those that read nothing of a subject or
 * only what a filtered method named. Any other is refused, so that a new reader cannot pass by the decisions unnoticed.
 * @throws Error when another method is used
 */
function limited<T extends object>(target: T, replaced: Partial<T>, unfiltered: readonly (keyof T)[] = []): T {
  const kept = new Set<PropertyKey>(unfiltered);
  return new Proxy(target, {
    get: (of, name) => {
      const method = replaced[name as keyof T];
      if (method !== undefined) return method;
      // Asked for by `await` and by printing.
      if (typeof name === 'symbol' || name === 'then') return undefined;
      if (!kept.has(name)) {
        throw new Error(
          `A study export must not use ${name}, which does not apply what subjects decided on their data.`,
        );
      }
      const value: unknown = Reflect.get(of, name, of);
      return typeof value === 'function' ? value.bind(of) : value;
    },
  });
}

async function* filtered<T>(slices: AsyncGenerator<T[]>, isKept: (row: T) => boolean): AsyncGenerator<T[]> {
  for await (const slice of slices) yield slice.filter(isKept);
}

const MONTH_LENGTH = 'YYYY-MM'.length;

/** The days of a month up to a date. */
function daysUntil<T extends TaskMonth>(row: T, lastDate: string): T {
  const lastMonth = lastDate.slice(0, MONTH_LENGTH);
  if (row.month < lastMonth) return row;
  // The bits of that date and of those before it.
  const days = row.month > lastMonth ? 0 : row.days % (2 * monthAndBit(lastDate).bit);
  return { ...row, days };
}

/** A store without what must not be exported. */
function decidedStore(store: ReadStore, decisions: readonly AppliedDecision[]): ReadStore {
  const limits = new Map(decisions.map((one) => [one.subjectId, one]));
  const untilOf = (subjectId: string) => limits.get(subjectId)?.untilMs ?? Number.POSITIVE_INFINITY;
  const isUnused = (subjectId: string) => untilOf(subjectId) === Number.NEGATIVE_INFINITY;
  const lastDateOf = (subjectId: string) =>
    isUnused(subjectId) ? '0000-00-00' : (limits.get(subjectId)?.date ?? '9999-12-31');
  const { subjects, recordings, analytics, annotations, faults, corrections, notes, dataQueries, taskDays } = store;
  const { studies, participation, equipment, signatures, audit, users } = store;
  const repositories: Partial<ReadStore> = {
    subjects: limited(
      subjects,
      { list: async (...request) => (await subjects.list(...request)).filter(({ id }) => !isUnused(id)) },
      ['zones', 'zonesOf'],
    ),
    recordings: limited(
      recordings,
      {
        listForSubject: async (subjectId, ...rest) =>
          (await recordings.listForSubject(subjectId, ...rest)).filter(
            ({ stopUs }) => stopUs <= untilOf(subjectId) * 1000,
          ),
      },
      // Whether there is any at all; what it holds is read from windows.
      ['hasData'],
    ),
    analytics: limited(
      analytics,
      {
        days: async (subjectId, ...rest) =>
          (await analytics.days(subjectId, ...rest)).filter(({ date }) => date <= lastDateOf(subjectId)),
        uncorrectedDays: async (subjectId, ...rest) =>
          (await analytics.uncorrectedDays(subjectId, ...rest)).filter(({ date }) => date <= lastDateOf(subjectId)),
        valuesOf: async (...request) =>
          (await analytics.valuesOf(...request)).filter(({ subjectId, date }) => date <= lastDateOf(subjectId)),
        wornSpans: async (subjectIds, toDate = '9999-12-31') => {
          const ends = Map.groupBy(subjectIds, (id) => [toDate, lastDateOf(id)].sort()[0]!);
          const spans: [string, { firstDate: string; lastDate: string }][] = [];
          for (const [end, ids] of ends) spans.push(...(await analytics.wornSpans(ids, end)));
          return new Map(spans);
        },
        // The last one runs until noon after the date: who reads its seconds stops at `FramedSubject.untilMs`.
        windows: async (subjectId, ...rest) =>
          (await analytics.windows(subjectId, ...rest)).filter(({ startTs }) => startTs < untilOf(subjectId)),
      },
      ['seconds', 'windowContent'],
    ),
    annotations: limited(
      annotations,
      {
        slices: (subjectId, ...rest) =>
          filtered(annotations.slices(subjectId, ...rest), ({ startTs }) => startTs < untilOf(subjectId)),
      },
      ['answersOf'],
    ),
    faults: limited(faults, {
      listForSubject: async (subjectId, ...rest) =>
        (await faults.listForSubject(subjectId, ...rest)).filter(({ faultTs }) => faultTs < untilOf(subjectId)),
    }),
    corrections: limited(
      corrections,
      {
        ofSubject: async (subjectId, ...rest) =>
          (await corrections.ofSubject(subjectId, ...rest)).filter(
            ({ startTs, timeUs }) => (startTs ?? (timeUs ?? 0) / 1000) < untilOf(subjectId),
          ),
      },
      ['ofBeats'],
    ),
    notes: limited(notes, {
      slices: (place, ...rest) =>
        filtered(
          notes.slices(place, ...rest),
          ({ subjectId, createdTs }) => subjectId === undefined || createdTs < untilOf(subjectId),
        ),
    }),
    dataQueries: limited(
      dataQueries,
      {
        ofSubject: async (subjectId, ...rest) =>
          (await dataQueries.ofSubject(subjectId, ...rest)).filter(({ openedTs }) => openedTs < untilOf(subjectId)),
      },
      ['stepsOf'],
    ),
    taskDays: limited(taskDays, {
      months: async (...request) =>
        (await taskDays.months(...request)).flatMap((row) => {
          const cut = daysUntil(row, lastDateOf(row.subjectId));
          return cut.days === 0 ? [] : [cut];
        }),
    }),
    studies: limited(studies, {}, ['getDetail', 'questionTexts', 'programHistory']),
    // What staff entered, of subjects that are listed.
    participation: limited(participation, {}, ['isUsed', 'plan', 'standingsOfStudy', 'steps', 'visits']),
    equipment: limited(equipment, {}, ['everHeldBy']),
    signatures: limited(signatures, {}, ['shown']),
    // Ids and dates of what changed or was removed; writers take those of subjects that are listed.
    audit: limited(audit, {}, ['changesOfStudy']),
    users: limited(users, {}, ['get']),
  };
  return limited(store, repositories);
}

/** The names of groups, strata and visits, and the versions of the consent form. */
async function planTextsOf({ participation }: ReadStore, studyId: string): Promise<string[]> {
  const { plan } = await participation.plan(studyId);
  const named = [...plan.groups, ...plan.strata, ...plan.visits].map(({ displayName }) => displayName);
  return [...named, ...plan.consentForms.map(({ version }) => version)];
}

/** The decisions that apply to an export, of the subjects that it was asked for. */
async function decisionsOf(
  { participation, subjects }: ReadStore,
  { studyId, subjectIds }: Pick<StudyExportOptions, 'studyId' | 'subjectIds'>,
): Promise<AppliedDecision[]> {
  const applied: AppliedDecision[] = [];
  for (const { subjectId, dataDecision, statusDate: date } of await participation.dataDecisions(studyId)) {
    const lastDate = lastUsableDate({ status: 'WITHDRAWN', statusDate: date, dataDecision });
    if (lastDate === undefined || !(subjectIds?.includes(subjectId) ?? true)) continue;
    const untilMs =
      lastDate === null ? Number.NEGATIVE_INFINITY : midnightWindow(lastDate, await subjects.zones(subjectId)).stopMs;
    applied.push({ subjectId, dataDecision, date, untilMs });
  }
  return applied;
}

/**
 * Lets a writer see only what subjects allow.
 * @throws CONFLICT for the changed rows since an earlier export that holds more or less of a subject than is allowed now
 */
export function withDataDecisions(writer: StudyExportWriter): StudyExportWriter {
  return async (context, options, out) => {
    const decisions = await decisionsOf(context.store, options);
    const { studyId, subjectIds, sinceTs } = options;
    if (sinceTs !== null) {
      const changed = await context.store.participation.limitedOrReleasedSince(studyId, sinceTs);
      if (changed.size > 0 && (subjectIds?.some((id) => changed.has(id)) ?? true)) {
        throw new OutpostError(
          'CONFLICT',
          'What may be used of a withdrawn subject changed since the earlier export. Request a full export.',
        );
      }
    }
    const planTexts = await planTextsOf(context.store, studyId);
    const store = decidedStore(context.store, decisions);
    return await writer({ ...context, store, decisions, planTexts }, options, out);
  };
}

/** What a manifest says of data that was left out; absent where nothing was. @param idOf id, or code */
export function decisionsInManifest(
  { decisions = [] }: Pick<StudyExportContext, 'decisions'>,
  idOf: (subjectId: string) => string,
): { withdrawals?: { subjectId: string; dataDecision: DataDecision }[] } {
  if (decisions.length === 0) return {};
  const rows = decisions.map(({ subjectId, dataDecision }) => ({ subjectId: idOf(subjectId), dataDecision }));
  return { withdrawals: rows.sort((a, b) => (a.subjectId < b.subjectId ? -1 : 1)) };
}
