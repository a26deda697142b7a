/** The service itself. */
import { z } from 'zod';
import { defineRoutes } from '../route.ts';

const status = z
  .strictObject({ version: z.string(), build: z.string() })
  .meta({ id: 'Status', description: 'Version of the service and its build.' });

export const siteRoutes = defineRoutes({
  getStatus: {
    method: 'GET',
    path: '/status',
    access: 'public',
    tag: 'Service',
    summary: 'Version of the service',
    status: 200,
    response: status,
    example: { version: '0.1.0', build: '0.1.0' },
  },
  getOpenApi: {
    method: 'GET',
    path: '/openapi.json',
    access: 'public',
    tag: 'Service',
    summary: 'This document',
    status: 200,
    response: z.record(z.string(), z.unknown()),
  },
});
