/** Interruptions of a recording that grows, for the person in front of the screen; the file has marks of its own. */
import type { RecorderStatus } from './recording/recorder.ts';

export interface LiveGap {
  /** Code of a problem, or NO_CONTACT. */
  reason: string;
  /** Epoch ms by the clock of the screen. */
  fromTs: number;
  /** Absent while it lasts. */
  toTs?: number;
}

const MAX_GAPS = 200;

/** Returns the gaps after a change of the status. */
export function followGaps(gaps: readonly LiveGap[], status: RecorderStatus, nowTs: number): readonly LiveGap[] {
  const reason = reasonOf(status);
  const last = gaps.at(-1);
  const open = last && last.toTs === undefined ? last : undefined;
  if (open?.reason === reason) return gaps;
  // The end of a link is known before its reason.
  if (open && reason !== undefined && open.reason === 'LINK_LOST' && status.phase === 'RECONNECTING') {
    return [...gaps.slice(0, -1), { ...open, reason }];
  }
  const ended = open ? [...gaps.slice(0, -1), { ...open, toTs: nowTs }] : gaps;
  return reason === undefined ? ended : [...ended, { reason, fromTs: nowTs }].slice(-MAX_GAPS);
}

function reasonOf({ phase, hasContact, problem }: RecorderStatus): string | undefined {
  if (phase === 'RECONNECTING' || phase === 'FAILED') return problem?.code ?? 'LINK_LOST';
  return phase === 'RECORDING' && hasContact === false ? 'NO_CONTACT' : undefined;
}
