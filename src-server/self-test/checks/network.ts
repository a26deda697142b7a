/** TLS of the local network and of webhooks, and compressed answers. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { type Check, expectSame, expectThat, REINSTALL, SelfTestFailure } from '../check.ts';
import { SITE_KEY } from '../made-under-openssl.ts';

async function listening<T>(server: Server, use: (port: number) => Promise<T>): Promise<T> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await use((server.address() as AddressInfo).port);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** A certificate for this run over the stored key: the stored certificate expires. */
async function credentials(): Promise<{ key: string; cert: string }> {
  const { makeCertificate } = await import('../../lan/identity/certificate.ts');
  const { privateKeyPem } = SITE_KEY;
  const input = { privateKeyPem, commonName: 'Self-test', hosts: ['127.0.0.1'], nowMs: Date.now() };
  return { key: privateKeyPem, cert: await makeCertificate(input) };
}

/** The version that client and server agree on, or undefined when they do not. */
async function agreedVersion(port: number, version: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'): Promise<string | undefined> {
  const options = { host: '127.0.0.1', port, rejectUnauthorized: false, minVersion: version, maxVersion: version };
  const agreed = Promise.withResolvers<string | undefined>();
  const socket = connect(options, () => agreed.resolve(socket.getProtocol() ?? undefined));
  socket.once('error', () => agreed.resolve(undefined));
  return await agreed.promise.finally(() => socket.destroy());
}

async function checkDeviceTls(): Promise<void> {
  const { createHttpsServer } = await import('../../site/http-server.ts');
  const { tryAddress } = await import('../../lan/self-check.ts');
  const server = createHttpsServer((_request, response) => void response.end(), await credentials());
  await listening(server, async (port) => {
    const url = `https://127.0.0.1:${port}`;
    expectSame('a call with the pinned key', await tryAddress(url, [SITE_KEY.fingerprint]), 'reached');
    expectSame('a call with another pin', await tryAddress(url, ['0'.repeat(64)]), 'other');
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const)
      expectSame(`a ${version} connection`, await agreedVersion(port, version), version);
    expectSame('a TLSv1.1 connection', await agreedVersion(port, 'TLSv1.1'), undefined);
  });
}

async function checkDeviceRequests(): Promise<void> {
  const { createHttpsServer } = await import('../../site/http-server.ts');
  const { Connection } = await import('../../simulator/device/connection.ts');
  const answer = { ok: true };
  const server = createHttpsServer(
    (_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answer));
    },
    await credentials(),
  );
  await listening(server, async (port) => {
    const connection = new Connection({ urls: [`https://127.0.0.1:${port}`], pins: [SITE_KEY.fingerprint] });
    try {
      expectSame('the answer to a device', await connection.json('/self-test'), answer);
    } finally {
      connection.close();
    }
  });
}

async function checkWebhookTls(): Promise<void> {
  const { createHttpsServer } = await import('../../site/http-server.ts');
  const { post } = await import('../../integrations/webhooks/post.ts');
  const served = await credentials();
  const server = createHttpsServer((request, response) => {
    request.resume();
    response.statusCode = 204;
    response.end();
  }, served);
  await listening(server, async (port) => {
    const request = {
      url: `https://127.0.0.1:${port}/`,
      headers: {},
      body: '{}',
      allowLocal: true,
      timeoutMs: 5000,
      signal: AbortSignal.timeout(5000),
    };
    const trusted = await post({ ...request, trustedCertificate: served.cert });
    if (trusted.status !== 204) {
      throw new SelfTestFailure(`a receiver with a trusted certificate was not reached (${JSON.stringify(trusted)})`);
    }
    const { diagnostic } = await post(request);
    expectSame('a receiver with an unknown certificate', diagnostic?.code, 'RECEIVER_CERTIFICATE');
  });
}

async function checkCompressedAnswers(): Promise<void> {
  const { default: express } = await import('express');
  const { chooseCoding, sendBuffer } = await import('../../api/framework/compression.ts');
  const { createHttpServer } = await import('../../site/http-server.ts');
  const { routes } = await import('../../api/contract/index.ts');
  const body = Buffer.from(JSON.stringify(Array.from({ length: 1000 }, (_, i) => ({ i, text: 'Ward 3' }))));
  const app = express();
  app.use(async (request, response) => {
    chooseCoding(routes.listStudies, request, response);
    await sendBuffer(response, body);
  });
  await listening(createHttpServer(app), async (port) => {
    for (const coding of ['br', 'gzip']) {
      const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'accept-encoding': coding } });
      expectSame('the coding of an answer', answer.headers.get('content-encoding'), coding);
      const sent = Number(answer.headers.get('content-length'));
      expectThat(sent < body.length / 4, `${coding} made ${body.length} bytes into ${sent}`);
      expectThat(body.equals(Buffer.from(await answer.arrayBuffer())), `an answer changed on its way (${coding})`);
    }
  });
}

export const networkChecks: readonly Check[] = [
  {
    name: 'device-tls',
    subject: 'TLS 1.2 and 1.3 with the pinned key of the site',
    advice: `Hubs and phones could not connect. Check that no security software intercepts connections on this computer. ${REINSTALL}`,
    run: checkDeviceTls,
  },
  {
    name: 'device-requests',
    subject: 'Requests of a device over TLS',
    advice: `Hubs and phones could not deliver. ${REINSTALL}`,
    run: checkDeviceRequests,
  },
  {
    name: 'webhook-tls',
    subject: 'HTTPS to a receiver with its own certificate',
    advice: `Webhooks and mail over TLS could fail. ${REINSTALL}`,
    run: checkWebhookTls,
  },
  {
    name: 'compressed-answers',
    subject: 'Answers compressed with brotli and gzip',
    advice: REINSTALL,
    run: checkCompressedAnswers,
  },
];
