import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const DOCUMENTS = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter(Boolean);
const textOf = (document: string) => readFileSync(join(ROOT, document), 'utf8');

/** Folders of the project; a path in a document may omit `src-server/`. */
const TOP_LEVEL = /^(src-(main|server|renderer)|resources|scripts|e2e|\.ci)\//;
const SOURCE_PATH = /`([\w.-]+(?:\/[\w.-]+)*\/(?:[\w-]+\.(?:test\.ts|spec\.ts|ts|tsx|css|md|json|sql|py))?)`/g;

/** Paths in the code spans of a document that begin with a folder of the project or of `src-server`. */
function namedPaths(document: string): string[] {
  return [...textOf(document).matchAll(SOURCE_PATH)]
    .map(([, path = '']) => path)
    .filter((path) => TOP_LEVEL.test(path) || existsSync(join(ROOT, 'src-server', path.split('/')[0] ?? '', '')));
}

describe.each(DOCUMENTS)('%s', (document) => {
  it('links only to files that exist', () => {
    const links = [...textOf(document).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(
      ([, target = '']) => target,
    );
    expect(links.filter((target) => !existsSync(join(ROOT, dirname(document), target)))).toEqual([]);
  });

  it('names only files and folders that exist', () => {
    const missing = namedPaths(document).filter(
      (path) => !existsSync(join(ROOT, path)) && !existsSync(join(ROOT, 'src-server', path)),
    );
    expect(missing).toEqual([]);
  });
});
