import { ApiError } from '../../../src-server/api/contract/client-core.ts';

/** Whether the first request with this id arrived, its answer was lost, and the repeated request says something else by now. */
export const isSavedOtherwise = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'CONFLICT' && error.errors.some(({ path }) => path === 'id');
