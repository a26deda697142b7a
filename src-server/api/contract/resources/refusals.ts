/** Devices, codes and sign-ins that were refused on the network. */
import { z } from 'zod';
import { count, id, listOf, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';

const refusal = z
  .strictObject({
    kind: z.enum(['TOKEN', 'PAIRING', 'SIGN_IN', 'UPLOAD', 'REPORT']).meta({
      description:
        "TOKEN: a device token. PAIRING: a call with a pairing code. SIGN_IN: a subject's phone. UPLOAD: the announcement of a file. REPORT: a report on a sensor that the device does not serve.",
    }),
    code: z.string(),
    message: z.string().meta({ description: 'The error message that the caller received.' }),
    address: z.string().optional().meta({ description: 'Absent when the entry combines many addresses.' }),
    serial: z.string().optional().meta({ description: 'As claimed by the caller; verified only with `deviceId`.' }),
    deviceId: id.optional().meta({ description: 'The credential that the caller referred to.' }),
    displayName: z.string().optional().meta({ description: 'Name of the device that the caller referred to.' }),
    pairingId: id.optional(),
    attempts: count.meta({ description: 'Attempts within a day of the first.' }),
    firstTs: timestamp,
    lastTs: timestamp,
  })
  .meta({ id: 'Refusal' });
export type Refusal = z.infer<typeof refusal>;

export const refusalRoutes = defineRoutes({
  listRefusals: {
    method: 'GET',
    path: '/accounts/{accountId}/refusals',
    access: 'user',
    operation: 'device.pair',
    tag: 'Pairing',
    summary: 'List refused attempts on the network of the last 14 days',
    description:
      'Tokens that are unknown, revoked or of another site, wrong or expired pairing codes, failed sign-ins of phones, unreadable announcements of files, and reports on sensors that the device does not serve. Attempts with the same reason from the same device or address within a day are combined; each item is in the audit log too.',
    order: ['-lastTs'],
    params: z.object({ accountId: id }),
    status: 200,
    response: listOf(refusal),
  },
});
