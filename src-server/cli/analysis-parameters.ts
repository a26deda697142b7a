/** The parameters of `outpost analyze`, from a file and from options. Apart, so that the defaults load no schemas. */
import { readFile } from 'node:fs/promises';
import { analysisParameters } from '../api/contract/resources/analysis-parameters.ts';
import { OutpostError } from '../errors.ts';
import { type AnalysisParameters, CUT_POINTS } from '../vocabulary/analysis-parameters.ts';

export interface ParameterOptions {
  /** Ids of sets of cut points; each belongs to a place on the body. */
  cutPoints: string[];
  nonWear?: string;
  /** A JSON file, whose members the options override. */
  parameters?: string;
}

/**
 * @param base what the options change where no file is given; by default the defaults
 * @throws INVALID_INPUT when the file cannot be read, or a value is not one that exists
 */
export async function parametersFrom(
  options: ParameterOptions,
  base: AnalysisParameters = analysisParameters.parse({}),
): Promise<AnalysisParameters> {
  const { parameters: file } = options;
  const given = file === undefined ? base : checked(await readJson(file), file);
  const cutPoints: Record<string, string> = { ...given.cutPoints };
  const places = new Map<string, string>();
  for (const id of options.cutPoints) {
    const points = CUT_POINTS.find((one) => one.id === id);
    if (!points) throw new OutpostError('INVALID_INPUT', `There are no cut points ${id}. Use one of ${cutPointIds()}.`);
    const other = places.get(points.site);
    if (other !== undefined && other !== id)
      throw new OutpostError('INVALID_INPUT', `${other} and ${id} are both for the ${points.site}. Give one of them.`);
    places.set(points.site, id);
    cutPoints[points.site] = id;
  }
  return checked({ ...given, cutPoints, nonWear: options.nonWear ?? given.nonWear }, 'The options');
}

const cutPointIds = (): string => CUT_POINTS.map(({ id }) => id).join(', ');

function checked(value: unknown, source: string): AnalysisParameters {
  const parsed = analysisParameters.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.length ? ` at ${issue.path.join('.')}` : '';
  throw new OutpostError(
    'INVALID_INPUT',
    `${source} cannot be used as parameters of an analysis${place}: ${issue?.message}.`,
  );
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (thrown) {
    throw new OutpostError('INVALID_INPUT', `${path} cannot be read as JSON: ${(thrown as Error).message}`);
  }
}
