/** Devices, codes and sign-ins that were turned away on the network. */
import { z } from 'zod';
import { count, id, listOf, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';

const refusal = z
  .strictObject({
    kind: z.enum(['TOKEN', 'PAIRING', 'SIGN_IN', 'UPLOAD', 'REPORT']).meta({
      description:
        "TOKEN: of a device. PAIRING: a call with a pairing code. SIGN_IN: a subject's phone. UPLOAD: the announcement of a file. REPORT: a device said something of a sensor that it does not serve.",
    }),
    code: z.string(),
    message: z.string().meta({ description: 'What the caller was told.' }),
    address: z.string().optional().meta({ description: 'Absent: many addresses together.' }),
    serial: z.string().optional().meta({ description: 'As the caller said; proven only with `deviceId`.' }),
    deviceId: id.optional().meta({ description: 'The credential that was meant.' }),
    displayName: z.string().optional().meta({ description: 'Of the device that was meant.' }),
    pairingId: id.optional(),
    attempts: count.meta({ description: 'Within a day of the first.' }),
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
    summary: 'List who was turned away on the network in the last 14 days',
    description:
      'Tokens that are unknown, revoked or of another site, wrong or old pairing codes, wrong sign-ins of phones, announcements of files that nobody could read, and reports on sensors of others. The same reason from the same device or address counts as one for a day; each is in the audit too.',
    order: ['-lastTs'],
    params: z.object({ accountId: id }),
    status: 200,
    response: listOf(refusal),
  },
});
