import { beforeAll, expect, it, vi } from 'vitest';
import type { inLanguage as InLanguage } from './found-targets.ts';

vi.mock('../../shared/api/client.ts', () => ({ client: {} }));
let inLanguage: typeof InLanguage;
beforeAll(async () => {
  ({ inLanguage } = await import('./found-targets.ts'));
});

const event = { text: 'Subject enrolled / 被験者を登録', action: 'SUBJECT_CREATED' } as const;

it('shows an event in the language of the desk alone, with what was found of it', () => {
  expect(inLanguage({ ...event, matches: [[8, 16]] }, 'en')).toEqual({ text: 'Subject enrolled', matches: [[8, 16]] });
  expect(inLanguage({ ...event, matches: [[19, 22]] }, 'ja')).toEqual({ text: '被験者を登録', matches: [[0, 3]] });
  expect(inLanguage({ ...event, matches: [[19, 22]] }, 'en')).toEqual({ text: 'Subject enrolled', matches: [] });
});

it('leaves what people wrote as it is', () => {
  const hit = { text: 'a / b', matches: [[0, 1]] as [number, number][] };
  expect(inLanguage(hit, 'ja')).toEqual(hit);
});
