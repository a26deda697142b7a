/** Which files of Polar Sensor Logger are one session, for an import of files given together and for a folder that is looked at. */
import type { FileBeside, FoundSet } from '../foreign-format.ts';
import type { DeviceFacts } from '../recording-header.ts';
import { openTextFile } from '../text/text-file.ts';
import { type PolarColumns, polarColumns } from './polar-columns.ts';

/** Of files whose names say nothing of device and start. */
const UNNAMED = 'Polar Sensor Logger';

/** Files that name the same device and start; a second file of a stream begins a session of its own. Markers name neither. */
export function sessionsOf<T extends { columns: PolarColumns }>(
  files: readonly T[],
  nameOf: (file: T) => string,
): { sessions: T[][]; markers: T[] } {
  const byKey = new Map<string, T[][]>();
  for (const entry of files) {
    const key = deviceOf(nameOf(entry)).session;
    const known = byKey.get(key) ?? [];
    byKey.set(key, known);
    const free = known.find((session) => !session.some((other) => isSameStream(other.columns, entry.columns)));
    if (free) free.push(entry);
    else known.push([entry]);
  }
  const all = [...byKey.values()].flat();
  const sessions = all.filter((session) => session.some(({ columns }) => !columns.isMarker));
  return { sessions, markers: all.filter((session) => !sessions.includes(session)).flat() };
}

const streamOf = ({ isMarker, interval, values }: PolarColumns): string =>
  isMarker ? 'MARKER' : (interval?.type ?? values.map(({ name, unit }) => `${name} ${unit}`).join(';'));
const isSameStream = (a: PolarColumns, b: PolarColumns): boolean => streamOf(a) === streamOf(b);

/** `Polar_H10_02849638_20260726005143_RR.txt`: model, serial and start, which the content does not hold. */
export function deviceOf(name: string): { session: string; device: DeviceFacts } {
  const stem = name.replace(/\.gz$/i, '').replace(/\.txt$/i, '');
  const [, model, serial] = /^Polar_(.+?)_([0-9A-F]{8})(?:_|$)/i.exec(stem) ?? [];
  const plain = model ?? /^Polar_([A-Za-z0-9]+)_/.exec(stem)?.[1];
  return {
    // Names without a serial say nothing of what belongs together.
    session: serial ? stem.replace(/_[^_]*$/, '') : '',
    device: { maker: 'Polar', ...(plain ? { model: plain.replaceAll('_', ' ') } : {}), ...(serial ? { serial } : {}) },
  };
}

/** Beside several sessions, whose subjects may differ, markers are a source alone. */
export async function polarSets(own: readonly FileBeside[]): Promise<FoundSet[]> {
  const files = (
    await Promise.all(
      own.map(async ({ name, path }) => {
        const columns = polarColumns((await openTextFile(path, 1)).lines[0] ?? '');
        return columns ? [{ name, columns }] : [];
      }),
    )
  ).flat();
  const { sessions, markers } = sessionsOf(files, ({ name }) => name);
  const names = new Map<string, number>();
  const sets = sessions.map((session): FoundSet => {
    const name = deviceOf(session[0]!.name).session || UNNAMED;
    const times = (names.get(name) ?? 0) + 1;
    names.set(name, times);
    return {
      name: times === 1 ? name : `${name} (${times})`,
      files: session.map((file) => file.name),
      missing: [],
      isWhole: false,
    };
  });
  if (sets.length === 1) sets[0]!.files.push(...markers.map(({ name }) => name));
  else sets.push(...markers.map(({ name }) => ({ name, files: [name], missing: [], isWhole: false })));
  return sets;
}
