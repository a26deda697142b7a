/** What the files of an E4 session have in common: their names and their numbers. */
import type { SetMember } from '../set-members.ts';

export const SECONDS = { kind: 'number', power: 6 } as const;

export const baseName = (member: SetMember): string =>
  member.name.slice(member.name.lastIndexOf('/') + 1).toLowerCase();

export const numberOf = (cell: string): number => {
  const text = cell.trim();
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,2})?$/i.test(text) ? Number(text) : Number.NaN;
};
