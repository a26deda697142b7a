import { expect, it } from 'vitest';
import { completeParameters } from '../../../src-server/vocabulary/analysis-parameters.ts';
import { rhythmMetrics as english } from '../../shared/locales/en/rhythm-metrics.ts';
import { rhythmMetrics as japanese } from '../../shared/locales/ja/rhythm-metrics.ts';
import { labelValues } from './label-values.ts';

const format = { number: (value: number, digits = 0) => value.toFixed(digits) };
const filled = (text: string, values: object) =>
  Object.entries(values).reduce((found, [name, value]) => found.replace(`{{${name}}}`, String(value)), text);

it('names the thresholds of the study, and each where results differ', () => {
  const own = completeParameters({ rhythm: { pauseSeconds: 2.5, bradycardiaBpm: 45, tachycardiaBpm: 120 } });
  expect(labelValues([own], format)).toEqual({ pause: '2.5', slow: '45', fast: '120' });
  expect(labelValues([own, completeParameters(), own], format)).toEqual({
    ...{ pause: '2.5 / 3', slow: '45 / 50', fast: '100 / 120' },
  });
  const values = labelValues([own], format);
  expect(filled(english.HEART_PAUSES, values)).toBe('Pauses of 2.5 s or more');
  expect(filled(english.HEART_TACHYCARDIA_EPISODES, values)).toBe('Episodes above 120 bpm');
  expect(filled(japanese.HEART_BRADYCARDIA_EPISODES, values)).toBe('45 bpm未満のエピソード');
});

it('leaves no number of its own in a label', () => {
  for (const text of [...Object.values(english), ...Object.values(japanese)])
    expect(text.replace('1時間', '')).not.toMatch(/\d/);
});
