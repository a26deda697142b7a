import { posix, win32 } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inboxFile, inboxPlace, storedInboxPath } from './inbox.ts';

const FOLDER = '3f0e6a52-9d5b-4f7e-8f55-0c4a7d6f2b11';

describe('a stored inbox path', () => {
  it.each([
    storedInboxPath(FOLDER, 'night 1.edf'),
    `/srv/site/inbox/${FOLDER}/night 1.edf`,
    `C:\\Users\\clinic\\site\\inbox\\${FOLDER}\\night 1.edf`,
    `\\\\server\\share\\inbox\\${FOLDER}\\night 1.edf`,
    `C:\\site/inbox/${FOLDER}\\night 1.edf`,
  ])('%s resolves to the current folder of the site', (stored) => {
    expect(inboxPlace(stored)).toEqual({ folder: FOLDER, name: 'night 1.edf' });
    expect(inboxFile('/moved/inbox', stored, posix)).toBe(`/moved/inbox/${FOLDER}/night 1.edf`);
    expect(inboxFile('D:\\moved\\inbox', stored, win32)).toBe(`D:\\moved\\inbox\\${FOLDER}\\night 1.edf`);
  });

  it.each([
    '',
    'night.edf',
    '/night.edf',
    'inbox/../site.db',
    'inbox/uploads/a.part',
    'inbox/quarantine/a.sig',
    'C:\\inbox\\orphaned\\x',
    'a/..',
  ])('%j never resolves to a file outside an inbox folder', (stored) => {
    expect(inboxPlace(stored)).toBeUndefined();
    expect(() => inboxFile('/site/inbox', stored)).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
  });
});
