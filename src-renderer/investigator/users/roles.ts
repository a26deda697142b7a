import type { Role } from '../../../src-server/api/contract/index.ts';

/** From the one who may do most. */
export const ROLES = ['ADMIN', 'COORDINATOR', 'ANALYST', 'MONITOR'] as const satisfies readonly Role[];
