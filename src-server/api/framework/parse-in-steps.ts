/** Validates large bodies item by item, so that other requests go in between: a whole batch takes a tenth of a second in one step. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';

const STEP_MS = 10;

/** The array inside a member that may be absent or have a default. */
function arrayIn(member: z.core.$ZodType | undefined): z.ZodArray | undefined {
  if (member instanceof z.ZodArray) return member;
  return member instanceof z.ZodDefault || member instanceof z.ZodOptional ? arrayIn(member.def.innerType) : undefined;
}

type Result = z.ZodSafeParseResult<Record<string, unknown>>;

/** Returns what `safeParse` returns. Rules over the whole object need it whole, so such a schema is parsed in one step. */
export async function parseInSteps(schema: z.ZodObject, input: object): Promise<Result> {
  if (schema.def.checks?.length || schema.def.catchall) return schema.safeParse(input) as Result;
  const known = Object.keys(schema.shape).filter((name) => Object.hasOwn(input, name));
  const shell = Object.fromEntries(known.map((name) => [name, (input as Record<string, unknown>)[name]]));
  const parsed: Record<string, unknown[]> = {};
  const issues: z.core.$ZodIssue[] = [];
  let sinceMs = performance.now();
  for (const [name, value] of Object.entries(shell)) {
    const array = arrayIn(schema.shape[name]);
    if (!array || !Array.isArray(value)) continue;
    const checks = (array.def.checks ?? []).map(({ _zod }) => _zod.def as { check: string; maximum?: number });
    // Too long, or under a rule over the whole of it: refused or parsed as one.
    if (checks.some(({ check, maximum = 0 }) => check !== 'max_length' || value.length > maximum)) continue;
    const items: unknown[] = [];
    for (const [index, item] of value.entries()) {
      const result = z.safeParse(array.element, item);
      if (result.success) items.push(result.data);
      else issues.push(...result.error.issues.map((issue) => ({ ...issue, path: [name, index, ...issue.path] })));
      if (performance.now() - sinceMs < STEP_MS) continue;
      await nextTurn();
      sinceMs = performance.now();
    }
    parsed[name] = items;
    shell[name] = [];
  }
  const result = schema.safeParse(shell);
  if (!result.success) issues.push(...result.error.issues);
  if (issues.length > 0) return { success: false, error: new z.ZodError(issues) } as Result;
  return { success: true, data: { ...result.data, ...parsed } };
}
