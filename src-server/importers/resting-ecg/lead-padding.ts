/** Padding of DICOM waveforms: counts that stand where a lead was not recorded. */
import type { RestingLead, Run } from './resting-recording.ts';

const INT16_MAX = 32_767;
/** A shorter run of an ordinary count is signal. */
const LEAST_PADDING_SECONDS = 1;

/**
 * Where a lead was recorded. Padding at the end of the range is padding wherever it stands. Files also declare ordinary counts, such as 0,
 * which a lead passes in every beat: those are padding only where they fill its beginning or its end.
 */
function recordedRuns(counts: Int32Array, padding: number, rateHz: number): Run[] {
  if (Math.abs(padding) >= INT16_MAX) return runsWithout(counts, padding);
  const least = LEAST_PADDING_SECONDS * rateHz;
  let from = 0;
  while (from < counts.length && counts[from] === padding) from++;
  if (from < least && from < counts.length) from = 0;
  let to = counts.length;
  while (to > from && counts[to - 1] === padding) to--;
  if (counts.length - to < least) to = counts.length;
  return to > from ? [{ from, to }] : [];
}

function runsWithout(counts: Int32Array, padding: number): Run[] {
  const runs: Run[] = [];
  for (let at = 0; at < counts.length; at++) {
    if (counts[at] === padding) continue;
    const last = runs.at(-1);
    if (last?.to === at) last.to = at + 1;
    else runs.push({ from: at, to: at + 1 });
  }
  return runs;
}

/** Leads that were recorded at the same times, together, in the order of the file; those that hold padding alone are only named. */
export function leadsByRuns(
  leads: readonly RestingLead[],
  padding: number | null,
  rateHz: number,
): { parts: { leads: RestingLead[]; runs: Run[] }[]; padded: string[] } {
  if (padding === null)
    return { parts: [{ leads: [...leads], runs: [{ from: 0, to: leads[0]!.counts.length }] }], padded: [] };
  const parts = new Map<string, { leads: RestingLead[]; runs: Run[] }>();
  const padded: string[] = [];
  for (const lead of leads) {
    const runs = recordedRuns(lead.counts, padding, rateHz);
    const [first] = runs;
    if (!(first && runs.length === 1 && first.from === 0 && first.to === lead.counts.length)) padded.push(lead.name);
    if (!first) continue;
    const key = runs.map(({ from, to }) => `${from}-${to}`).join();
    const part = parts.get(key) ?? { leads: [], runs };
    part.leads.push(lead);
    parts.set(key, part);
  }
  return { parts: [...parts.values()], padded };
}
