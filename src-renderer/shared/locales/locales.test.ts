import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../../src-server/errors.ts';
import { PHONE_WORDS } from '../../phone/words/words.ts';
import type { Language } from '../i18n/languages.ts';
import { AREAS, type Area } from './words.ts';

function flatten(value: object, prefix = ''): [string, string][] {
  return Object.entries(value).flatMap(([key, child]): [string, string][] =>
    typeof child === 'string' ? [[prefix + key, child]] : flatten(child, `${prefix}${key}.`),
  );
}
const areas = Object.keys(AREAS) as Area[];
/** The texts of the desk by their keys, and those of the phone by theirs after `phone.`. */
const PHONE = 'phone.';
const textsOf = async (language: Language) => [
  ...(await Promise.all(areas.map((area) => AREAS[area][language]()))).flatMap((texts) => flatten(texts)),
  ...flatten(await PHONE_WORDS[language](), PHONE),
];
const english = new Map(await textsOf('en'));
const japanese = new Map(await textsOf('ja'));
const variables = (text: string) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1] ?? '').sort();

describe('locales', () => {
  it('has each key in one area only', async () => {
    expect(await textsOf('en')).toHaveLength(english.size);
    expect(await textsOf('ja')).toHaveLength(japanese.size);
  });

  it('has the same keys in Japanese, without the singular forms', () => {
    expect([...japanese.keys()].sort()).toEqual([...english.keys()].filter((key) => !key.endsWith('_one')).sort());
  });

  /** Variables that hold counts. Words after other variables are verbs, or follow a text. */
  const COUNTS = /\{\{(count|\w*s|assigned|entries|total|done)\}\}(?: \w+){0,1} (\w{3,}s)\b/g;
  const NO_NOUNS = new Set([
    'was',
    'has',
    'this',
    'does',
    'holds',
    'reads',
    'sees',
    'goes',
    'comes',
    'continues',
    'needs',
  ]);

  it('has a singular form for each count in English', () => {
    const fixed = new Set([
      // Never 1: constants, or values from 2.
      'token.intro',
      'days.tableNote',
      'days.tableCaption',
      'phone.calibration.steps.still',
      'phone.pictures.TOO_MANY',
      'phone.record.silent',
    ]);
    const wrong = [...english].filter(
      ([key, text]) =>
        !/_(one|other)$/.test(key) &&
        !fixed.has(key) &&
        // Sizes of damaged files: never one byte.
        !key.startsWith('diagnostics.') &&
        [...text.matchAll(COUNTS)].some(([, , word = '']) => !NO_NOUNS.has(word)),
    );
    expect(wrong).toEqual([]);
    const without = [...english.keys()].filter(
      (key) =>
        /_(one|other)$/.test(key) &&
        !english.has(key.replace(/_(one|other)$/, key.endsWith('_one') ? '_other' : '_one')),
    );
    expect(without).toEqual([]);
    const same = [...english].filter(
      ([key, text]) =>
        key.endsWith('_one') &&
        /\{\{count\}\} \w+s\b/.test(text) &&
        english.get(key.replace(/_one$/, '_other')) === text,
    );
    expect(same).toEqual([]);
  });

  it('uses the same variables in both languages', () => {
    for (const [key, text] of japanese) expect([key, variables(text)]).toEqual([key, variables(english.get(key)!)]);
  });

  it('leaves no Japanese text in English and no untranslated sentence in Japanese', () => {
    const untranslated = [...japanese].filter(
      ([key, text]) => /[A-Za-z]{3,} [A-Za-z]{3,}/.test(text) && text === english.get(key),
    );
    expect(untranslated).toEqual([]);
  });

  it('writes Japanese in one way: wave dashes, full stops, and no spaces after Latin letters and values', () => {
    const japaneseLetter = '[\\u3041-\\u30ff\\u4e00-\\u9fff]';
    const wrong = [
      /[～％，．！]/,
      new RegExp(`[A-Za-z0-9}] ${japaneseLetter}`),
      new RegExp(`${japaneseLetter}(を|は|が|に|で|と|の) [A-Za-z0-9{]`),
      /[0-9}] %/,
      /。。|、。|。、/,
      // A text with a full stop inside ends with one too.
      /。.*[^。：）」}]$/,
      // Half-width brackets and colons between Japanese letters.
      new RegExp(`${japaneseLetter}[(:?]|[)]${japaneseLetter}`),
    ];
    expect([...japanese].filter(([, text]) => wrong.some((pattern) => pattern.test(text)))).toEqual([]);
  });

  it('has one Japanese word for a thing', () => {
    const others =
      /院内|却下|監査記録|保管済み|サイト|メモリ(?!ー)|充電台|充電ステーション|スタッフ|匿名化|未開始|参加者|課題|使い切り|検証済み|操作者|貸し出し中|投稿|通信断|接触不良|メモリーいっぱい/;
    expect([...japanese].filter(([, text]) => others.test(text))).toEqual([]);
  });

  it('mentions diagnosis and monitoring in neither language, except to rule them out', () => {
    const allowed = new Set([
      'app.retrospective',
      'roles.MONITOR',
      'exports.forbiddenHelp',
      'statusBar.healthy',
      'site.checkPassed',
    ]);
    const words =
      /\b(normal|abnormal|arrhythmia|diagnos\w*|alarms?|monitor(ing|ed)?|real.time|live)\b|正常|異常|不整脈|診断|警報|監視|リアルタイム/i;
    const found = [...english, ...japanese].filter(([key, text]) => words.test(text) && !allowed.has(key));
    expect(found).toEqual([]);
  });

  it('ends texts of several sentences with punctuation', () => {
    const sentences = [...english].filter(([, text]) => /[a-z]\. [A-Z]/.test(text));
    expect(sentences.length).toBeGreaterThan(100);
    expect(sentences.filter(([, text]) => !/[.:?!…}]$/.test(text))).toEqual([]);
  });

  it('has a text for every error code', () => {
    expect(Object.keys(ERROR_CODES).filter((code) => !english.has(`errors.${code}`))).toEqual([]);
  });

  it('has a text for every audit action', () => {
    const root = new URL('../../../src-server/', import.meta.url).pathname;
    const source = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter(
        (file) =>
          /^(db|services|lan|site|jobs|integrity|api\/resources)\/.*\.ts$/.test(file) && !file.endsWith('.test.ts'),
      )
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .join('\n');
    const written = [
      ...[...source.matchAll(/\baction: '([a-z]+\.[a-z-]+)'/g)].map((match) => match[1] ?? ''),
      ...[...source.matchAll(/'((?:pairing|recording|refusal)\.[a-z-]+)'[,)]/g)].map((match) => match[1] ?? ''),
      ...['refuse', 'cancel', 'expire', 'lock'].map((event) => `pairing.${event}`),
      ...['received', 'receiving', 'stored', 'quarantined', 'rejected', 'refused', 'expired', 'ended', 'change'].map(
        (state) => `upload.${state}`,
      ),
    ].filter((action) => !/\.(id|udid)$/.test(action));
    expect(written.length).toBeGreaterThan(60);
    const missing = new Set(
      written.map((action) => action.replace(/[.-]/g, '_')).filter((key) => !english.has(`history.actions.${key}`)),
    );
    expect([...missing]).toEqual([]);
  });

  it('has no unused key', () => {
    const root = new URL('../../', import.meta.url).pathname;
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
      (file) => /\.tsx?$/.test(file) && !/locales\/|phone\/words\//.test(file),
    );
    const unusedIn = (isOfPhone: boolean, keys: readonly string[]): string[] => {
      const source = files
        .filter((file) => file.startsWith('phone/') === isOfPhone)
        .map((file) => readFileSync(join(root, file), 'utf8'))
        .join('\n');
      const dynamic = [...source.matchAll(/(?:t\(\s*|= )`([\w.]+)\.\$\{/g)].map((match) => `${match[1]}.`);
      return keys.filter(
        (key) =>
          !source.includes(`'${key.replace(/_(one|other)$/, '')}'`) &&
          !dynamic.some((prefix) => key.startsWith(prefix)),
      );
    };
    const ofDesk = [...english.keys()].filter((key) => !key.startsWith(PHONE));
    const ofPhone = [...english.keys()].filter((key) => key.startsWith(PHONE)).map((key) => key.slice(PHONE.length));
    expect(unusedIn(false, ofDesk)).toEqual([]);
    expect(unusedIn(true, ofPhone)).toEqual([]);
  });
});
