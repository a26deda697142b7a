import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningSite, startSite } from '../../site/server.ts';
import { makeTestSite, TEST_EMAIL, TEST_PASSWORD, type TestSite } from '../../testing/test-site.ts';
import { VERSION } from '../../version.ts';
import { buildOpenApi } from '../contract/openapi.ts';
import { pythonClient } from './source.ts';
import { PythonTypes } from './types.ts';

const PROGRAM = `
import json, sys, tempfile, os
from outpost_client import Outpost, OutpostError

url, email, password, study_id, folder = sys.argv[1:]
outpost = Outpost(url)
found = {}
try:
    outpost.list_studies('x')
except OutpostError as error:
    found['without credentials'] = [error.status, error.code]
outpost.log_in(email, password)
found['studies'] = [study['displayName'] for study in outpost.list_studies(outpost.account_id)]
made = outpost.create_subject(study_id, {'displayName': 'Päivi "7"', 'timezone': 'Europe/Helsinki', 'age': 40})
found['subject'] = outpost.get_subject(study_id, made['id'])['displayName']
found['pages'] = [one['displayName'] for one in outpost.pages(outpost.list_subjects(study_id, limit=1))]
try:
    outpost.create_subject(study_id, {'displayName': 'Päivi "7"', 'timezone': 'Europe/Helsinki'})
except OutpostError as error:
    found['twice'] = [error.status, error.code, error.message, bool(error.request_id)]
try:
    outpost.create_subject(study_id, {'displayName': 'Young', 'timezone': 'Europe/Helsinki', 'age': 5})
except OutpostError as error:
    found['invalid'] = [error.code, [one['path'] for one in error.errors]]
outpost.update_subject(study_id, made['id'], {'displayName': 'Renamed', 'timezone': 'Europe/Helsinki'})
message = outpost.send_message(study_id, made['id'], fields={'body': 'Grüße'}, files=[('dot.png', open(os.path.join(folder, 'dot.png'), 'rb').read())])
found['message'] = [one['body'] for one in outpost.list_messages(study_id, made['id'])['items']]
found['image'] = outpost.get_message_image(study_id, made['id'], message['id'])['href'].startswith('http')
job = outpost.import_recordings(study_id, made['id'], fields={'location': 'MEDIAL_CHEST'}, files=[('nothing.edf', b'not an EDF file')])
found['job'] = outpost.wait_for_job(job['id'], 60)['state']
found['csv'] = outpost.download_metrics_csv(study_id, made['id']).split(',')[0]
export = outpost.request_study_export(study_id, {'format': 'BEATS'})
found['export'] = outpost.wait_for_job(export['id'], 60)['state']
path = os.path.join(folder, 'export.zip')
outpost.download(f'/v1/studies/{study_id}/exports/{export["id"]}/file', path)
found['zip'] = open(path, 'rb').read(2).decode()
found['off'] = None
try:
    Outpost('http://127.0.0.1:1').get_status()
except OutpostError as error:
    found['off'] = error.code
outpost.logout()
try:
    outpost.list_studies(outpost.account_id)
except OutpostError as error:
    found['signed out'] = error.status
print(json.dumps(found))
`;

/** One white pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

let place: TestSite;
let site: RunningSite;
let folder: string;
beforeAll(async () => {
  place = await makeTestSite();
  site = await startSite({ dir: place.dir, port: 0 });
  folder = await mkdtemp(join(tmpdir(), 'outpost-python-'));
  await writeFile(join(folder, 'outpost_client.py'), pythonClient(buildOpenApi(VERSION)));
  await writeFile(join(folder, 'program.py'), PROGRAM);
  await writeFile(join(folder, 'dot.png'), PNG);
});
afterAll(async () => {
  await site.close();
  await place.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Runs Python without blocking the event loop, which answers it. */
async function python(...parameters: string[]): Promise<string> {
  const child = spawn('python3', ['-W', 'error', ...parameters], { cwd: folder });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  expect(code, err).toBe(0);
  return out;
}

describe('the Python client', () => {
  it('signs in, reads, writes, sends files, follows pages, waits for jobs and raises the errors of a real site', async () => {
    const found = JSON.parse(await python('program.py', site.url, TEST_EMAIL, TEST_PASSWORD, place.studyId, folder));
    expect(found).toEqual({
      'without credentials': [401, 'UNAUTHORIZED'],
      studies: ['Test study'],
      subject: 'Päivi "7"',
      pages: ['Subject 1', 'Subject 2', 'Päivi "7"'],
      twice: [409, expect.any(String), expect.stringContaining('.'), true],
      invalid: ['INVALID_INPUT', ['age']],
      message: ['Grüße'],
      image: true,
      job: 'failed',
      csv: 'DATE',
      export: 'done',
      zip: 'PK',
      off: 'UNREACHABLE',
      'signed out': 401,
    });
  });

  it('has a method for every operation of users, and none for devices', () => {
    const source = pythonClient(buildOpenApi(VERSION));
    for (const name of ['get_raw_data', 'add_corrections', 'list_events', 'delete_label', 'start_pairing']) {
      expect(source.includes(`    def ${name}(self`), name).toBe(true);
    }
    for (const name of ['report_contact', 'device_hello', 'live'])
      expect(source.includes(`def ${name}(`), name).toBe(false);
  });
});

describe('types of Python', () => {
  const types = new PythonTypes({
    Tree: {
      type: 'object',
      properties: { id: { type: 'string' }, parts: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
      required: ['id'],
    },
  });
  it.each([
    [{ $ref: '#/components/schemas/Tree' }, 'Tree'],
    [{ type: 'array', items: { type: ['number', 'null'] } }, 'List[Union[float, None]]'],
    [{ type: 'string', enum: ['A', 'it\'s "B"'] }, 'Literal["A", "it\'s \\"B\\""]'],
    [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, 'Union[int, str]'],
    [{ type: 'object', properties: { from: { type: 'string' } } }, 'Dict[str, Any]'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, 'Dict[str, float]'],
    [{}, 'Any'],
  ])('writes %j as %s', (schema, expected) => {
    expect(types.of(schema, 'Given')).toBe(expected);
  });

  it('requires the members that the schema requires', () => {
    expect(types.text()).toBe(
      'class _Tree(TypedDict):\n    id: str\n\n\nclass Tree(_Tree, total=False):\n    parts: List[Tree]\n',
    );
  });
});
