/** Checks the protocol documents against the code: error codes, responses, limits, and no references to source files. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { faultClass } from '../../api/contract/resources/device-calls.ts';
import { HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { ERROR_CODES, type ErrorCodeName, OutpostError } from '../../errors.ts';
import { retryAdvice, statusOf } from '../../http-failure.ts';
import { destinationOf } from '../../study/upload-rules.ts';
import { MARK_REASONS } from '../../vocabulary/coverage.ts';
import { QUARANTINE_CODES } from '../../vocabulary/docks.ts';
import { PROBLEM_KINDS, TASK_GUIDES } from '../../vocabulary/problems.ts';

const FOLDER = new URL('../../../resources/protocol/', import.meta.url);
const SOURCES = join(import.meta.dirname, '..', '..');
const documents = new Map(
  readdirSync(FOLDER).map((name) => [name, readFileSync(new URL(name, FOLDER), 'utf8')] as const),
);
const upload = documents.get('upload.md') ?? '';
const forDevices = ['pairing.md', 'phone.md', 'upload.md'].map((name) => documents.get(name) ?? '').join('\n');

/** Returns the rows of the tables below a heading, as cell texts. */
function rowsOf(document: string, heading: string): string[][] {
  const section = document.slice(document.indexOf(heading)).split(/\n## (?!.*#)/)[0] ?? '';
  return [...section.matchAll(/^\|(.+)\|$/gm)]
    .map(([, row = '']) => row.split('|').map((cell) => cell.trim()))
    .filter((cells) => !/^-+$/.test(cells[0] ?? ''));
}

const codesIn = (text: string) => [...text.matchAll(/\b[A-Z]{2,}(?:_[A-Z]+)+\b/g)].map(([code]) => code);

/** Upper-case names that are not error codes: parts of recordings, and terms of the API. */
const OTHER_NAMES = new Set([
  ...MARK_REASONS,
  'MEDIAL_CHEST',
  'ECG_LEAD_II',
  'ANTERIOR_THIGH',
  'ACTIVITY_COMPLETED',
  'CHANGE_PASSWORD',
  ...PROBLEM_KINDS,
  ...TASK_GUIDES,
  'SIGNED_OUT',
  'SIGNED_IN_AGAIN',
]);

describe('codes', () => {
  it('of every document are in the code table, a reason of quarantine, or a class of faults', () => {
    const known = new Set<string>([...Object.keys(ERROR_CODES), ...QUARANTINE_CODES, ...faultClass.options]);
    for (const [name, document] of documents) {
      const unknown = codesIn(document).filter((code) => !known.has(code) && !OTHER_NAMES.has(code));
      expect([name, unknown]).toEqual([name, []]);
    }
  });

  it('that a device can meet are in the documents for devices', () => {
    const thrown = new Set<string>(QUARANTINE_CODES);
    const look = (path: string): void => {
      if (statSync(path).isDirectory()) {
        for (const name of readdirSync(path)) if (!/test/.test(name)) look(join(path, name));
        return;
      }
      const source = readFileSync(path, 'utf8');
      for (const [, code = ''] of source.matchAll(/OutpostError\(\s*'(\w+)'/g)) thrown.add(code);
    };
    for (const path of ['lan/upload', 'lan/pairing', 'lan/phone', 'lan/device-identity.ts', 'files/disk-budget.ts']) {
      look(join(SOURCES, path));
    }
    look(join(SOURCES, 'api/resources/devices/phone.ts'));
    expect(thrown.size).toBeGreaterThan(35);
    const told = new Set([...forDevices.matchAll(/[A-Z]+(?:_[A-Z]+)*/g)].map(([code]) => code));
    expect([...thrown].filter((code) => !told.has(code)).sort()).toEqual([]);
  });
});

describe('the table of failures of upload.md', () => {
  const rows = rowsOf(upload, '## 6. Failures').filter(([status = '']) => /^\d{3}/.test(status));
  const cases = rows.flatMap(([status = '', codes = '', permanent = '']) =>
    [...codes.matchAll(/`(\w+)`/g)].map(([, code = '']) => ({ code: code as ErrorCodeName, status, permanent })),
  );

  it('has a row for every refusal of a file', () => {
    expect(cases.length).toBeGreaterThan(28);
  });

  it.each(cases)('$code: $status, permanent $permanent', ({ code, status, permanent }) => {
    const error = new OutpostError(code, 'A sentence.');
    expect(status.split(', ').map(Number)).toContain(statusOf(error));
    const advice = retryAdvice(error, 'upload');
    if (permanent === 'the third time') expect(advice.permanent).toBe(false);
    else expect(advice.permanent).toBe(permanent.startsWith('yes'));
  });
});

describe('reasons of quarantine in upload.md', () => {
  const rows = rowsOf(upload, '## 5. States');
  const textOf = (code: string) => rows.find(([cell]) => cell === `\`${code}\``)?.[1] ?? '';
  const NOW = Date.UTC(2026, 5, 1);
  const held = (fromMs: number, toMs?: number, subjectId = 'a') => ({
    ...{ studyId: 's', subjectId, assignedTs: fromMs },
    ...(toMs !== undefined && { unassignedTs: toMs }),
  });
  const decide = (
    startMs: number,
    stopMs: number,
    holdings = [held(0)],
    others: { id: string; startMs: number; stopMs: number }[] = [],
  ): string => {
    const end = destinationOf({ startMs, stopMs, isOtherSensor: false }, holdings, others, NOW, () => undefined);
    return 'code' in end ? end.code : 'STORED';
  };

  it('are all of them', () => {
    const told = rows.map(([cell = '']) => cell.replaceAll('`', ''));
    expect(QUARANTINE_CODES.filter((code) => !told.includes(code))).toEqual([]);
  });

  it('begin where the document says', () => {
    const [earliest = ''] = /\d{4}-[\d-]+T[\d:]+Z/.exec(textOf('CLOCK_NOT_SET')) ?? [];
    const earliestMs = Date.parse(earliest);
    expect([decide(earliestMs - 1, earliestMs), decide(earliestMs, earliestMs + 1)]).toEqual([
      'CLOCK_NOT_SET',
      'STORED',
    ]);

    const aheadMs = Number(/(\d+) hours/.exec(textOf('IN_FUTURE'))?.[1]) * HOUR_MS;
    expect([decide(NOW, NOW + aheadMs + 1), decide(NOW, NOW + aheadMs)]).toEqual(['IN_FUTURE', 'STORED']);

    const slackMs = Number(/(\d+) minutes/.exec(textOf('NOT_ASSIGNED'))?.[1]) * MINUTE_MS;
    const from = NOW - 10 * HOUR_MS;
    const starts = [from - slackMs - 1, from - slackMs].map((startMs) => decide(startMs, from + HOUR_MS, [held(from)]));
    expect(starts).toEqual(['NOT_ASSIGNED', 'STORED']);

    const sharedMs = Number(/(\d+) minutes/.exec(textOf('TWO_SUBJECTS'))?.[1]) * MINUTE_MS;
    const two = [held(0, from), held(from, undefined, 'b')];
    const stops = [from + sharedMs + 1, from + sharedMs].map((stopMs) => decide(from - 5 * HOUR_MS, stopMs, two));
    expect(stops).toEqual(['TWO_SUBJECTS', 'STORED']);

    const touchMs = Number(/(\d+) seconds/.exec(textOf('OVERLAP'))?.[1]) * 1000;
    const overlaps = [touchMs + 1, touchMs].map((ms) =>
      decide(from, from + HOUR_MS, [held(0)], [{ id: 'x', startMs: from - HOUR_MS, stopMs: from + ms }]),
    );
    expect(overlaps).toEqual(['OVERLAP', 'STORED']);
  });
});

it('explains the page of the worked example by the bytes it shows', () => {
  const document = documents.get('recording-format.md') ?? '';
  const prose = document.slice(document.indexOf('The page block.'), document.indexOf('The block of marks.'));
  const hex = /```hex\n([\s\S]*?)```/.exec(prose)?.[1] ?? '';
  const bytes = Buffer.from(hex.replace(/^[0-9a-f]{4} /gm, '').replace(/\s/g, ''), 'hex');
  const payload = bytes.subarray(64);
  const [, order, seed] = /order (\d),.*seed (\d+)/.exec(prose) ?? [];
  expect([payload[0], payload.readInt32LE(4)]).toEqual([Number(order), Number(seed)]);
  const [, shown = '', zigzag = ''] = /one raw block: `([0-9a-f ]+)`, zigzag for ([-\d, ]+):/.exec(prose) ?? [];
  const stored = Buffer.from(shown.replaceAll(' ', ''), 'hex');
  expect(payload.subarray(-stored.length)).toEqual(stored);
  const residuals = zigzag.split(', ').map(Number);
  expect([...stored].map((z) => (z >> 1) ^ -(z & 1))).toEqual(residuals);
  const [, samples = ''] = /six samples ([\d, ]+) of/.exec(document) ?? [];
  expect(residuals.map((residual) => Number(seed) + residual)).toEqual(samples.split(', ').map(Number));
});

it('stands alone: no document for firmware authors points into the sources', () => {
  for (const [name, document] of documents) expect([name, document.match(/src-\w+\/|\.tsx?\b/g)]).toEqual([name, null]);
});
