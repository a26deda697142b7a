import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src-server/durations.ts';
import { fold } from '../../../src-server/vocabulary/search.ts';
import { formatOf, withUnit } from './format.ts';
import { pickLanguage } from './languages.ts';

const english = formatOf('en');
const japanese = formatOf('ja');
const MOMENT = Date.parse('2026-03-03T23:30:00Z');

describe('formats', () => {
  it('writes dates unambiguously, regardless of the zone of this machine', () => {
    expect(english.date('2026-03-04')).toBe('Wed, Mar 4, 2026');
    expect(japanese.date('2026-03-04')).toBe('2026年3月4日(水)');
  });

  it('writes instants in the subject’s zone on a 24-hour clock', () => {
    expect(english.clock(MOMENT, 'Asia/Tokyo')).toBe('08:30');
    expect(japanese.dateTime(MOMENT, 'Asia/Tokyo')).toContain('2026/3/4');
    expect(english.clock(Date.parse('2026-03-04T00:10:00Z'), 'UTC')).toBe('00:10');
    expect(english.zone(MOMENT, 'US/Eastern')).toBe('EST');
    expect(english.zone(MOMENT + 180 * DAY_MS, 'US/Eastern')).toBe('EDT');
  });

  it('writes durations in hours and minutes and rounds once', () => {
    expect(english.duration(6 * 3600 + 12 * 60)).toBe('6 h 12 min');
    expect(japanese.duration(6 * 3600 + 12 * 60)).toBe('6時間12分');
    expect(english.duration(3599)).toBe('1 h 0 min');
    expect(english.duration(45)).toBe('45 s');
    expect(english.duration(59.6)).toBe('1 min');
    expect(english.duration(0.25)).toBe('250 ms');
    expect(japanese.duration(0.0001)).toBe('1ミリ秒');
    expect(english.duration(0.9996)).toBe('1 s');
    expect(english.duration(0)).toBe('0 min');
  });

  it('names the year of a span once, at the end that the language prefers', () => {
    expect(english.span('2026-11-02', '2026-11-22')).toEqual({ first: 'Mon, Nov 2', last: 'Sun, Nov 22, 2026' });
    expect(japanese.span('2026-11-02', '2026-11-22')).toEqual({ first: '2026年11月2日(月)', last: '11月22日(日)' });
    expect(english.span('2026-12-28', '2027-01-03').first).toBe('Mon, Dec 28, 2026');
  });

  it('writes Japanese units without a space', () => {
    expect(withUnit('72', 'bpm')).toBe('72\u00a0bpm');
    expect(withUnit('8,855', '歩')).toBe('8,855歩');
    expect(withUnit('8 h 12 min', '')).toBe('8 h 12 min');
  });

  it('writes sizes and ages', () => {
    expect(english.bytes(0)).toBe('0\u00a0B');
    expect(english.bytes(1_234_567)).toBe('1.2\u00a0MB');
    expect(english.bytes(999)).toBe('999\u00a0B');
    expect(english.ago(MOMENT - 14 * 60_000, MOMENT)).toBe('14 minutes ago');
    expect(japanese.ago(MOMENT - 14 * 60_000, MOMENT)).toBe('14分前');
    expect(english.ago(MOMENT - 30 * HOUR_MS, MOMENT)).toBe('30 hours ago');
  });

  it('matches names regardless of width, kana and case', () => {
    expect(fold('ﾀﾅｶ')).toBe(fold('たなか'));
    expect(fold('ＡＢＣ１２')).toBe('abc12');
  });
});

describe('language choice', () => {
  it('prefers the stored choice, then the browser, then English', () => {
    expect(pickLanguage('ja', ['en-US'])).toBe('ja');
    expect(pickLanguage(null, ['fr-FR', 'ja-JP', 'en'])).toBe('ja');
    expect(pickLanguage('xx', ['fr'])).toBe('en');
  });
});
