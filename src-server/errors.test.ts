import { expect, it } from 'vitest';
import { toOutpostError } from './errors.ts';

it.each(['EACCES', 'EPERM'])('%s becomes an error that names the file and what to do', (code) => {
  const thrown = Object.assign(new Error(`${code}: open`), { code, path: '/data/night.edf' });
  expect(toOutpostError(thrown)).toMatchObject({
    code: 'FILE_FORBIDDEN',
    message: expect.stringMatching(/\/data\/night\.edf.*permissions/),
  });
});

it.each([
  ['EIO', 'DISK_FAILED', /night\.edf.*Check its connection.*backup/],
  ['ENXIO', 'DISK_FAILED', /disconnected/],
  ['ESTALE', 'DISK_FAILED', /disconnected/],
  ['SQLITE_IOERR_WRITE', 'DISK_FAILED', /disconnected/],
  ['SQLITE_IOERR', 'DISK_FAILED', /disconnected/],
  ['ENOSPC', 'DISK_FULL', /Free some space/],
  ['EDQUOT', 'DISK_FULL', /Free some space/],
  ['SQLITE_FULL', 'DISK_FULL', /Free some space/],
  ['SQLITE_IOERR_SHMSIZE', 'DISK_FULL', /Free some space/],
  ['EROFS', 'SITE_READ_ONLY', /permissions and the disk/],
  ['SQLITE_READONLY_DIRECTORY', 'SITE_READ_ONLY', /permissions and the disk/],
  ['EBUSY', 'FILE_IN_USE', /Another program.*night\.edf/],
  ['EMFILE', 'TOO_MANY_FILES', /Close other programs/],
  ['EFBIG', 'FILE_SYSTEM_LIMIT', /another file system/],
] as const)('%s becomes %s with words for a person', (code, expected, words) => {
  const thrown = Object.assign(new Error(`${code}: it failed`), { code, path: '/data/night.edf' });
  const error = toOutpostError(thrown);
  expect(error).toMatchObject({ code: expected, message: expect.stringMatching(words) });
  expect(error.message).not.toContain('inside Outpost');
});

it.each(['ECONNRESET', 'SQLITE_FULLER', 'EIOX'])('%s is not taken for a failure of the disk', (code) => {
  expect(toOutpostError(Object.assign(new Error(code), { code }))).toMatchObject({ code: 'INTERNAL' });
});
