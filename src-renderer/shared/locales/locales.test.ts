import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../../src-server/errors.ts';
import { en } from './en.ts';
import { ja } from './ja.ts';

function flatten(value: object, prefix = ''): [string, string][] {
  return Object.entries(value).flatMap(([key, child]): [string, string][] =>
    typeof child === 'string' ? [[prefix + key, child]] : flatten(child, `${prefix}${key}.`),
  );
}
const english = new Map(flatten(en));
const japanese = new Map(flatten(ja));
const variables = (text: string) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1]).sort();

describe('locales', () => {
  it('has every English key in Japanese (one plural form) and none besides', () => {
    expect([...japanese.keys()].sort()).toEqual([...english.keys()].filter((key) => !key.endsWith('_one')).sort());
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

  it('has words for every error code of the site', () => {
    const known = Object.keys(en.errors);
    expect(Object.keys(ERROR_CODES).filter((code) => !known.includes(code))).toEqual([]);
  });

  it('has no key that no screen uses', () => {
    const root = new URL('../..', import.meta.url).pathname;
    const source = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !file.includes('locales/'))
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .join('\n');
    const dynamic = [...source.matchAll(/t\(\s*`([\w.]+)\.\$\{/g)].map((match) => `${match[1]}.`);
    const unused = [...english.keys()].filter(
      (key) =>
        !source.includes(`'${key.replace(/_(one|other)$/, '')}'`) && !dynamic.some((prefix) => key.startsWith(prefix)),
    );
    expect(unused).toEqual([]);
  });
});
