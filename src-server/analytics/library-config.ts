import { v5 as uuidv5 } from 'uuid';
import { type AnalysisParameters, canonicalParameters } from '../vocabulary/analysis-parameters.ts';

/** UUID namespace of version ids (RFC 9562, version 5). */
const VERSIONS = 'fdd051b8-d753-11e6-ab51-34363bc84032';

/**
 * The `libraryConfigId` of a version and of chosen parameters in the API: a name-based UUID, the same on every site. With the default
 * parameters it is that of the version alone.
 */
export function libraryConfigId(version: string, parameters: readonly AnalysisParameters[] = []): string {
  const chosen = parameters.map(canonicalParameters).filter((text) => text !== '');
  return uuidv5([version, ...chosen].join('\n'), VERSIONS);
}
