/** A backup as a restore and a check read it, whatever its form. */
import type { BackupManifest } from './manifest.ts';
import type { SealingKeys } from './sealed/keys.ts';

export interface BackupSource {
  /** Of an encrypted folder: what the site needs to add to it. */
  sealingKeys?: SealingKeys;
  manifest: BackupManifest;
  /** The backup itself, for messages. */
  path: string;
  /** Bytes of a member, by its path in the backup. @throws FILE_DAMAGED when it is not there or cannot be unpacked */
  read(memberPath: string): Promise<AsyncIterable<Uint8Array>>;
  /** The same at once, where the member is a small file. Undefined where it has to be read by {@link read}. */
  readSmall?(memberPath: string): Uint8Array | undefined;
  close(): void;
}
