import i18next from 'i18next';
import { beforeAll, expect, it } from 'vitest';
import { createFormat } from '../../shared/i18n/format.ts';
import type { Translate } from '../../shared/i18n/i18n.ts';
import { desk } from '../../shared/locales/en/desk.ts';
import { talk } from '../../shared/locales/en/talk.ts';
import { actionText, fieldText, valueText } from './history-words.ts';

const format = createFormat('en');
let t: Translate;
beforeAll(async () => {
  const made = i18next.createInstance();
  await made.init({
    lng: 'en',
    defaultNS: 'desk',
    nsSeparator: false,
    resources: { en: { desk: { ...desk, ...talk } } },
  });
  t = made.t as Translate;
});

it('names actions and fields, and keeps unknown ones readable', () => {
  expect(actionText('subject.update', t)).toBe('Subject changed');
  expect(actionText('equipment.first-use', t)).not.toBe('');
  expect(actionText('rocket.launch', t)).toBe('rocket.launch');
  expect(fieldText('displayName', t)).toBe('Name');
  expect(fieldText('fluxCapacity', t)).toBe('flux capacity');
});

it('says values as people read them', () => {
  const text = (field: string, value: unknown) => valueText(field, value, t, format, 'Asia/Tokyo');
  expect(text('isHidden', true)).toBe('yes');
  expect(text('displayName', null)).toBe('nothing');
  expect(text('lifecycleState', 'IN_PROGRESS')).toBe('Running');
  expect(text('sizeBytes', 3_736_176)).toBe('3.7 MB');
  expect(text('startTs', Date.UTC(2026, 2, 4, 15))).toContain('Mar 5, 2026');
  expect(text('activities', [{ id: 'x', displayName: 'Walk' }, { displayName: 'Rest' }])).toBe('Walk and Rest');
  expect(text('answers', [])).toBe('nothing');
  expect(text('physicalConfig', { location: 'CHEST', side: null })).toBe('location: CHEST');
});
