import { expect, it } from 'vitest';
import { toOutpostError } from './errors.ts';

it.each(['EACCES', 'EPERM'])('%s becomes an error that names the file and what to do', (code) => {
  const thrown = Object.assign(new Error(`${code}: open`), { code, path: '/data/night.edf' });
  expect(toOutpostError(thrown)).toMatchObject({
    code: 'FILE_FORBIDDEN',
    message: expect.stringMatching(/\/data\/night\.edf.*permissions/),
  });
});
