import { expect, test } from 'vitest';
import type { Receiving } from './receiving.ts';
import { receivingText } from './shell-words.ts';

const STATES: Receiving[] = [
  { state: 'closed' },
  { state: 'off' },
  { state: 'damaged' },
  { state: 'ready' },
  { state: 'receiving', files: 1 },
  { state: 'receiving', files: 12 },
  { state: 'failed', code: 'PORT_TAKEN', message: 'Port 8443 is in use.' },
  { state: 'failed', code: 'INTERNAL', message: 'No certificate.' },
];

test('says in both languages whether devices can deliver, each state in its own words', () => {
  for (const language of ['en', 'ja'] as const) {
    const texts = STATES.map((state) => receivingText(state, language));
    expect(new Set(texts).size).toBe(STATES.length);
    expect(texts.at(-1)).toContain('No certificate.');
    // Windows cuts tool tips at 127 characters.
    for (const text of texts) expect(`Outpost: ${text}`.length).toBeLessThan(128);
  }
  expect(receivingText({ state: 'receiving', files: 1 }, 'en')).toBe('Receiving 1 file');
  expect(receivingText({ state: 'receiving', files: 2 }, 'en')).toBe('Receiving 2 files');
});
