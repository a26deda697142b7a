/** Sends renamed members under their former names too: the counterpart of `contract/former-names.ts`. */
import { z } from 'zod';
import { FORMER_NAMES } from '../contract/former-names.ts';

const FORMER_BY_NAME: ReadonlyMap<string, string> = new Map(Object.entries(FORMER_NAMES));

/** A copy of a JSON value in which each renamed member, at any depth, also has its former name. */
export function addFormerNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(addFormerNames);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const sent = addFormerNames(member);
    const former = FORMER_BY_NAME.get(name);
    return former === undefined
      ? [[name, sent]]
      : [
          [name, sent],
          [former, sent],
        ];
  });
  return Object.fromEntries(members);
}

/** True when answers of a schema have renamed members. */
export function hasFormerNames(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodObject) {
    const members = Object.entries(schema.shape as Record<string, z.ZodType>);
    return members.some(([name, member]) => FORMER_BY_NAME.has(name) || hasFormerNames(member));
  }
  if (schema instanceof z.ZodArray) return hasFormerNames(schema.element as z.ZodType);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return hasFormerNames(schema.unwrap() as z.ZodType);
  return false;
}
