/** Pulse intervals and presses of the button beside the signals of an E4 session. */
import { OutpostError } from '../../errors.ts';
import { type Beat, chainsOf } from '../intervals.ts';
import { readMember, type SetMember } from '../set-members.ts';
import { requirePlausibleTime } from '../units.ts';
import { baseName, numberOf, SECONDS } from './e4-members.ts';

/** A week of beats; a session lasts two days at most. */
const MAX_SIDE_BYTES = 64 << 20;
const LONGEST_INTERVAL_US = 30e6;

function isPlausible(timeUs: number): boolean {
  try {
    requirePlausibleTime('', timeUs, SECONDS);
    return true;
  } catch {
    return false;
  }
}

/** `IBI.csv`: its start, then for each beat the seconds since the start and the interval that the beat ends. */
export async function readIntervals(members: SetMember[], notes: string[]): Promise<Beat[]> {
  const member = members.find((candidate) => baseName(candidate) === 'ibi.csv');
  if (!member) return [];
  const text = await sideText(member, notes);
  const [first = '', ...lines] = text;
  const startUs = numberOf(first.split(',')[0]!) * 1e6;
  if (Number.isNaN(startUs)) {
    if (text.some((line) => line.trim() !== '')) notes.push('ibi.csv was left out: its first line is not a time.');
    return [];
  }
  if (!isPlausible(startUs)) {
    notes.push('ibi.csv was left out: its start is not a time of this century.');
    return [];
  }
  const beats: Beat[] = [];
  let broken = 0;
  for (const line of lines) {
    if (line.trim() === '') continue;
    const cells = line.split(',');
    const timeUs = Math.round(startUs + numberOf(cells[0] ?? '') * 1e6);
    const intervalUs = Math.round(numberOf(cells[1] ?? '') * 1e6);
    const isBeat = cells.length === 2 && intervalUs > 0 && intervalUs <= LONGEST_INTERVAL_US;
    if (isBeat && timeUs > (beats.at(-1)?.timeUs ?? startUs - 1)) beats.push({ timeUs, intervalUs });
    else broken++;
  }
  if (broken > 0) notes.push(`ibi.csv: ${broken} rows are not intervals in order of time and were left out.`);
  if (beats.length > 0) {
    const gaps = chainsOf(beats).length - 1;
    notes.push(
      `ibi.csv: ${beats.length} pulse intervals of an optical sensor; the watch left out beats that were not clear in ${gaps} places. Their variability is pulse-rate variability.`,
    );
  }
  return beats;
}

/** `tags.csv`: Unix seconds of the presses of the button. */
export async function readTags(members: SetMember[], notes: string[]): Promise<number[]> {
  const member = members.find((candidate) => baseName(candidate) === 'tags.csv');
  if (!member) return [];
  const times: number[] = [];
  let broken = 0;
  for (const line of await sideText(member, notes)) {
    if (line.trim() === '') continue;
    const timeUs = Math.round(numberOf(line) * 1e6);
    if (isPlausible(timeUs)) times.push(timeUs);
    else broken++;
  }
  if (broken > 0) notes.push(`tags.csv: ${broken} rows are not times and were left out.`);
  return times;
}

async function sideText(member: SetMember, notes: string[]): Promise<string[]> {
  try {
    const lines = (await readMember(member, MAX_SIDE_BYTES)).toString('utf8').split('\n');
    // The end of a cut member may lie inside a number.
    return member.endsCut?.() ? lines.slice(0, -1) : lines;
  } catch (thrown) {
    if (!(thrown instanceof OutpostError) || thrown.code !== 'FILE_DAMAGED') throw thrown;
    notes.push(`${baseName(member)} was left out: it is damaged.`);
    return [];
  }
}
