/**
 * Electrocardiograms of the Apple Watch, 30 seconds each: a text alone, several, or the ZIP that Apple Health exports. Each becomes a
 * recording with its classification as a label. The name and the date of birth in a text are not taken, and the large files of an
 * export are not opened.
 */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Temporal } from 'temporal-polyfill';
import { OutpostError } from '../../errors.ts';
import type { SignalPage } from '../../signals/types.ts';
import { fileChunks } from '../csv/mc10-source.ts';
import { EvenPager } from '../even-values.ts';
import { startAtOffset } from '../local-time.ts';
import { makeHeader } from '../recording-header.ts';
import { damaged, empty, throwIfAborted, unsupported } from '../refusals.ts';
import { type MemberSet, openMemberSet, readMember, type SetMember } from '../set-members.ts';
import { fileSize, readHead, sourceHash } from '../source-bytes.ts';
import type { ImportedLabel, ImportedRecording, ImportOptions, ImportSource, SourceClock } from '../types.ts';
import { requirePlausibleTime, unitFactor, unknownUnit } from '../units.ts';
import { ValueGrid } from '../value-grid.ts';
import { type AppleHead, appleHead, appleValue, decimalsOf } from './apple-head.ts';

const FORMAT = 'Apple Watch ECG';
/** An electrocardiogram is half a minute; this is ten. */
const MAX_TEXT_BYTES = 8 << 20;
const ZIP_MAGIC = Buffer.from('PK\x03\x04', 'latin1');
const MAX_RECORDINGS = 1000;
/** A whole electrocardiogram, less a rounding of its end. */
const WHOLE_SECONDS = 29.9;
const ISO = { kind: 'ISO 8601' } as const;
const LABEL = 'Classification by Apple';

export async function openApple(paths: string[], options: ImportOptions): Promise<ImportSource> {
  const isTexts = paths.length > 1 || (await isText(paths[0]!));
  const set = isTexts ? await openTexts(paths, options) : await openMemberSet(paths, options);
  try {
    const texts = set.members.filter(({ name }) => isTexts || (/\.csv$/i.test(name) && !name.startsWith('__MACOSX/')));
    const recordings: OpenedEcg[] = [];
    let problem: unknown;
    let others = 0;
    for (const member of texts) {
      throwIfAborted(options.signal);
      try {
        const opened = await openEcg(member, { fileName: basename(paths[0]!), sha256: set.sha256 }, options, isTexts);
        if (!opened) others++;
        else if (recordings.push(opened) > MAX_RECORDINGS) {
          throw unsupported(paths[0]!, `it holds more than ${MAX_RECORDINGS} electrocardiograms.`);
        }
      } catch (thrown) {
        const isLeftOut = thrown instanceof OutpostError && ['FILE_DAMAGED', 'FILE_EMPTY'].includes(thrown.code);
        if (!isLeftOut) throw thrown;
        problem ??= thrown;
        others++;
      }
    }
    if (recordings.length === 0) {
      throw problem ?? empty(paths[0]!, 'the export holds no electrocardiogram. Other health data are not read.');
    }
    recordings.sort((a, b) => a.startUs - b.startUs);
    if (others > 0)
      recordings[0]!.recording.notes.push(`${others} texts hold no readable electrocardiogram and were left out.`);
    if (set.note !== undefined) recordings[0]!.recording.notes.push(set.note);
    return {
      format: FORMAT,
      clock: recordings[0]!.clock,
      recordings: recordings.map(({ recording }) => recording),
      labels: [],
      close: async () => set.close(),
    };
  } catch (thrown) {
    set.close();
    throw thrown;
  }
}

/** No folder and no ZIP. */
async function isText(path: string): Promise<boolean> {
  if ((await stat(path)).isDirectory()) return false;
  return !(await readHead(path, ZIP_MAGIC.length)).equals(ZIP_MAGIC);
}

async function openTexts(paths: readonly string[], options: ImportOptions): Promise<MemberSet> {
  const members = paths.map(async (path) => ({
    name: basename(path),
    sizeBytes: await fileSize(path),
    open: (onBytes?: (bytes: number) => void) => fileChunks(path, onBytes),
  }));
  return {
    members: await Promise.all(members),
    sha256: options.withoutHash ? '' : await sourceHash(paths, options.signal),
    close: () => undefined,
  };
}

interface OpenedEcg {
  recording: ImportedRecording;
  clock: SourceClock;
  startUs: number;
}

/** Null for a text that is no electrocardiogram. */
async function openEcg(
  member: SetMember,
  source: { fileName: string; sha256: string },
  options: ImportOptions,
  isAlone: boolean,
): Promise<OpenedEcg | null> {
  const text = (await readMember(member, MAX_TEXT_BYTES)).toString('utf8');
  const head = appleHead(text, true);
  if (!head) {
    if (isAlone) throw damaged(member.name, 'it has no date, rate and values of an electrocardiogram.');
    return null;
  }
  const fileName = isAlone ? member.name : source.fileName;
  const notes: string[] = [];
  const unit = head.unit ?? (head.isPaired ? 'mV' : 'uV');
  if (head.unit === null) notes.push(`The ECG has no unit; ${unit} was assumed.`);
  const factor = unitFactor('VOLTAGE', unit);
  if (factor === undefined) throw unknownUnit(member.name, 'ECG', unit, 'VOLTAGE');
  const { startUs, clock } = startAtOffset(wallOf(member, head), head.utcOffsetMinutes);
  requirePlausibleTime(member.name, startUs, ISO);
  const values = valuesOf(text, head, notes);
  if (values.every(Number.isNaN)) throw empty(member.name, 'no line of it is a value.');
  const grid = new ValueGrid();
  for (const value of values) grid.scan(value);
  const { rule, stepsPerValue, sampleBits } = grid.finish(1 / factor);
  const periodUs = 1e6 / head.rateHz;
  const count = values.length;
  async function* pages(): AsyncGenerator<SignalPage> {
    const pager = new EvenPager({ channel: 0, startUs, periodUs, sampleBits, stepsPerValue: [stepsPerValue] });
    const again = valuesOf((await readMember(member, MAX_TEXT_BYTES)).toString('utf8'), head!, []);
    for (const value of again) yield* pager.push([value]);
    yield* pager.flush();
  }
  const labels: ImportedLabel[] =
    head.classification === null
      ? []
      : [
          {
            startUs,
            stopUs: Math.round(startUs + count * periodUs),
            displayName: LABEL,
            value: head.classification.slice(0, 200),
          },
        ];
  const recording: ImportedRecording = {
    header: makeHeader(
      {
        channels: [
          {
            type: 'ECG',
            dimensions: ['v'],
            unit: 'V',
            nominalRateHz: head.rateHz,
            scale: [1 / rule.divisor],
            offset: [0],
            sampleBits,
            exact: [rule],
          },
        ],
        source: { format: FORMAT, fileName, sha256: source.sha256 },
        device: {
          maker: 'Apple',
          ...(head.model !== null && { model: head.model }),
          ...(head.software !== null && { firmware: head.software }),
        },
      },
      options,
    ),
    pages,
    labels,
    marks: [],
    notes,
    progress: () => ({ doneBytes: member.sizeBytes, totalBytes: member.sizeBytes }),
  };
  return { recording, clock, startUs };
}

function wallOf({ name }: SetMember, { wall }: AppleHead): Temporal.PlainDateTime {
  try {
    return Temporal.PlainDateTime.from(wall, { overflow: 'reject' });
  } catch {
    throw damaged(name, `its time ${wall} does not exist.`);
  }
}

/** Values in the unit of the file, in order; NaN where a line is none. */
function valuesOf(text: string, head: AppleHead, notes: string[]): number[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  const isCut = lines.at(-1) !== '';
  const below = lines.slice(head.lineCount);
  while (below.length > 0 && below.at(-1)!.trim() === '') below.pop();
  // Without a line end, a last number with fewer decimals than those above may have lost some.
  const isShort = below.length < WHOLE_SECONDS * head.rateHz;
  if (isCut && isShort && below.length > 1 && decimalsOf(below.at(-1)!) < decimalsOf(below.at(-2)!)) {
    below.pop();
    notes.push('The last line has no end and may be cut, so it was left out.');
  }
  const values = below.filter((line) => line.trim() !== '').map((line) => appleValue(line, head));
  const broken = values.filter(Number.isNaN).length;
  if (broken > 0) notes.push(`${broken} lines are not values and are gaps.`);
  return values;
}
