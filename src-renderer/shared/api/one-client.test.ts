import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

it('only the typed client sends requests from the renderer', () => {
  const sources = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
    .map((name) => ({ name, text: readFileSync(join(ROOT, name), 'utf8') }));
  expect(sources.length).toBeGreaterThan(50);
  const byHand = /(?<![\w.#])fetch\(|new (XMLHttpRequest|EventSource|WebSocket)\b|sendBeacon\(/;
  expect(sources.filter(({ text }) => byHand.test(text)).map(({ name }) => name)).toEqual([]);
});
