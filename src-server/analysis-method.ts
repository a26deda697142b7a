/** The identity of a method of analysis: the version of the algorithms and the parameters that a study chose. */
import { createHash } from 'node:crypto';
import { type AnalysisParameters, canonicalParameters } from './vocabulary/analysis-parameters.ts';

/** SHA-256 in hex. Equal versions and parameters have equal hashes, and so the same inputs give the same results. */
export function analysisMethodHash(version: string, parameters: AnalysisParameters): string {
  return createHash('sha256')
    .update(`${version}\n${canonicalParameters(parameters)}`)
    .digest('hex');
}
