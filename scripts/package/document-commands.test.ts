import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { VERSION } from '../../src-server/version.ts';
import { commandBlocks, sectionOf } from './document-commands.ts';

const TEXT = `# Guide

## Install

First:

    apt-get install ./one.deb   # from the stick

    two --option

Then:

\`\`\`sh
# a remark, no heading
three "a b"
\`\`\`

### Details

    four

## Remove

    five
`;

test('takes fenced and indented commands of a section and its parts, without remarks', () => {
  expect(commandBlocks(TEXT, 'Install')).toEqual([
    ['apt-get install ./one.deb', 'two --option'],
    ['three "a b"'],
    ['four'],
  ]);
  expect(commandBlocks(TEXT, 'Remove')).toEqual([['five']]);
  expect(() => sectionOf(TEXT, 'Missing')).toThrow('no heading "Missing"');
});

test('the documents name the package of this version', () => {
  for (const path of ['README.md', 'scripts/package/debian/README.md']) {
    const names = readFileSync(path, 'utf8').match(/outpost_[\d.]+_amd64\.deb/g) ?? [];
    expect(names.length, path).toBeGreaterThan(0);
    expect(new Set(names), path).toEqual(new Set([`outpost_${VERSION}_amd64.deb`]));
  }
});
