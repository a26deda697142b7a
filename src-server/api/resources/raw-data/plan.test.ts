import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChannelSpans, lastMsOfPage } from './plan.ts';

function rowsBetween(channel: ChannelSpans, fromMs: number, toMs: number): number {
  let rows = 0;
  for (const span of channel.spans) {
    for (let i = 0; i < span.count; i++) {
      const ms = Math.floor(Math.round(span.startUs + i * span.periodUs) / 1000);
      if (ms >= fromMs && ms <= toMs) rows++;
    }
  }
  return rows;
}

const channelArbitrary: fc.Arbitrary<ChannelSpans> = fc
  .array(
    fc.record({
      gapUs: fc.integer({ min: 1, max: 5_000_000 }),
      periodUs: fc.double({ min: 900, max: 40_000, noNaN: true }),
      count: fc.integer({ min: 1, max: 300 }),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((pieces) => {
    let startUs = 1_600_000_000_000_000;
    const spans = pieces.map(({ gapUs, periodUs, count }) => {
      const span = { startUs: startUs + gapUs, periodUs, count };
      startUs = Math.ceil(span.startUs + periodUs * count);
      return span;
    });
    return { spans, cellsPerRow: 4 };
  });

describe('lastMsOfPage', () => {
  it('covers every row exactly once, in pages within the limit', () => {
    fc.assert(
      fc.property(fc.array(channelArbitrary, { minLength: 1, maxLength: 3 }), (channels) => {
        const maxRows = 100 + 8 * channels.length;
        const fromMs = 1_600_000_000_000;
        const toMs = fromMs + 120_000;
        let start = fromMs;
        let rows = 0;
        for (let pages = 0; start <= toMs; pages++) {
          expect(pages).toBeLessThan(2000);
          const last = lastMsOfPage(channels, start, toMs, maxRows);
          expect(last).toBeGreaterThanOrEqual(start);
          const inPage = channels.reduce((sum, channel) => sum + rowsBetween(channel, start, last), 0);
          expect(inPage).toBeLessThanOrEqual(maxRows);
          rows += inPage;
          start = last + 1;
        }
        expect(rows).toBe(channels.reduce((sum, channel) => sum + rowsBetween(channel, fromMs, toMs), 0));
      }),
      { numRuns: 100 },
    );
  });

  it('returns the end of a window that fits, regardless of its length', () => {
    const channels = [{ spans: [{ startUs: 1e15, periodUs: 4000, count: 1000 }], cellsPerRow: 2 }];
    expect(lastMsOfPage(channels, 0, 32_503_680_000_000)).toBe(32_503_680_000_000);
  });
});
