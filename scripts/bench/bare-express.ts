/** The peer of `api-throughput`: an Express server that answers every path with the content of BODY_FILE. Prints its port. */
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import express from 'express';

const body = readFileSync(process.env.BODY_FILE as string, 'utf8');
const app = express();
app.get('/{*path}', (_request, response) => {
  response.type('application/json').send(body);
});
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
