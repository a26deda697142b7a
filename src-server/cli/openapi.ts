import { buildOpenApi } from '../api/contract/openapi.ts';
import { VERSION } from '../version.ts';

export async function openapi(): Promise<undefined> {
  process.stdout.write(`${JSON.stringify(buildOpenApi(VERSION), null, 2)}\n`);
  return undefined;
}
