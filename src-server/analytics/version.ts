import { v5 as uuidv5 } from 'uuid';

/**
 * Version of the algorithms, including their tuned parameters. Raised with every change that can alter a result, so that stored
 * results of older versions can be recognised and recomputed.
 */
export const ANALYTICS_VERSION = '9';

/** UUID namespace of version ids (RFC 9562, version 5). */
const VERSIONS = 'fdd051b8-d753-11e6-ab51-34363bc84032';

/** The `libraryConfigId` of a version in the API: a name-based UUID, the same on every site. */
export const libraryConfigId = (version: string): string => uuidv5(version, VERSIONS);

/** The version of a combination of results: theirs if they agree, else all of them in ascending order, such as `8+9`. */
export function joinedVersion(versions: Iterable<string>): string {
  const each = new Set([...versions].flatMap((version) => version.split('+')));
  return [...each].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).join('+');
}
