import { expect, it } from 'vitest';
import { sentencesOf, textsOf } from './texts.ts';

const WORDS = {
  frame: { hello: 'Hello {{name}}, {{name}}', left_one: '{{count}} left', left_other: '{{count}} are left' },
  plain: 'Plain',
};

it('finds texts by their keys, fills in values as they are, and knows plurals', () => {
  const { t, has } = textsOf(WORDS, 'en');
  expect(t('plain')).toBe('Plain');
  expect(t('frame.hello', { name: '$& <Ann>' })).toBe('Hello $& <Ann>, $& <Ann>');
  expect([0, 1, 2].map((count) => t('frame.left', { count }))).toEqual(['0 are left', '1 left', '2 are left']);
  expect(textsOf({ left_other: '残り{{count}}件' }, 'ja').t('left', { count: 1 })).toBe('残り1件');
  expect([t('frame.none'), t('frame'), t('toString')]).toEqual(['frame.none', 'frame', 'toString']);
  expect([has('plain'), has('frame'), has('frame.none'), has('plain.length')]).toEqual([true, false, false, false]);
});

it('puts sentences one after the other as the language does, and leaves out what is empty', () => {
  expect(sentencesOf('en')('No task today.', '', false, 'Next: Fri.')).toBe('No task today. Next: Fri.');
  expect(sentencesOf('ja')('今日の予定はありません。', '次は金曜日です。')).toBe(
    '今日の予定はありません。次は金曜日です。',
  );
});
