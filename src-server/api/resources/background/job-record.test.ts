import { expect, it } from 'vitest';
import type { JobRow } from '../../../study/jobs.ts';
import { toJob, withoutFolders } from './job-record.ts';

const importing = (path: string): Pick<JobRow, 'payload'> => ({
  payload: { studyId: 's', subjectId: 'u', paths: [path], options: {}, ownsFiles: true },
});

it.each([
  ['There is no file /home/ada/site/inbox/1/night.edf. Check.', 'There is no file night.edf. Check.', '/x/y'],
  ['/srv/My Clinic/inbox/night 1.edf is cut off.', 'night 1.edf is cut off.', '/srv/My Clinic/inbox/night 1.edf'],
  ['/srv/My Clinic/inbox/1f/night 1.edf is cut off.', 'night 1.edf is cut off.', 'inbox/1f/night 1.edf'],
  [String.raw`D:\My Clinic\inbox\1f\a b.edf is cut off.`, 'a b.edf is cut off.', 'inbox/1f/a b.edf'],
  [String.raw`"C:\Users\Ada\site\night.edf" cannot be read`, '"night.edf" cannot be read', '/x/y'],
  ['EIO: i/o error, read in /a/b/c.sig and /d/e/f.sig', 'EIO: i/o error, read in c.sig and f.sig', '/x/y'],
  ['See https://example.org/a/b and 3/4 of 1/2/3.', 'See https://example.org/a/b and 3/4 of 1/2/3.', '/x/y'],
])('%s', (message, expected, path) => {
  expect(withoutFolders(message, importing(path))).toBe(expected);
});

it('shows the diagnostics in the result of a job of an earlier version under both names', () => {
  const found = { message: 'site.db in the backup cannot be read.', code: 'BACKUP_FILE_UNREADABLE' };
  const row = (result: Record<string, unknown>): JobRow => ({
    id: 'j',
    kind: 'verify',
    state: 'done',
    payload: {},
    result,
    attempts: 1,
    crashCount: 0,
    createdTs: 1,
    runAfterTs: 1,
  });
  const expected = { backupId: 'b', diagnostics: [found], findings: [found] };
  expect(toJob(row({ backupId: 'b', findings: [found] })).result).toEqual(expected);
  expect(toJob(row({ backupId: 'b', diagnostics: [found] })).result).toEqual(expected);
});
