/** Parts of the security checklist that the source shows; the others run in `e2e/desktop/security.spec.ts`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const sources = readdirSync(join(ROOT, 'src-main'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => ({ name, text: textOf(join('src-main', name)) }));

/** The parts of Electron that the document lists, each with its reason. */
const listedParts = () =>
  [...textOf('resources/shell-security.md').matchAll(/^\| `(\w+)` \| ([^|]+) \|$/gm)].map(
    ([, name = '', reason = '']) => ({ name, reason: reason.trim() }),
  );

test('uses only the parts of Electron that are listed', () => {
  const imported = new Set<string>();
  for (const { text } of sources) {
    for (const [, names = ''] of text.matchAll(/import \{([^}]+)\} from 'electron'/g)) {
      for (const name of names.split(',').map((one) => one.trim())) {
        if (name !== '' && !name.startsWith('type ')) imported.add(name);
      }
    }
  }
  expect([...imported].sort()).toEqual(
    listedParts()
      .map(({ name }) => name)
      .sort(),
  );
  for (const { name, reason } of listedParts()) expect(reason.length, name).toBeGreaterThan(20);
  for (const { name, text } of sources) {
    const other = text.match(/loadFile\(|file:\/\/|registerSchemes|allowpopups|executeJavaScript|openDevTools/);
    expect(other?.[0], name).toBeUndefined();
    // Links come in at one place and are parsed at one place.
    if (/setAsDefaultProtocolClient|open-url/.test(text)) expect(['index.ts', 'link-opener.ts']).toContain(name);
  }
});

test('the document names a test for every item of the checklist, and each exists', () => {
  const rows = textOf('resources/shell-security.md')
    .split('\n')
    .filter((line) => /^\| \d+ \|/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  expect(rows.map((cells) => Number(cells[1]))).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  const without: number[] = [];
  for (const cells of rows) {
    const named = [...(cells[4] ?? '').matchAll(/`([^`]+)`: ([^;]+)/g)];
    if (named.length === 0) without.push(Number(cells[1]));
    for (const [, path = '', title = ''] of named) expect(textOf(path)).toContain(`test('${title.trim()}'`);
  }
  expect(without).toEqual([16]);
});
