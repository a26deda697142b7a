import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseInSteps } from './parse-in-steps.ts';

const schema = z.object({
  at: z.int(),
  items: z
    .array(z.object({ name: z.string().transform((name) => name.toUpperCase()) }))
    .max(3)
    .default([]),
  names: z.array(z.string()).min(1).optional(),
});

describe('parsing in steps', () => {
  it.each([
    [{ at: 1, items: [{ name: 'a' }, { name: 'b' }], names: ['x'], more: true }],
    [{ at: 1 }],
    [{ at: 1, items: [] }],
    [{ at: 'x', items: [{ name: 1 }, { name: 'b' }] }],
    [{ at: 1, items: 'none' }],
    [{ at: 1, items: [{}, {}, {}, {}] }],
    [{ at: 1, names: [] }],
  ])('gives what parsing at once gives: %j', async (input) => {
    const stepped = await parseInSteps(schema, input);
    const whole = schema.safeParse(input);
    expect(stepped.success).toBe(whole.success);
    expect(stepped.data).toEqual(whole.data);
    const issuesOf = ({ error }: { error?: z.ZodError }) => error?.issues.map((issue) => JSON.stringify(issue)).sort();
    expect(issuesOf(stepped as { error?: z.ZodError })).toEqual(issuesOf(whole as { error?: z.ZodError }));
  });

  it('lets others run in between', async () => {
    const many = z.object({ items: z.array(z.array(z.int())) });
    const items = Array.from({ length: 200 }, () => Array.from({ length: 5000 }, (_, i) => i));
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 0);
    await parseInSteps(many, { items });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
  });

  it('keeps rules over the whole object', async () => {
    const ruled = schema.refine(({ items }) => items.length > 0, 'Empty.');
    expect((await parseInSteps(ruled, { at: 1, items: [] })).success).toBe(false);
    expect((await parseInSteps(ruled, { at: 1, items: [{ name: 'a' }] })).success).toBe(true);
  });
});
