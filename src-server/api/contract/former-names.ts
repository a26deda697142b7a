/**
 * Response members that were renamed. Each is also sent under its former name, so that scripts written for that name keep
 * working; the OpenAPI document marks the copy as deprecated.
 */
import type { z } from 'zod';

/** Former names by present name. */
export const FORMER_NAMES = { diagnostic: 'finding', diagnostics: 'findings' } as const;
type FormerNames = typeof FORMER_NAMES;

type FormerMembers<Members> = {
  [Name in keyof Members & keyof FormerNames as FormerNames[Name]]: Members[Name] extends z.ZodType
    ? z.ZodOptional<Members[Name]>
    : never;
};

/** The members of a response schema, with a deprecated copy of each one that was renamed. */
export function withFormerNames<Members extends Record<string, z.ZodType>>(
  members: Members,
): Members & FormerMembers<Members> {
  const former = Object.entries(FORMER_NAMES).flatMap(([name, formerName]) => {
    const member = members[name];
    if (!member) return [];
    const meta = { description: `The former name of \`${name}\`.`, deprecated: true };
    return [[formerName, member.optional().meta(meta)]];
  });
  return { ...members, ...(Object.fromEntries(former) as FormerMembers<Members>) };
}
