/**
 * The stored form of long changes of audit entries. Those of a recording are a kilobyte of JSON that differs from the next in a
 * few numbers and ids, and were a quarter of a full database. The hash of an entry covers the JSON, never the stored form.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { OutpostError } from '../errors.ts';

/** The two columns of the changes: JSON, or `{}` with the packed bytes of it. */
export interface StoredChanges {
  changes: string;
  /** Absent in a row of an older schema, which is checked before it is migrated. */
  packedChanges?: Uint8Array | null;
}

/** Shorter JSON stays readable in the file; packing it would gain little. */
const LEAST_LENGTH = 200;
/** Longer JSON stays as it is, so that damaged bytes cannot unpack to more than this. */
const MOST_BYTES = 1 << 20;
/** Most JSON fits in a piece of this size, which comes from Node's pool of small buffers instead of an allocation of 16 KB each. */
const USUAL_BYTES = 2048;
/** First byte: raw deflate (RFC 1951) with {@link DICTIONARY}. */
const DEFLATE_1 = 1;
const OPTIONS = { windowBits: 13, memLevel: 4, level: 6 };

/**
 * Text that deflate may refer to as if it stood before the changes. Sites hold what was packed with it, so it never changes;
 * another one would be another first byte.
 */
const DICTIONARY = Buffer.from(
  '{"lifecycleState":{"new":"","old":""},"displayName":{"new":"' +
    '"},"accountId":{"new":"01a205aa-d9fb-729f-b8d6-0b29e7611b67"},"code":{"new":"' +
    '{"accountId":{"new":"019728c9-c000-7475-8b2f-eb7f64ac8e6c"},"deviceId":{"new":"01972a81-3400-77fb-87bd-822d6a5b1ae8"},' +
    '"formatVersion":{"new":1},"id":{"new":"01972a81-3400-77fb-87bd-822d6a5b1ae8"},"receivedBytes":{"new":0},' +
    '"recordingId":{"new":"01972a81-3400-77fb-87bd-822d6a5b1ae8"},"sensorId":{"new":"01972a81-3400-77fb-87bd-822d6a5b1ae8"},' +
    '"sha256":{"new":"d6dbcc516eeba15bef5a28ae946bb676a3404e09ab1407b90eb9708a14118169"},"sizeBytes":{"new":1554000},' +
    '"startUs":{"new":1748764800000000},"state":{"new":"RECEIVING"}}' +
    '{"contentSha256":{"new":"0356774f5e99ee9c71a3d03e32bddef653e06de3b757afb8adff58999429d4b6"},"dataState":{"new":"VERIFIED"},' +
    '"deviceConfigId":{"new":"01a205aa-d9ff-70e4-bb23-bfd795a2d296"},"equipmentId":{"new":"01a205aa-d9ff-70e4-bb23-bfd795a2d296"},' +
    '"exportSizeBytes":{"new":1000},"firmwareId":{"new":"1.0"},"hardwareId":{"new":"BRCS02"},' +
    '"id":{"new":"01972a81-3400-77fb-87bd-822d6a5b1ae8"},"notes":{"new":[]},' +
    '"physicalConfig":{"new":{"location":"ANTERIOR_THIGH","side":"RIGHT"}},"physicalConfig":{"new":{"location":"MEDIAL_CHEST","side":"NONE","signal":"ECG"}},' +
    '"recordingId":{"new":1},"sampleCounts":{"new":[1350000,10800000]},' +
    '"sensorConfig":{"new":{"afe":{"gain":6,"rate":250},"gyro":{"mode":"ACCEL","periodMs":32},"sensingType":"MPU_ANALOG"}},' +
    '"sha256":{"new":"d6dbcc516eeba15bef5a28ae946bb676a3404e09ab1407b90eb9708a14118169"},"sizeBytes":{"new":1554000},' +
    '"sourceFileName":{"new":"01972a81-3400-77fb-87bd-822d6a5b1ae8.sig"},"sourceFormat":{"new":"outpost"},' +
    '"startUs":{"new":1748764800000000},"stopUs":{"new":1748808000000000},"studyId":{"new":"01a205aa-d9fb-729f-b8d6-0b29e7611b67"},' +
    '"subjectId":{"new":"019728c9-c000-7475-8b2f-eb7f64ac8e6c"},"udid":{"new":"F0:9B:74:41:B8:11"},"uploadStartTs":{"new":1748808000000}}',
);

/** @param json canonical JSON of the changes, as it is hashed */
export function packChanges(json: string): Required<StoredChanges> {
  const plain = { changes: json, packedChanges: null };
  if (json.length < LEAST_LENGTH) return plain;
  const bytes = Buffer.from(json);
  if (bytes.length > MOST_BYTES) return plain;
  const packed = deflateRawSync(bytes, { ...OPTIONS, dictionary: DICTIONARY });
  if (packed.length + 1 >= bytes.length) return plain;
  return { changes: '{}', packedChanges: Buffer.concat([Buffer.of(DEFLATE_1), packed]) };
}

/**
 * The JSON of stored changes.
 * @throws SITE_CORRUPT when the bytes are damaged
 */
export function unpackChanges({ changes, packedChanges }: StoredChanges): string {
  if (!packedChanges) return changes;
  try {
    if (packedChanges[0] !== DEFLATE_1 || changes !== '{}') throw new Error('Unknown form.');
    const bytes = inflateRawSync(packedChanges.subarray(1), {
      windowBits: OPTIONS.windowBits,
      chunkSize: USUAL_BYTES,
      dictionary: DICTIONARY,
      maxOutputLength: MOST_BYTES,
    });
    return bytes.toString();
  } catch (thrown) {
    throw new OutpostError('SITE_CORRUPT', 'An entry of the audit trail is damaged. Verify the site.', {
      cause: thrown,
    });
  }
}
