import type { AnalysisParameters } from '../../../vocabulary/analysis-parameters.ts';

/** With what the results of an answer were computed. */
export interface ResultMethod {
  libraryConfigId: string;
  algorithmVersion: string;
  parameters: AnalysisParameters[];
  /** Of all that they were computed from. */
  inputsHash: string;
}
