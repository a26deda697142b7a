import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

/** Runs before the client has arrived, and hands its answers to it. */
const HEAD_START = join('investigator', 'head-start', 'start.ts');
/** Fetches a file of the program itself, which the interface does not have. */
const TYPEFACE = join('investigator', 'typeface.ts');
/** Gives the typed client the phone's credential. */
const PHONE_CALLS = join('phone', 'sync', 'site-calls.ts');
/** Sends bytes by the upload protocol, whose headers the typed client does not know. */
const UPLOADS = join('shared', 'sensors', 'upload.ts');

it('only the typed client sends requests from the renderer, what runs for it, uploads and the typeface', () => {
  const sources = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
    .map((name) => ({ name, text: readFileSync(join(ROOT, name), 'utf8') }));
  expect(sources.length).toBeGreaterThan(50);
  const byHand = /(?<![\w.#])fetch\(|new (XMLHttpRequest|EventSource|WebSocket)\b|sendBeacon\(/;
  expect(
    sources
      .filter(({ text }) => byHand.test(text))
      .map(({ name }) => name)
      .sort(),
  ).toEqual([HEAD_START, TYPEFACE, PHONE_CALLS, UPLOADS]);
});
