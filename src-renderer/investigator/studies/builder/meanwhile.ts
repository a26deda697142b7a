/** Three-way merge of the draft edited here with what someone else saved meanwhile. */
import type { Draft } from './draft.ts';
import type { Part } from './problems.ts';

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Keeps the local value where both sides changed it differently, and reports that as a clash. */
function mergeOne<T>(base: T, mine: T, theirs: T): { value: T; isClash: boolean } {
  if (isSame(mine, base) || isSame(mine, theirs)) return { value: theirs, isClash: false };
  return { value: mine, isClash: !isSame(theirs, base) };
}

/** Keys of both, in the order of `list`. */
const sharedOrder = (list: Iterable<string>, other: ReadonlyMap<string, unknown>) =>
  [...list].filter((key) => other.has(key));

/**
 * Merges by element. The order is that of the side that changed it; where both added elements, those added here come last. A clash
 * of orders is one like any other.
 */
function mergeList<T>(base: readonly T[], mine: readonly T[], theirs: readonly T[], keyOf: (one: T) => string) {
  const byKey = (list: readonly T[]) => new Map(list.map((one) => [keyOf(one), one]));
  const [before, here, there] = [byKey(base), byKey(mine), byKey(theirs)];
  const value: T[] = [];
  const order = mergeOne(
    sharedOrder(sharedOrder(before.keys(), here), there),
    sharedOrder(sharedOrder(here.keys(), before), there),
    sharedOrder(sharedOrder(there.keys(), before), here),
  );
  let clashes = order.isClash;
  const isSameThere = isSame([...there.keys()], [...before.keys()]);
  const isReorderedHere = !isSame(order.value, sharedOrder(sharedOrder(there.keys(), before), here));
  const keys = isSameThere || isReorderedHere ? [...here.keys(), ...there.keys()] : [...there.keys(), ...here.keys()];
  for (const key of new Set(keys)) {
    const one = mergeOne(before.get(key), here.get(key), there.get(key));
    clashes ||= one.isClash;
    if (one.value !== undefined) value.push(one.value);
  }
  return { value, isClash: clashes };
}

/**
 * @param base the definition that both started from
 * @returns the merged draft, and the parts in which both changed the same element
 */
export function withMeanwhile(base: Draft, mine: Draft, theirs: Draft): { draft: Draft; clashes: Part[] } {
  const list = <K extends 'activities' | 'diaries' | 'deviceConfigs'>(part: K) =>
    mergeList<Draft[K][number]>(base[part], mine[part], theirs[part], ({ id }) => id);
  const activities = list('activities');
  const diaries = list('diaries');
  const deviceConfigs = list('deviceConfigs');
  const fields = mergeList(
    base.subjectMetadataFields,
    mine.subjectMetadataFields,
    theirs.subjectMetadataFields,
    ({ displayName }) => displayName,
  );
  const days = mergeOne(base.program?.days, mine.program?.days, theirs.program?.days);
  const tasks = mergeList(
    base.program?.tasks ?? [],
    mine.program?.tasks ?? [],
    theirs.program?.tasks ?? [],
    ({ taskId }) => taskId,
  );
  const program = days.value === undefined ? undefined : { days: days.value, tasks: tasks.value };
  const analysis = mergeOne(base.analysisParameters, mine.analysisParameters, theirs.analysisParameters);
  const quality = mergeOne(base.qualityTargets, mine.qualityTargets, theirs.qualityTargets);
  const clashOf: Record<Part, boolean> = {
    activities: activities.isClash,
    diaries: diaries.isClash,
    fields: fields.isClash,
    sensors: deviceConfigs.isClash,
    program: days.isClash || tasks.isClash,
    analysis: analysis.isClash,
    quality: quality.isClash,
  };
  const draft = {
    ...theirs,
    activities: activities.value as Draft['activities'],
    diaries: diaries.value as Draft['diaries'],
    deviceConfigs: deviceConfigs.value as Draft['deviceConfigs'],
    subjectMetadataFields: fields.value,
    program,
    ...(analysis.value && { analysisParameters: analysis.value }),
    ...(quality.value && { qualityTargets: quality.value }),
  };
  return {
    draft: isSame(draft, theirs) ? theirs : draft,
    clashes: (Object.keys(clashOf) as Part[]).filter((part) => clashOf[part]),
  };
}
