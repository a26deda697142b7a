/** The steps of a sign-in after the password. They load when a second factor is asked for, as most sites have none. */
import { lazy } from 'react';
import { ApiError } from '../../shared/api/queries.ts';
import { loadWords } from '../../shared/i18n/i18n.ts';

const load = async () => (await Promise.all([import('./second-step.tsx'), loadWords('access', 'site')]))[0];

export const CodeStep = lazy(async () => ({ default: (await load()).CodeStep }));
export const SetupStep = lazy(async () => ({ default: (await load()).SetupStep }));
export const CodeField = lazy(async () => ({ default: (await load()).CodeField }));

const codeOf = (error: Error): string => (error instanceof ApiError ? error.code : '');

/** Whether the password was right and only the code is missing. */
export const isCodeNeeded = (error: Error): boolean => codeOf(error) === 'SECOND_FACTOR_NEEDED';

/** The step that a refused sign-in leads to. */
export function stepOf(error: Error): 'password' | 'code' | 'setup' {
  if (isCodeNeeded(error)) return 'code';
  return codeOf(error) === 'SECOND_FACTOR_SETUP' ? 'setup' : 'password';
}
