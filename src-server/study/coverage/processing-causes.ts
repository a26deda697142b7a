/** Why what was recorded and is here has no numbers. Pure. */
import { type Action, type Cause, makeCause } from './causes.ts';
import { type PathItem, spanOf } from './days.ts';
import { type WhyFacts, wait } from './facts.ts';
import { clip } from './spans.ts';

/** Less unworn time than this is a shower, not a reason to call. */
const LEAST_UNWORN_SECONDS = 3600;
/** Below this share of the worn time a heart signal counts as unreadable. */
const LEAST_READABLE_SHARE = 0.1;

/** Shorter stretches without beats are as likely an arm that shakes the electrodes. */
const LEAST_UNRESOLVED_SECONDS = 30;

/** Recorded and here, and yet without numbers. */
export function processingCauses(facts: WhyFacts, stored: readonly PathItem[], recordedSeconds: number): Cause[] {
  // Where the analysis found nobody wearing anything, it made no day.
  const { subject, day = { wornSeconds: 0, heartSeconds: 0 } } = facts;
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
    const hasHeart = stored.some(({ location }) => location !== undefined && HEART_LOCATIONS.has(location));
    const { unresolvedSeconds = 0 } = day;
    if (unresolvedSeconds >= LEAST_UNRESOLVED_SECONDS)
      causes.push(makeCause('RHYTHM_UNRESOLVED', { seconds: unresolvedSeconds }, { kind: 'SHOW_SUBJECT', target }));
    const readable = (day.heartSeconds + unresolvedSeconds) / Math.max(1, day.wornSeconds);
    if (hasHeart && day.wornSeconds >= LEAST_UNWORN_SECONDS && readable < LEAST_READABLE_SHARE) {
      const evidence = { seconds: day.heartSeconds };
      causes.push(makeCause('SIGNAL_UNREADABLE', evidence, { kind: 'CHECK_ELECTRODES', target }));
    }
  }
  return causes;
}

const HEART_LOCATIONS: ReadonlySet<string> = new Set(['MEDIAL_CHEST', 'ECG_LEAD_II', 'PECTORALIS']);
