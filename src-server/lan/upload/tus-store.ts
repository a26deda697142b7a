/** The store behind the tus server: names and offsets come from the receiver, bytes go to it. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable } from 'node:stream';
import { DataStore, ERRORS, Upload } from '@tus/server';
import type { UploadRecord } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import type { DeviceIdentity } from '../device-identity.ts';
import { EXPIRY_MS, type UploadReceiver } from './receiver.ts';
import type { RequestBody } from './request-body.ts';

/** What a request carries that the tus server does not hand to its store. */
export interface UploadRequest {
  device: DeviceIdentity;
  /** Where it calls from. */
  address: string;
  /** SHA-256 of this request's bytes, from Upload-Checksum. */
  sha256?: Uint8Array;
  body: RequestBody;
  /** The upload of the request, once it is known. */
  upload?: UploadRecord;
  /** What failed first; the answer is made of it. */
  failure?: unknown;
}

export const uploadRequest = new AsyncLocalStorage<UploadRequest>();

export function currentRequest(): UploadRequest {
  const request = uploadRequest.getStore();
  if (!request) throw new OutpostError('INTERNAL', 'An upload was touched outside of a request.');
  return request;
}

/** Creation makes an upload with its name (see `tus-handler.ts`), so `create` finds it there. */
export class TusStore extends DataStore {
  readonly #receiver: UploadReceiver;
  readonly #clock: () => number;

  constructor(receiver: UploadReceiver, clock: () => number) {
    super();
    this.#receiver = receiver;
    this.#clock = clock;
    this.extensions = ['creation', 'checksum', 'expiration', 'termination'];
  }

  override async getUpload(id: string): Promise<Upload> {
    const request = currentRequest();
    const upload = await this.#receiver.find(request.device, id);
    request.upload = upload;
    // The tus server counts the expiry by the computer's clock, the site by its own.
    const createdMs = Date.now() - (this.#clock() - upload.modifiedTs);
    return new Upload({
      id,
      size: upload.sizeBytes,
      offset: await this.#receiver.offsetOf(upload),
      creation_date: new Date(upload.state === 'RECEIVING' ? createdMs : Date.now()).toISOString(),
    });
  }

  /** @param end has no bytes; it ends with the body, or when another connection takes the upload over */
  override async write(end: Readable, id: string, offset: number): Promise<number> {
    const { body, sha256, upload } = currentRequest();
    end.once('end', body.stop).resume();
    const missing = (upload?.sizeBytes ?? Number.POSITIVE_INFINITY) - offset;
    let isTooLong = false;
    const isComplete = (): boolean => body.isComplete() && !isTooLong;
    async function* upToTheEnd(): AsyncGenerator<Buffer> {
      let sent = 0;
      for await (const chunk of body.chunks) {
        sent += chunk.length;
        isTooLong = sent > missing;
        if (isTooLong) return;
        yield chunk;
      }
    }
    try {
      const safe = await this.#receiver.append(id, upToTheEnd(), { offset, isComplete, ...(sha256 && { sha256 }) });
      if (!isTooLong) return safe;
    } catch (thrown) {
      if (!isTooLong) throw thrown;
    }
    throw ERRORS.ERR_SIZE_EXCEEDED;
  }

  override async remove(id: string): Promise<void> {
    const { device } = currentRequest();
    await this.#receiver.end(device, await this.#receiver.find(device, id));
  }

  override getExpiration(): number {
    return EXPIRY_MS;
  }

  /** The receiver does it by its own clock. */
  override async deleteExpired(): Promise<number> {
    return await this.#receiver.expire();
  }
}
