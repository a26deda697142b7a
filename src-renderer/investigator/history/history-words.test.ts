import { readdirSync, readFileSync } from 'node:fs';
import i18next from 'i18next';
import { beforeAll, expect, it } from 'vitest';
import { formatOf } from '../../shared/i18n/format.ts';
import type { Translate } from '../../shared/i18n/i18n.ts';
import { desk } from '../../shared/locales/en/desk.ts';
import { messagesAndEvents } from '../../shared/locales/en/messages-and-events.ts';
import { actionText, fieldText, valueText } from './history-words.ts';

const format = formatOf('en');
let t: Translate;
beforeAll(async () => {
  const made = i18next.createInstance();
  await made.init({
    lng: 'en',
    defaultNS: 'desk',
    nsSeparator: false,
    resources: { en: { desk: { ...desk, ...messagesAndEvents } } },
  });
  t = made.t as Translate;
});

it('translates actions and fields and keeps unknown ones readable', () => {
  expect(actionText('subject.update', t)).toBe('Subject changed');
  expect(actionText('equipment.first-use', t)).not.toBe('');
  expect(actionText('rocket.launch', t)).toBe('rocket.launch');
  expect(fieldText('displayName', t)).toBe('Name');
  expect(fieldText('fluxCapacity', t)).toBe('flux capacity');
});

it('formats values for readers', () => {
  const text = (field: string, value: unknown) => valueText(field, value, t, format, 'Asia/Tokyo');
  expect(text('isHidden', true)).toBe('yes');
  expect(text('displayName', null)).toBe('empty');
  expect(text('lifecycleState', 'IN_PROGRESS')).toBe('Running');
  expect(text('sizeBytes', 3_736_176)).toBe('3.7\u00a0MB');
  expect(text('startTs', Date.UTC(2026, 2, 4, 15))).toContain('Mar 5, 2026');
  expect(text('activities', [{ id: 'x', displayName: 'Walk' }, { displayName: 'Rest' }])).toBe('Walk and Rest');
  expect(text('answers', [])).toBe('empty');
  expect(text('dataState', 'VERIFIED')).toBe('verified');
  expect(text('notes', 'VERIFIED')).toBe('VERIFIED');
  expect(text('kind', 'analyse')).toBe('Analysis');
  expect(text('sha256', 'ab'.repeat(32))).toBe('abababababab…');
  expect(text('recordingId', '01a1fd98-a52e-72d0-97ae-31888a18531d')).toBe('…31888a18531d');
  expect(text('physicalConfig', { location: 'CHEST', side: null })).toBe('location: CHEST');
});

it('translates every action that the site records', () => {
  const root = new URL('../../../src-server/', import.meta.url).pathname;
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !/\.test\.ts$|^testing|^simulator/.test(name),
  );
  const written = sources.flatMap((name) =>
    [...readFileSync(root + name, 'utf8').matchAll(/action: '([a-z]+\.[a-z]+(?:-[a-z]+)*)'/g)].map(
      ([, action]) => action!,
    ),
  );
  const actions = new Set(written.filter((action) => action.split('.')[0]! in messagesAndEvents.history.records));
  expect(actions.size).toBeGreaterThan(40);
  expect([...actions].filter((action) => actionText(action, t) === action)).toEqual([]);
});
