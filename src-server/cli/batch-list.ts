/** The list of `outpost analyze --batch`. Apart, so that analysing one recording loads no schemas. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { analysisParameters } from '../api/contract/resources/analysis-parameters.ts';
import { OutpostError } from '../errors.ts';

const batchList = z.array(
  z.object({
    name: z.string(),
    timeZone: z.string().default('UTC'),
    interval: z.int().default(60_000),
    parameters: analysisParameters.optional(),
    sensors: z.array(z.object({ location: z.string().optional(), file: z.string() })).min(1),
  }),
);

export async function readBatchList(listFile: string): Promise<z.infer<typeof batchList>> {
  const parsed = batchList.safeParse(await readJson(listFile));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new OutpostError(
      'INVALID_INPUT',
      `${listFile} is not a batch list: ${issue?.path.join('.')} ${issue?.message}.`,
    );
  }
  return parsed.data;
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (thrown) {
    throw new OutpostError('INVALID_INPUT', `${path} cannot be read as JSON: ${(thrown as Error).message}`);
  }
}
