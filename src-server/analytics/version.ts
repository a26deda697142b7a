/**
 * Version of the algorithms, including their tuned parameters. Raised with every change that can alter a result, so that stored
 * results of older versions can be recognised and recomputed.
 */
export const ANALYTICS_VERSION = '11';

/** The version of a combination of results: theirs if they agree, else all of them in ascending order, such as `8+9`. */
export function joinedVersion(versions: Iterable<string>): string {
  const each = new Set([...versions].flatMap((version) => version.split('+')));
  return [...each].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).join('+');
}
