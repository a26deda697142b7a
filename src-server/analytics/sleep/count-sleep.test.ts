import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { realData } from '../../testing/real-data.ts';
import { coleKripkeSleep, sadehSleep } from './count-sleep.ts';

const text = (states: Uint8Array): string => Array.from(states, (is) => (is === 1 ? 'S' : 'W')).join('');

describe('sleep by counts', () => {
  // The minute in the middle alone, worked out by hand.
  const one = (value: number): number[] => Array.from({ length: 11 }, (_, i) => (i === 5 ? value : 0));

  it('is that of the published equations', () => {
    // Sadeh: 7.601 - 0.065 x 300 / 11 - 0.056 x 122.474 - 0.703 x ln 301 = -5.04, below -4.
    expect(sadehSleep(one(300))[5]).toBe(0);
    // 200: 7.601 - 1.182 - 0.056 x 81.650 - 0.703 x ln 201 = -1.88.
    expect(sadehSleep(one(200))[5]).toBe(1);
    // Capped at 300: more counts change nothing.
    expect(sadehSleep(one(9000))).toEqual(sadehSleep(one(300)));
    // Cole-Kripke: 0.001 x 230 x 4.35 = 1.0005 is awake, 4.34 is asleep; minutes before and after weigh less.
    expect(text(coleKripkeSleep(one(435)))).toBe('SSSSSWSSSSS');
    expect(text(coleKripkeSleep(one(434)))).toBe('SSSSSSSSSSS');
    expect(text(coleKripkeSleep(one(1000)))).toBe('SSSSSWSSSWS');
  });

  it('takes unknown minutes for zeros', () => {
    const gap = one(300);
    gap[4] = Number.NaN;
    expect(sadehSleep(gap)).toEqual(sadehSleep(one(300)));
    expect(coleKripkeSleep(gap)).toEqual(coleKripkeSleep(one(300)));
  });
});

const actilife = realData('motion/sleep/actigraph-gt3xplus-day01.json');

describe.runIf(actilife !== null)('sleep of ActiLife on 25 hours of counts', () => {
  it('is found to the minute', () => {
    const { axis1, sadeh, coleKripke } = JSON.parse(readFileSync(actilife!, 'utf8')) as {
      axis1: number[];
      sadeh: string;
      coleKripke: string;
    };
    expect(text(sadehSleep(axis1))).toBe(sadeh);
    expect(text(coleKripkeSleep(axis1))).toBe(coleKripke);
  });
});
