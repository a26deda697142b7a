import i18next from 'i18next';
import { beforeAll, expect, it } from 'vitest';
import type { Signature } from '../../../../src-server/api/contract/index.ts';
import { formatOf } from '../../../shared/i18n/format.ts';
import type { Translate } from '../../../shared/i18n/i18n.ts';
import { desk } from '../../../shared/locales/en/desk.ts';
import { paper } from '../../../shared/locales/en/paper.ts';
import { studies } from '../../../shared/locales/en/studies.ts';
import { signaturesTable } from './signatures-table.ts';

const format = formatOf('en');
let t: Translate;
beforeAll(async () => {
  const made = i18next.createInstance();
  await made.init({
    lng: 'en',
    defaultNS: 'desk',
    nsSeparator: false,
    resources: { en: { desk: { ...desk, ...paper, ...studies } } },
  });
  t = made.t as Translate;
});

const SIGNATURE: Signature = {
  id: 'a',
  studyId: 's',
  kind: 'subject-day',
  targetId: 'p',
  subjectId: 'p',
  date: '2026-03-08',
  meaning: 'APPROVED',
  userId: 'u',
  signerName: 'Dana Whitfield',
  signerRole: 'COORDINATOR',
  signedTs: Date.UTC(2026, 2, 8, 7, 30, 5),
  contentVersion: 2,
  contentSha256: 'ab'.repeat(32),
  state: 'changed',
};

const cellsOf = (signature: Signature, timeZone = 'US/Eastern') => {
  const [content] = signaturesTable([signature], timeZone, t, format);
  return content && 'table' in content ? content.table.rows[0]!.cells : [];
};

it('prints name, role, date and time with the offset then in force, meaning, record, state and hash', () => {
  expect(cellsOf(SIGNATURE)).toEqual([
    'Dana Whitfield (Coordinator)',
    // Half an hour after the clocks went forward.
    '2026-03-08 03:30:05 (UTC-04:00)',
    'Approved',
    expect.stringMatching(/^Day.*Mar.*8/),
    'Changed since signed',
    'none',
    'ab'.repeat(32),
  ]);
  const early = { ...SIGNATURE, signedTs: SIGNATURE.signedTs - 3_600_000, signerRole: undefined };
  expect(cellsOf(early).slice(0, 2)).toEqual(['Dana Whitfield', '2026-03-08 01:30:05 (UTC-05:00)']);
});

it('says of a lock that it was undone, not that its record changed', () => {
  expect(cellsOf({ ...SIGNATURE, kind: 'study-lock', meaning: 'LOCKED', date: undefined })).toContain('Unlocked since');
});

it('prints nothing of a record without signatures', () => {
  expect(signaturesTable([], 'UTC', t, format)).toEqual([]);
});
