/** Every name that a call can set is one that all readers see as it was typed. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { routes } from './index.ts';

/** Members of request bodies that name something which lists and exports show. */
const NAMES: ReadonlySet<string> = new Set(['displayName', 'firstName', 'lastName']);

/** Names that are judged elsewhere, or not at all. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  // Refer to a field of the study; one that it does not have is refused.
  'createSubject.metadataFields.displayName',
  'updateSubject.metadataFields.displayName',
  // With the whole plan, in study/participation.ts.
  ...['groups', 'strata', 'visits'].map((list) => `setStudyPlan.${list}.displayName`),
  // With the serial number, in lan/pairing/steps.ts.
  'callPairing.device.displayName',
  // What a subject typed on a phone is kept as it came: a phone cannot ask again, and a refusal would lose it.
  'syncPhone.reports.marks.displayName',
  'sendTaskReports.reports.marks.displayName',
]);

function* namesIn(schema: unknown, path: string): Generator<[string, z.ZodType]> {
  if (schema instanceof z.ZodObject) {
    for (const [key, member] of Object.entries(schema.shape)) {
      if (NAMES.has(key)) yield [`${path}.${key}`, member as z.ZodType];
      else yield* namesIn(member, `${path}.${key}`);
    }
  } else if (schema instanceof z.ZodArray) yield* namesIn(schema.element, path);
  else if (schema instanceof z.ZodUnion) for (const option of schema.options) yield* namesIn(option, path);
  else if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    yield* namesIn(schema.unwrap(), path);
  else if (schema instanceof z.ZodPipe) yield* namesIn(schema.in, path);
}

const found = Object.entries(routes).flatMap(([name, route]) =>
  'body' in route && route.body ? [...namesIn(route.body, name)] : [],
);

it('finds the names', () => {
  expect(found.length).toBeGreaterThan(20);
  const paths = new Set(found.map(([path]) => path));
  expect([...ELSEWHERE].filter((path) => !paths.has(path))).toEqual([]);
});

it.each(found.filter(([path]) => !ELSEWHERE.has(path)))('%s', (_path, schema) => {
  for (const name of ['P-01', '佐藤 花子', 'می‌خواهم', '👩‍⚕️', "O'Neill"])
    expect(schema.safeParse(name)).toMatchObject({ success: true, data: name });
  for (const unseen of ['\u202e', '\u2066', '\u200f', '\u0007', '\u2028', '\u0085'])
    expect(schema.safeParse(`P-01${unseen}20-P`).success).toBe(false);
});
