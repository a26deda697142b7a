/** Causes for stored recordings without metrics. Pure. */
import { HOUR_MS } from '../../durations.ts';
import { type Action, type Cause, makeCause } from './causes.ts';
import { type PathItem, spanOf } from './days.ts';
import { LEAST_HOLE_MS, type WhyFacts, wait } from './facts.ts';
import { clip, lengthMs } from './spans.ts';

/** Shorter unworn time is a shower, not a reason to call the subject. */
const LEAST_UNWORN_SECONDS = 3600;
/** This much time without a heart rate, in spans that movement does not explain, points to the electrodes. */
const LEAST_UNREADABLE_MS = HOUR_MS;

/** Shorter spans without beats may just as well be arm movement. */
const LEAST_UNRESOLVED_SECONDS = 30;

/** Returns the causes for recordings that are stored but have no metrics. */
export function processingCauses(facts: WhyFacts, stored: readonly PathItem[], recordedSeconds: number): Cause[] {
  // The analysis creates no day when nothing was worn.
  const { subject, day = { wornSeconds: 0, unreadable: [] } } = facts;
  const causes: Cause[] = [];
  for (const item of stored.filter(({ state }) => state === 'VERIFIED')) {
    const own = facts.analyses.filter(({ fromMs, toMs }) => clip(spanOf(item), { startMs: fromMs, stopMs: toMs }));
    const failed = own.find(({ hasFailed }) => hasFailed);
    if (!failed) {
      causes.push(makeCause('ANALYSIS_WAITING', own[0] ? { jobId: own[0].jobId } : {}, wait(facts)));
      continue;
    }
    const evidence = { jobId: failed.jobId, ...(failed.detail !== undefined && { detail: failed.detail }) };
    const target: Action['target'] = { type: 'job', id: failed.jobId };
    causes.push(makeCause('ANALYSIS_FAILED', evidence, { kind: 'RETRY_JOB', target }));
  }
  const target: Action['target'] = { type: 'subject', id: subject.id };
  if (stored.every(({ state }) => state === 'ANALYSED')) {
    const unworn = recordedSeconds - day.wornSeconds;
    if (unworn >= LEAST_UNWORN_SECONDS)
      causes.push(makeCause('NOT_WORN', { seconds: unworn }, { kind: 'CALL_SUBJECT', target }));
    const { unresolvedSeconds = 0 } = day;
    if (unresolvedSeconds >= LEAST_UNRESOLVED_SECONDS)
      causes.push(makeCause('RHYTHM_UNRESOLVED', { seconds: unresolvedSeconds }, { kind: 'SHOW_SUBJECT', target }));
    const unreadable = day.unreadable.filter(({ startMs, stopMs }) => stopMs - startMs >= LEAST_HOLE_MS);
    const [first, last] = [unreadable[0], unreadable.at(-1)];
    // Time whose rhythm has no separate beats does not point to the electrodes.
    const blamedMs = lengthMs(unreadable) - unresolvedSeconds * 1000;
    if (first && last && blamedMs >= LEAST_UNREADABLE_MS) {
      const seconds = Math.round(blamedMs / 1000);
      const evidence = { seconds, atTs: first.startMs, untilTs: last.stopMs };
      causes.push(makeCause('SIGNAL_UNREADABLE', evidence, { kind: 'CHECK_ELECTRODES', target }));
    }
  }
  return causes;
}
