import { describe, expect, it, vi } from 'vitest';
import { searchPhrases, searchWords, snippetOf } from './search-text.ts';

describe('the words of a text', () => {
  it.each([
    ['Removed the patch, N-104', 'removed the patch n 104'],
    ['Ｎ－１０４', 'n 104'],
    ['Café ÅNGSTRÖM naïve', 'cafe angstrom naive'],
    ['Straße', 'strasse'],
    ['心電図を再装着', '心 電 図 を 再 装 着'],
    ['ｶﾞﾑ', 'が む'],
    ['センサー', 'せ ん さ ー'],
    ['10時に電話', '10 時 に 電 話'],
    ['𠮷野さん', '𠮷 野 さ ん'],
    ['हिन्दी', 'हिन्दी'],
    ['🙂 --- ', ''],
    ['\ud842', ''],
  ])('of %s are %s', (text, words) => {
    expect(searchWords(text)).toBe(words);
  });

  it('tells voiced from unvoiced kana', () => {
    expect(searchWords('ガ')).not.toBe(searchWords('カ'));
  });
});

it('takes a query apart at spaces, each part once', () => {
  expect(searchPhrases(' 心電　Patch patch N-104 ')).toEqual(['心 電', 'patch', 'n 104']);
  expect(searchPhrases('" OR * ) NEAR(')).toEqual(['or', 'near']);
  expect(searchPhrases('--')).toEqual([]);
});

describe('a snippet', () => {
  const marked = (text: string, query: string) => {
    const { text: shown, matches } = snippetOf(text, searchPhrases(query));
    let out = '';
    let at = 0;
    for (const [from, to] of matches) {
      out += `${shown.slice(at, from)}[${shown.slice(from, to)}]`;
      at = to;
    }
    return out + shown.slice(at);
  };

  it.each([
    ['The Patch was patched', 'patch', 'The [Patch] was [patch]ed'],
    ['Café and cafe', 'CAFÉ', '[Café] and [cafe]'],
    ['Straße frei', 'strasse', '[Straße] frei'],
    ['電話で再装着を依頼', '再装', '電話で[再装]着を依頼'],
    ['ｶﾞﾑを使用', 'ガム', '[ｶﾞﾑ]を使用'],
    ['a\n\n  b', 'b', 'a [b]'],
  ])('of %s for %s', (text, query, expected) => {
    expect(marked(text, query)).toBe(expected);
  });

  it('is cut around the first place that was found', () => {
    const shown = marked(`${'word '.repeat(100)}needle${' word'.repeat(100)}`, 'needle');
    expect(shown.length).toBeLessThan(130);
    expect(shown).toMatch(/^….*\[needle\].*…$/);
  });

  it('does not cut a surrogate pair', () => {
    expect(snippetOf('😀'.repeat(200), []).text.isWellFormed()).toBe(true);
  });

  it.each([0, 900, 990, 1000, 1995, 5000, 8999])('of a long text is that around its first place, at %i', (at) => {
    const filler = 'か'.repeat(9000);
    const text = `${filler.slice(0, at)} 針 ${filler.slice(at)} 針`;
    const { text: shown, matches } = snippetOf(text, searchPhrases('針'));
    expect(matches.map(([from, to]) => shown.slice(from, to))).toEqual(at > 8900 ? ['針', '針'] : ['針']);
    expect(shown.length).toBeLessThanOrEqual(122);
  });

  it('folds no more of a long text than it needs', () => {
    const normalize = vi.spyOn(String.prototype, 'normalize');
    const callsFor = (text: string) => {
      normalize.mockClear();
      snippetOf(text, ['needle']);
      return normalize.mock.calls.length;
    };
    const begin = `a needle ${'hay '.repeat(300)}`;
    expect(callsFor(begin + 'hay '.repeat(20_000))).toBe(callsFor(begin + 'hay '.repeat(200)));
    normalize.mockRestore();
  });
});
