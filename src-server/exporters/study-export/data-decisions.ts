/**
 * What subjects who withdrew decided on their data, applied to every format of study exports: writers read through a store that holds
 * nothing of a subject whose data is not used, and of one whose data is kept until the withdrawal only what was collected by the end of
 * that date. A recording that runs past it is left out whole. What a subject asks for of their own data is not filtered.
 */
import type { ReadStore } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import { midnightWindow } from '../../study/day-windows.ts';
import type { DataDecision } from '../../vocabulary/participation.ts';
import type { AppliedDecision, StudyExportContext, StudyExportOptions, StudyExportWriter } from './types.ts';

/** Replaces some methods of a repository; the others stay as they are. */
function overridden<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get: (of, name) => {
      const replaced = methods[name as keyof T];
      if (replaced !== undefined) return replaced;
      const value: unknown = Reflect.get(of, name, of);
      return typeof value === 'function' ? value.bind(of) : value;
    },
  });
}

async function* filtered<T>(slices: AsyncGenerator<T[]>, isKept: (row: T) => boolean): AsyncGenerator<T[]> {
  for await (const slice of slices) yield slice.filter(isKept);
}

/** A store without what must not be exported. */
function decidedStore(store: ReadStore, decisions: readonly AppliedDecision[]): ReadStore {
  const unused = new Set(decisions.flatMap((one) => (one.dataDecision === 'DO_NOT_USE' ? [one.subjectId] : [])));
  const kept = new Map(decisions.map((one) => [one.subjectId, one]));
  const untilOf = (subjectId: string) => kept.get(subjectId)?.untilMs ?? Number.POSITIVE_INFINITY;
  const lastDateOf = (subjectId: string) => kept.get(subjectId)?.date ?? '9999-12-31';
  const { subjects, recordings, analytics, annotations, faults, corrections, notes, dataQueries } = store;
  return overridden(store, {
    subjects: overridden(subjects, {
      list: async (...request) => (await subjects.list(...request)).filter(({ id }) => !unused.has(id)),
    }),
    recordings: overridden(recordings, {
      listForSubject: async (subjectId, ...rest) =>
        (await recordings.listForSubject(subjectId, ...rest)).filter(
          ({ stopUs }) => stopUs <= untilOf(subjectId) * 1000,
        ),
    }),
    analytics: overridden(analytics, {
      days: async (subjectId, ...rest) =>
        (await analytics.days(subjectId, ...rest)).filter(({ date }) => date <= lastDateOf(subjectId)),
      uncorrectedDays: async (subjectId, ...rest) =>
        (await analytics.uncorrectedDays(subjectId, ...rest)).filter(({ date }) => date <= lastDateOf(subjectId)),
      // The last one runs until noon after the date: who reads its seconds stops at `FramedSubject.untilMs`.
      windows: async (subjectId, ...rest) =>
        (await analytics.windows(subjectId, ...rest)).filter(({ startTs }) => startTs < untilOf(subjectId)),
    }),
    annotations: overridden(annotations, {
      slices: (subjectId, ...rest) =>
        filtered(annotations.slices(subjectId, ...rest), ({ startTs }) => startTs < untilOf(subjectId)),
    }),
    faults: overridden(faults, {
      listForSubject: async (subjectId, ...rest) =>
        (await faults.listForSubject(subjectId, ...rest)).filter(({ faultTs }) => faultTs < untilOf(subjectId)),
    }),
    corrections: overridden(corrections, {
      ofSubject: async (subjectId, ...rest) =>
        (await corrections.ofSubject(subjectId, ...rest)).filter(
          ({ startTs, timeUs }) => (startTs ?? (timeUs ?? 0) / 1000) < untilOf(subjectId),
        ),
    }),
    notes: overridden(notes, {
      slices: (place, ...rest) =>
        filtered(notes.slices(place, ...rest), ({ subjectId, createdTs }) => {
          if (subjectId !== undefined && unused.has(subjectId)) return false;
          return createdTs < untilOf(subjectId ?? '');
        }),
    }),
    dataQueries: overridden(dataQueries, {
      ofSubject: async (subjectId, ...rest) =>
        (await dataQueries.ofSubject(subjectId, ...rest)).filter(({ openedTs }) => openedTs < untilOf(subjectId)),
    }),
  });
}

/** With the names of the plan among the texts of the definition, which a de-identified export discloses on request. */
async function withPlanTexts(store: ReadStore, studyId: string): Promise<ReadStore> {
  const { plan } = await store.participation.plan(studyId);
  const named = [...plan.groups, ...plan.strata, ...plan.visits].map(({ displayName }) => displayName);
  const planTexts = [...named, ...plan.consentForms.map(({ version }) => version)];
  const { studies } = store;
  return overridden(store, {
    studies: overridden(studies, {
      getDetail: async (id) => {
        const study = await studies.getDetail(id);
        return study && { ...study, planTexts };
      },
    }),
  });
}

/** The decisions that apply to an export, of the subjects that it was asked for. */
async function decisionsOf(
  { participation, subjects }: ReadStore,
  { studyId, subjectIds }: Pick<StudyExportOptions, 'studyId' | 'subjectIds'>,
): Promise<AppliedDecision[]> {
  const applied: AppliedDecision[] = [];
  for (const { subjectId, dataDecision, statusDate: date } of await participation.dataDecisions(studyId)) {
    if (dataDecision === 'KEEP_ALL' || !(subjectIds?.includes(subjectId) ?? true)) continue;
    const untilMs =
      dataDecision === 'DO_NOT_USE'
        ? Number.NEGATIVE_INFINITY
        : midnightWindow(date, await subjects.zones(subjectId)).stopMs;
    applied.push({ subjectId, dataDecision, date, untilMs });
  }
  return applied;
}

/**
 * Lets a writer see only what subjects allow.
 * @throws CONFLICT for the changed rows since an earlier export that holds more than a subject allows now
 */
export function withDataDecisions(writer: StudyExportWriter): StudyExportWriter {
  return async (context, options, out) => {
    const decisions = await decisionsOf(context.store, options);
    const { sinceTs } = options;
    if (sinceTs !== null && (await isDecidedSince(context, decisions, sinceTs))) {
      throw new OutpostError(
        'CONFLICT',
        'A subject withdrew since the earlier export, which holds data that may no longer be used. Request a full export.',
      );
    }
    const store = decidedStore(await withPlanTexts(context.store, options.studyId), decisions);
    return await writer({ ...context, store, decisions }, options, out);
  };
}

async function isDecidedSince(
  { store }: StudyExportContext,
  decisions: readonly AppliedDecision[],
  sinceTs: number,
): Promise<boolean> {
  for (const { subjectId } of decisions) {
    const steps = await store.participation.steps(subjectId);
    if (steps.some(({ kind, createdTs }) => kind === 'STATUS' && createdTs >= sinceTs)) return true;
  }
  return false;
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
