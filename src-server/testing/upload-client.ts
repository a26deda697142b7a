/** A device written from upload.md over plain sockets: announces, sends chunks, queries the offset and resumes. */
import { createHash, randomUUID } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

export interface UploadFile {
  recordingId: string;
  sensor: string;
  bytes: Buffer;
  startUs: number;
  syncPoints?: [number, number][];
  /** Overrides of Upload-Metadata. */
  metadata?: Record<string, string>;
}

export interface Answer {
  status: number;
  headers: Record<string, string | undefined>;
  body: Record<string, unknown>;
}

export interface DeviceOptions {
  url: string;
  authorization: string;
  /** Bytes of one PATCH. */
  chunkBytes?: number;
  checksums?: boolean;
  /** Where files are announced; default: the address of devices. */
  collection?: string;
  ca?: string;
  /** Where connections come from; the site limits how many one address may have. */
  localAddress?: string;
}

const UPLOADS = '/api/v1/device/uploads';

export class TestDevice {
  readonly options: DeviceOptions;

  constructor(options: DeviceOptions) {
    this.options = options;
  }

  /** Makes one request; `cutAfter` closes the connection after that many bytes of the body. */
  async request(
    method: string,
    path: string,
    headers: Record<string, string | number> = {},
    body?: Buffer,
    cutAfter?: number,
  ): Promise<Answer> {
    const { url, authorization, ca, localAddress } = this.options;
    const target = new URL(path, url);
    const options = {
      method,
      headers: {
        authorization,
        'tus-resumable': '1.0.0',
        ...(body && { 'content-length': body.length }),
        ...headers,
      },
      ...(ca !== undefined && { ca, allowPartialTrustChain: true, checkServerIdentity: () => undefined }),
      ...(localAddress !== undefined && { localAddress }),
      agent: false as const,
    };
    return await new Promise<Answer>((resolve, reject) => {
      const sent = (target.protocol === 'https:' ? httpsRequest : httpRequest)(target, options, (response) => {
        readAnswer(response).then(resolve, reject);
      });
      sent.on('error', reject);
      if (body === undefined) sent.end();
      else if (cutAfter === undefined) sent.end(body);
      else sent.write(body.subarray(0, cutAfter), () => setTimeout(() => sent.destroy(new Error('cut')), 2));
    });
  }

  announce(file: UploadFile): Promise<Answer> {
    return this.request('POST', this.options.collection ?? UPLOADS, {
      'upload-length': file.metadata?.size ?? file.bytes.length,
      'upload-metadata': metadataOf(file),
      'content-length': 0,
    });
  }

  head(location: string): Promise<Answer> {
    return this.request('HEAD', location);
  }

  state(location: string): Promise<Answer> {
    return this.request('GET', location);
  }

  patch(
    location: string,
    offset: number,
    chunk: Buffer,
    options: { checksum?: boolean; headers?: Record<string, string>; cutAfter?: number } = {},
  ): Promise<Answer> {
    const headers: Record<string, string | number> = {
      'upload-offset': offset,
      'content-type': 'application/offset+octet-stream',
      ...((options.checksum ?? this.options.checksums) && { 'upload-checksum': checksumOf(chunk) }),
      ...options.headers,
    };
    return this.request('PATCH', location, headers, chunk, options.cutAfter);
  }

  /**
   * Sends a file completely despite cut connections, rejected chunks and concurrent connections. Throws the response of a
   * permanent refusal.
   */
  async upload(file: UploadFile, disturb?: Disturbance): Promise<Answer> {
    const chunk = this.options.chunkBytes ?? 256 * 1024;
    for (let tries = 0; tries < 2000; tries++) {
      try {
        const announced = await this.announce(file);
        if (announced.body.permanent === true) return announced;
        if (announced.status !== 201)
          throw new Error(`Announcing: ${announced.status} ${JSON.stringify(announced.body)}`);
        const location = announced.headers.location ?? '';
        let offset = Number(announced.headers['upload-offset']);
        while (offset < file.bytes.length) {
          const cutAfter = disturb?.cutAfter(Math.min(chunk, file.bytes.length - offset));
          const answer = await this.patch(location, offset, file.bytes.subarray(offset, offset + chunk), {
            ...(cutAfter !== undefined && { cutAfter }),
          });
          if (answer.body.permanent === true) return answer;
          if (answer.status === 204) offset = Number(answer.headers['upload-offset']);
          else if (answer.headers['upload-offset'] !== undefined) offset = Number(answer.headers['upload-offset']);
          else throw new Error(`Sending: ${answer.status} ${JSON.stringify(answer.body)}`);
        }
        for (;;) {
          const state = await this.state(location);
          if (state.body.state !== 'RECEIVED') return state;
          await sleep(20);
        }
      } catch {
        await sleep(1 + Math.random() * 20);
      }
    }
    throw new Error('The upload did not come to an end.');
  }
}

export interface Disturbance {
  /** Bytes of a chunk after which the connection is cut; undefined for no cut. */
  cutAfter(chunkBytes: number): number | undefined;
}

export function checksumOf(bytes: Buffer): string {
  return `sha256 ${createHash('sha256').update(bytes).digest('base64')}`;
}

function metadataOf(file: UploadFile): string {
  const members: Record<string, string> = {
    recordingId: file.recordingId,
    sensor: file.sensor,
    sha256: createHash('sha256').update(file.bytes).digest('hex'),
    formatVersion: '1',
    startUs: String(file.startUs),
    ...(file.syncPoints && { syncPoints: JSON.stringify(file.syncPoints) }),
    ...file.metadata,
  };
  return Object.entries(members)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',');
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return {
    status: response.statusCode ?? 0,
    headers: response.headers as Record<string, string | undefined>,
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
  };
}

export function newRecordingId(): string {
  return randomUUID();
}
