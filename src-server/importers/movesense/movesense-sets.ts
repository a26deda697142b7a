/** Which texts of the Movesense app in a folder are one session of one sensor. A log as JSON is a recording alone. */
import { headOf } from '../file-heads.ts';
import type { FileBeside, FoundSet } from '../foreign-format.ts';
import { type MovesenseText, movesenseText, movesenseTitle } from './movesense-head.ts';

/** `ECG-540.csv`: what is recorded, and the end of the serial number. Two sensors can be started by one phone at one time. */
const SENSOR = /^(?:ecg|hr|heart ?rate)[-_ ]*(.*?)\.csv(?:\.gz)?$/i;

interface Text {
  name: string;
  kind: MovesenseText;
  /** Start by the phone, and sensor; undefined for annotations. */
  session?: string;
}

export async function movesenseSets(own: readonly FileBeside[]): Promise<FoundSet[]> {
  const texts = (await Promise.all(own.map(textOf))).flat();
  const sessions = new Map<string, Text[]>();
  for (const text of texts.filter(({ session }) => session !== undefined)) {
    let key = text.session!;
    // A second ECG of the same name and second cannot be of the same sensor.
    while (sessions.get(key)?.some(({ kind }) => kind === text.kind)) key += ' +';
    sessions.set(key, [...(sessions.get(key) ?? []), text]);
  }
  const sets = [...sessions].map(([key, files]) => ({
    name: key,
    files: files.map(({ name }) => name),
    missing: [],
    isWhole: false,
  }));
  const annotations = texts.filter(({ kind }) => kind === 'ANNOTATIONS').map(({ name }) => name);
  // Annotations name no sensor: beside several sessions they are a source alone.
  if (sets.length === 1) sets[0]!.files.push(...annotations);
  else sets.push(...annotations.map((name) => ({ name, files: [name], missing: [], isWhole: false })));
  return sets;
}

async function textOf({ name, path }: FileBeside): Promise<Text[]> {
  const head = await headOf(path);
  if (!('text' in head)) return [];
  const [first = '', second = ''] = head.text.replace(/^\ufeff/, '').split(/\r?\n/, 2);
  const kind = movesenseText(first, second);
  if (kind === null) return [];
  if (kind === 'ANNOTATIONS') return [{ name, kind }];
  const start = new Date(movesenseTitle(first)!.wallUs / 1000).toISOString().slice(0, 19).replace('T', ' ');
  return [{ name, kind, session: `Movesense ${SENSOR.exec(name)?.[1] ?? ''} ${start}`.replace(/ {2,}/g, ' ') }];
}
