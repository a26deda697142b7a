/**
 * Why a subject has no data at a time: turns facts of the study, the equipment, the data path and the analysis into causes in order, each
 * with its evidence. Pure.
 */
import { type Cause, inOrder, makeCause } from './causes.ts';
import { type PathItem, spanOf, spansOf } from './days.ts';
import { isStored, LEAST_HOLE_MS, type WhyFacts, wait } from './facts.ts';
import { openCauses, stoppedCause } from './open-causes.ts';
import { pathCause } from './path-causes.ts';
import { processingCauses } from './processing-causes.ts';
import { ecgCauses } from './reported.ts';
import { clip, holesIn, lengthMs, type TimeSpan } from './spans.ts';

export interface Hole extends TimeSpan {
  /** Only this placement has no data; others recorded. */
  location?: string;
  causes: Cause[];
}

export interface WhyNoData {
  /** Only the time before now is examined: the future is not missing. */
  untilMs: number;
  /** Time with at least one stored recording. */
  recordedSeconds: number;
  holes: Hole[];
  causes: Cause[];
}

/** Returns the holes of a span, such as a local day, with their causes; the future is not a hole. */
export function whyNoData(facts: WhyFacts, span: TimeSpan): WhyNoData {
  const past = clip(span, { startMs: Number.NEGATIVE_INFINITY, stopMs: facts.nowMs });
  if (!past) {
    const cause = makeCause('DAY_TO_COME', {}, wait(facts));
    return { untilMs: span.startMs, recordedSeconds: 0, holes: [], causes: [cause] };
  }
  const stored = facts.path.filter((item) => isStored(item) && clip(spanOf(item), past));
  const emptySpans = holesIn(stored.flatMap(spansOf), past);
  const recordedSeconds = Math.round((past.stopMs - past.startMs - lengthMs(emptySpans)) / 1000);
  const long = (hole: TimeSpan) => hole.stopMs - hole.startMs >= LEAST_HOLE_MS;
  const holes: Hole[] = emptySpans.filter(long).map((hole) => ({ ...hole, causes: causesOf(facts, hole, undefined) }));
  for (const [location, sensorIds] of placements(facts, past)) {
    const own = stored.filter((item) => item.location === location);
    const alone = holesIn([...own.flatMap(spansOf), ...emptySpans], past).filter(long);
    for (const hole of alone) {
      const causes = causesOf(facts, hole, sensorIds);
      if (causes.length > 0) holes.push({ ...hole, location, causes });
    }
  }
  for (const item of stored) holes.push(...ecgHoles(facts, item, past));
  holes.sort((a, b) => a.startMs - b.startMs || (a.location ?? '').localeCompare(b.location ?? ''));
  const causes = inOrder([
    ...holes.flatMap((hole) => hole.causes),
    ...processingCauses(facts, stored, recordedSeconds),
  ]);
  return { untilMs: past.stopMs, recordedSeconds, holes, causes };
}

/** Where a recording has an ECG channel and other signals, but no ECG. */
function ecgHoles(facts: WhyFacts, item: PathItem, span: TimeSpan): Hole[] {
  const { ecg, sensorId, location } = item;
  if (!ecg) return [];
  return spansOf(item)
    .flatMap((part) => clip(part, span) ?? [])
    .flatMap((part) => holesIn(ecg, part))
    .filter(({ startMs, stopMs }) => stopMs - startMs >= LEAST_HOLE_MS)
    .map((hole) => ({
      ...hole,
      ...(location !== undefined && { location }),
      causes: ecgCauses(facts, sensorId, hole),
    }));
}

/** Placements at which sensors are known to record, with the sensors that the subject held or that recorded in the span. */
function placements(facts: WhyFacts, span: TimeSpan): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const held = new Set(facts.holdings.filter((holding) => clip(holding, span)).map(({ sensorId }) => sensorId));
  for (const item of facts.path) {
    const { sensorId, location } = item;
    if (location === undefined || !(held.has(sensorId) || (isStored(item) && clip(spanOf(item), span)))) continue;
    found.set(location, (found.get(location) ?? new Set()).add(sensorId));
  }
  return found;
}

/** Causes of data that exists somewhere come before those that make data unlikely, because it can still be recovered. */
function causesOf(facts: WhyFacts, hole: TimeSpan, only: ReadonlySet<string> | undefined): Cause[] {
  const stopped = stoppedCause(facts, hole);
  if (stopped) return [stopped];
  const onTheWay = facts.path.filter(
    (item) =>
      !isStored(item) &&
      (only === undefined || only.has(item.sensorId)) &&
      (item.hasWrongClock ? (item.reportedTs ?? 0) >= hole.startMs : clip(spanOf(item), hole)),
  );
  const found = onTheWay.map((item) => pathCause(facts, item));
  const known = onTheWay.filter(({ hasWrongClock }: PathItem) => !hasWrongClock).map(spanOf);
  const open = holesIn(known, hole).filter(({ startMs, stopMs }) => stopMs - startMs >= LEAST_HOLE_MS);
  for (const rest of open) found.push(...openCauses(facts, rest, only));
  return inOrder(found);
}
