/** Server program of the arrival benchmark: takes what hubs send over TLS and drops it. Prints its address when it is ready. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { stdout } from 'node:process';
import { makeTestCertificate } from '../../src-server/testing/test-certificate.ts';
import './end-with-parent.ts';

const server = createServer(await makeTestCertificate(), (request, response) => {
  request.on('data', () => undefined).on('end', () => response.writeHead(204).end());
});
server.listen(0, '127.0.0.1', () => {
  stdout.write(`https://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
