/**
 * Sessions of the Empatica E4: a ZIP or folder with one CSV per signal. The first line of a signal is its start (Unix seconds, UTC), the
 * second its rate, then one row per sample. No gap inside a signal can be seen. Pulse intervals are those that the watch trusted.
 */
import { basename } from 'node:path';
import { OutpostError } from '../../errors.ts';
import type { SignalMark, SignalPage } from '../../signals/types.ts';
import { intervalPages, pulseIntervalChannel } from '../intervals.ts';
import { makeHeader } from '../recording-header.ts';
import { empty } from '../refusals.ts';
import { openMemberSet, type SetMember } from '../set-members.ts';
import type { ImportedLabel, ImportedRecording, ImportOptions, ImportSource } from '../types.ts';
import { baseName } from './e4-members.ts';
import { readIntervals, readTags } from './e4-side-files.ts';
import { type ScannedSignal, SIGNALS, scanSignal, signalPages } from './e4-signals.ts';

/** `1551453301_A01525.zip`, as the portal names a session. */
const SERIAL = /(?:^|_)(A[0-9A-F]{5})(?:\.zip)?$/i;

const folderOf = (member: SetMember): string => member.name.slice(0, Math.max(0, member.name.lastIndexOf('/')));

export async function openEmpaticaE4(paths: string[], options: ImportOptions): Promise<ImportSource> {
  const set = await openMemberSet(paths, options);
  try {
    const path = paths[0]!;
    const fileName = basename(path);
    const sessions = new Map<string, SetMember[]>();
    for (const member of set.members) {
      if (member.name.startsWith('__MACOSX/')) continue;
      const folder = folderOf(member);
      sessions.set(folder, [...(sessions.get(folder) ?? []), member]);
    }
    const recordings: ImportedRecording[] = [];
    let firstProblem: unknown;
    for (const [folder, members] of sessions) {
      if (!members.some((member) => SIGNALS.some(({ file }) => file === baseName(member)))) continue;
      const serial = (SERIAL.exec(folder) ?? SERIAL.exec(fileName))?.[1]?.toUpperCase();
      const source = { format: 'Empatica E4', fileName, sha256: set.sha256 };
      try {
        const recording = await openSession(path, members, source, serial, options);
        if (set.note !== undefined) recording.notes.unshift(set.note);
        recordings.push(recording);
      } catch (thrown) {
        if (sessions.size === 1) throw thrown;
        firstProblem ??= thrown;
      }
    }
    if (recordings.length === 0) throw firstProblem ?? empty(path, 'no signal in it has samples.');
    return {
      format: 'Empatica E4',
      clock: { kind: 'UTC' },
      recordings,
      labels: [],
      close: async () => set.close(),
    };
  } catch (thrown) {
    set.close();
    throw thrown;
  }
}

async function openSession(
  path: string,
  members: SetMember[],
  source: { format: string; fileName: string; sha256: string },
  serial: string | undefined,
  options: ImportOptions,
): Promise<ImportedRecording> {
  const notes: string[] = [];
  const scanned: ScannedSignal[] = [];
  let problem: unknown;
  for (const kind of SIGNALS) {
    const member = members.find((candidate) => baseName(candidate) === kind.file);
    if (!member) continue;
    try {
      const signal = await scanSignal(member, kind, notes, options.signal);
      if (signal) scanned.push(signal);
    } catch (thrown) {
      // A signal that is broken is left out, and the others are kept.
      if (!(thrown instanceof OutpostError) || thrown.code !== 'FILE_DAMAGED') throw thrown;
      problem ??= thrown;
      notes.push(`${baseName(member)} was left out: it is damaged.`);
    }
  }
  const beats = await readIntervals(members, notes);
  if (scanned.length === 0 && beats.length === 0) throw problem ?? empty(path, 'no signal in it has samples.');
  const channels = scanned.map(({ channel }) => channel);
  if (beats.length > 0) channels.push(pulseIntervalChannel());
  const tags = await readTags(members, notes);
  const marks: SignalMark[] = tags.map((timeUs) => ({ channel: 0, timeUs, reason: 'BUTTON' }));
  const labels: ImportedLabel[] = tags.map((timeUs) => ({ startUs: timeUs, stopUs: timeUs, displayName: 'Button' }));
  const totalBytes = scanned.reduce((sum, { member }) => sum + member.sizeBytes, 0);
  let doneBytes = 0;
  async function* pages(): AsyncGenerator<SignalPage> {
    for (const [index, signal] of scanned.entries()) {
      yield* signalPages(signal, index, options.signal, (bytes) => {
        doneBytes += bytes;
      });
    }
    if (beats.length > 0) yield* intervalPages(scanned.length, beats);
  }
  const device = { maker: 'Empatica' as const, model: 'E4', ...(serial !== undefined && { serial }) };
  return {
    header: makeHeader({ channels, source, device }, options),
    pages,
    labels,
    marks,
    notes,
    progress: () => ({ doneBytes, totalBytes }),
  };
}
