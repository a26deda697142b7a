/** Beats of an ISHNE annotation file (`ANN  1.0`): the header of the recording, the first sample, and steps from beat to beat. */
import { readdir } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { readHead, readSmallFile } from '../source-bytes.ts';
import type { ImportedLabel } from '../types.ts';
import { isIshneAnnotations } from './ishne-head.ts';
import { FIXED_BYTES, ishneHeaderBytes } from './ishne-header.ts';

const ENTRY_BYTES = 4;
/** A week of beats has about four megabytes. */
const MAX_BYTES = 64 << 20;
const TIMEOUT = '!';

const MEANINGS: Readonly<Record<string, string>> = {
  N: 'Normal beat',
  V: 'Premature ventricular contraction',
  S: 'Supraventricular premature beat',
  C: 'Calibration pulse',
  B: 'Bundle branch block beat',
  P: 'Paced beat',
  X: 'Artifact',
  U: 'Unclassifiable beat',
};

/** The annotation file of the same name beside a recording; null when there is none. */
export async function annotationsBeside(path: string): Promise<string | null> {
  const stem = basename(path, extname(path)).toLowerCase();
  const names = await readdir(dirname(path)).catch(() => []);
  for (const name of names.filter((candidate) => candidate.toLowerCase() === `${stem}.ann`).sort()) {
    const found = join(dirname(path), name);
    if (isIshneAnnotations(await readHead(found, 8).catch(() => Buffer.alloc(0)))) return found;
  }
  return null;
}

/** @param facts the rate and length of the recording, and the time of its first sample */
export async function readIshneAnnotations(
  path: string,
  facts: { rateHz: number; samples: number; startUs: number },
  notes: string[],
): Promise<ImportedLabel[]> {
  const bytes = await readSmallFile(path, MAX_BYTES, 'list of beats');
  const name = basename(path);
  if (bytes.length < FIXED_BYTES + ENTRY_BYTES) {
    notes.push(`${name} ends inside its header, so its beats were left out.`);
    return [];
  }
  const rateHz = bytes.readInt16LE(272);
  if (rateHz !== facts.rateHz) {
    notes.push(
      `${name} is for ${rateHz} samples per second, the recording has ${facts.rateHz}; its beats were left out.`,
    );
    return [];
  }
  const first = ishneHeaderBytes(bytes, path);
  if (first + ENTRY_BYTES > bytes.length) {
    notes.push(`${name} holds no beats.`);
    return [];
  }
  let sample = bytes.readUInt32LE(first);
  const labels: ImportedLabel[] = [];
  let outside = 0;
  const stop = bytes.length - ((bytes.length - first) % ENTRY_BYTES);
  for (let at = first + ENTRY_BYTES; at < stop; at += ENTRY_BYTES) {
    sample += bytes.readUInt16LE(at + 2);
    const value = String.fromCharCode(bytes[at]!);
    // A step longer than 65,535 samples is written in parts.
    if (value === TIMEOUT) continue;
    if (sample >= facts.samples) {
      outside++;
      continue;
    }
    const startUs = Math.round(facts.startUs + (sample * 1e6) / rateHz);
    labels.push({ startUs, stopUs: startUs, displayName: MEANINGS[value] ?? 'Beat', value });
  }
  if (outside > 0) notes.push(`${outside} beats of ${name} lie after the recording and were left out.`);
  if (stop < bytes.length) notes.push(`${name} was cut off inside a beat, which was left out.`);
  return labels;
}
