import { buildOpenApi } from '../api/contract/openapi.ts';
import { pythonClient } from '../api/python-client/source.ts';
import { VERSION } from '../version.ts';

export async function openapi({ python }: { python?: boolean }): Promise<undefined> {
  const document = buildOpenApi(VERSION);
  process.stdout.write(python ? pythonClient(document) : `${JSON.stringify(document, null, 2)}\n`);
  return undefined;
}
