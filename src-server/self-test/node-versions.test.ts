/** Electron's Node is a 24 whose minor version we do not choose: nothing newer than 24.0 may be imported. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const TYPES = join(ROOT, 'node_modules/@types/node');

/** Names that a module of Node has only since a later version than 24.0: `node:crypto argon2`. */
function newerNames(): Set<string> {
  const names = new Set<string>();
  for (const file of readdirSync(TYPES, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.d.ts')) continue;
    const text = readFileSync(join(TYPES, file), 'utf8');
    const declared =
      /@since v(?:24\.[1-9]\d*|2[5-9])\.(?:(?!\*\/)[\s\S])*\*\/\s*(?:export )?(?:function|class|const|var) (\w+)/g;
    for (const [, name] of text.matchAll(declared)) names.add(`node:${file.slice(0, -'.d.ts'.length)} ${name}`);
  }
  return names;
}

/** What the program imports by name from modules of Node: `node:crypto createHash`. */
function importedNames(): Set<string> {
  const files = execFileSync('git', ['ls-files', 'src-server/*.ts', 'src-main/*.ts'], { cwd: ROOT, encoding: 'utf8' });
  const names = new Set<string>();
  for (const file of files.trim().split('\n')) {
    if (/\.test\.ts$|\/testing\//.test(file)) continue;
    const text = readFileSync(join(ROOT, file), 'utf8');
    for (const [, list = '', module] of text.matchAll(/import \{([^}]*)\} from '(node:[^']+)'/g)) {
      for (const one of list.split(','))
        names.add(
          `${module} ${
            one
              .trim()
              .replace(/^type /, '')
              .split(' as ')[0]
          }`,
        );
    }
  }
  return names;
}

it('imports no function of Node that is newer than 24.0', () => {
  const newer = newerNames();
  // Known ones, which show that the types are read.
  expect(newer).toContain('node:crypto argon2');
  expect(newer).toContain('node:tls setDefaultCACertificates');
  const imported = importedNames();
  expect(imported).toContain('node:zlib zstdCompressSync');
  expect([...imported].filter((name) => newer.has(name))).toEqual([]);
});
