import { v5 as uuidv5 } from 'uuid';

/**
 * Version of everything between samples and stored results, the fixed amounts of all rules among them. Rises with every
 * change that can alter a value, so that results of different versions can be told apart and computed anew.
 */
export const ANALYTICS_VERSION = '9';

/** Name space of the ids of versions (RFC 9562, version 5): that of this pipeline. */
const VERSIONS = 'fdd051b8-d753-11e6-ab51-34363bc84032';

/** The id of a version on the wire, the same everywhere and always: `libraryConfigId` of a day of metrics. */
export const libraryConfigId = (version: string): string => uuidv5(version, VERSIONS);

/** One version for what is made of several results: theirs where they agree, else all of them in order, such as `8+9`. */
export function joinedVersion(versions: Iterable<string>): string {
  const each = new Set([...versions].flatMap((version) => version.split('+')));
  return [...each].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).join('+');
}
