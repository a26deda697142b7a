/**
 * The rules of the BIDS 1.10.0 schema for datasets of physio and motion files: file names, required members and columns, and
 * files that belong together. Returns one sentence per violation.
 */
import { gunzipSync } from 'node:zlib';

const ENTITIES = 'sub-(?<sub>[0-9A-Za-z+]+)/ses-(?<ses>[0-9A-Za-z+]+)';
const STEM = String.raw`sub-\k<sub>_ses-\k<ses>`;
const PATTERNS = {
  dataset:
    /^(dataset_description\.json|README(\.md|\.txt)?|CHANGES|LICENSE|participants\.(tsv|json)|\.bidsignore|task-[0-9A-Za-z+]+_events\.json)$/,
  sessions: /^sub-(?<sub>[0-9A-Za-z+]+)\/sub-\k<sub>_sessions\.(tsv|json)$/,
  scans: new RegExp(`^${ENTITIES}/${STEM}_scans\\.(tsv|json)$`),
  events: new RegExp(
    `^${ENTITIES}/(beh|motion)/${STEM}_task-[0-9A-Za-z+]+(_acq-[0-9A-Za-z+]+)?(_run-[0-9]+)?_events\\.tsv$`,
  ),
  motion: new RegExp(
    `^${ENTITIES}/motion/${STEM}_task-[0-9A-Za-z+]+_tracksys-(?<tracksys>[0-9A-Za-z+]+)(_acq-[0-9A-Za-z+]+)?(_run-[0-9]+)?_(motion\\.(tsv|json)|channels\\.(tsv|json))$`,
  ),
  physio: new RegExp(
    `^${ENTITIES}/beh/${STEM}_task-[0-9A-Za-z+]+(_acq-[0-9A-Za-z+]+)?(_run-[0-9]+)?(_recording-[0-9A-Za-z+]+)?_physio\\.(tsv\\.gz|json)$`,
  ),
};

const CHANNEL_TYPES = ['ACCEL', 'ANGACCEL', 'GYRO', 'JNTANG', 'LATENCY', 'MAGN', 'MISC', 'ORNT', 'POS', 'VEL'];
const COMPONENTS = ['x', 'y', 'z', 'quat_x', 'quat_y', 'quat_z', 'quat_w', 'n/a'];
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?$/;

type Table = { header: string[]; rows: string[][] };

class Dataset {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly breaches: string[] = [];

  constructor(files: ReadonlyMap<string, Buffer>) {
    this.files = files;
  }

  breach(path: string, what: string): void {
    this.breaches.push(`${path}: ${what}`);
  }

  text(path: string): string {
    const bytes = this.files.get(path);
    if (!bytes) {
      this.breach(path, 'is missing');
      return '';
    }
    const plain = path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
    return new TextDecoder('utf-8', { fatal: true }).decode(plain);
  }

  json(path: string): Record<string, unknown> {
    const text = this.text(path);
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  }

  /** Rows of a TSV file without a header. */
  rows(path: string): string[][] {
    const text = this.text(path);
    if (text !== '' && !text.endsWith('\n')) this.breach(path, 'does not end with a line feed');
    if (text.includes('\r')) this.breach(path, 'has carriage returns');
    const rows = text
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split('\t'));
    if (rows.some((row) => row.length !== rows[0]!.length)) this.breach(path, 'has rows of different lengths');
    if (rows.some((row) => row.some((cell) => cell === ''))) this.breach(path, 'has empty cells');
    return rows;
  }

  table(path: string, required: readonly string[]): Table {
    const [header = [], ...rows] = this.rows(path);
    for (const [i, name] of required.entries())
      if (header[i] !== name) this.breach(path, `column ${i + 1} is not ${name}`);
    if (new Set(header).size !== header.length) this.breach(path, 'names a column twice');
    return { header, rows };
  }

  need(path: string, members: readonly string[]): Record<string, unknown> {
    const value = this.json(path);
    for (const member of members) if (value[member] === undefined) this.breach(path, `lacks ${member}`);
    return value;
  }
}

function checkMotion(dataset: Dataset, path: string, tracksys: string): void {
  const stem = path.replace(/_motion\.tsv$/, '');
  const sidecar = dataset.need(`${stem}_motion.json`, ['TaskName', 'SamplingFrequency', 'TrackingSystemName']);
  if (sidecar.TrackingSystemName !== tracksys) dataset.breach(path, 'TrackingSystemName differs from tracksys');
  const channels = dataset.table(`${stem}_channels.tsv`, ['name', 'component', 'type', 'tracked_point', 'units']);
  for (const [, component, type] of channels.rows) {
    if (!COMPONENTS.includes(component!)) dataset.breach(`${stem}_channels.tsv`, `component ${component}`);
    if (!CHANNEL_TYPES.includes(type!)) dataset.breach(`${stem}_channels.tsv`, `type ${type}`);
  }
  const rows = dataset.rows(path);
  if (rows[0]?.length !== channels.rows.length) dataset.breach(path, 'has not one column per channel');
  if (rows.some((row) => row.some((cell) => !Number.isFinite(Number(cell)))))
    dataset.breach(path, 'has a header or text');
}

function checkPhysio(dataset: Dataset, path: string): void {
  const sidecar = path.replace(/\.tsv\.gz$/, '.json');
  const { Columns } = dataset.need(sidecar, ['SamplingFrequency', 'StartTime', 'Columns']);
  const columns = Columns as string[];
  if (new Set(columns).size !== columns.length) dataset.breach(sidecar, 'names a column twice');
  const rows = dataset.rows(path);
  if (rows[0]?.length !== columns.length) dataset.breach(path, 'has not the columns of its sidecar');
  if (rows.some((row) => row.some((cell) => !Number.isFinite(Number(cell)))))
    dataset.breach(path, 'has a header or text');
}

function checkScans(dataset: Dataset, path: string): void {
  const folder = path.slice(0, path.lastIndexOf('/'));
  const { header, rows } = dataset.table(path, ['filename']);
  const time = header.indexOf('acq_time');
  const listed = new Set(rows.map(([name]) => `${folder}/${name}`));
  for (const row of rows) {
    if (!dataset.files.has(`${folder}/${row[0]}`)) dataset.breach(path, `lists ${row[0]}, which is not there`);
    if (!DATE_TIME.test(row[time] ?? '')) dataset.breach(path, `acq_time ${row[time]}`);
  }
  for (const file of dataset.files.keys()) {
    if (file.startsWith(`${folder}/`) && /_(motion\.tsv|physio\.tsv\.gz)$/.test(file) && !listed.has(file))
      dataset.breach(path, `does not list ${file}`);
  }
}

function checkParticipants(dataset: Dataset): void {
  const { header, rows } = dataset.table('participants.tsv', ['participant_id']);
  const ids = new Set(rows.map(([name]) => name));
  if (ids.size !== rows.length) dataset.breach('participants.tsv', 'names a participant twice');
  const described = Object.keys(dataset.json('participants.json'));
  const columns = header.slice(1);
  if (columns.join() !== described.join()) dataset.breach('participants.json', 'describes other columns');
  const age = header.indexOf('age');
  for (const row of rows) {
    if (!/^sub-[0-9A-Za-z+]+$/.test(row[0]!)) dataset.breach('participants.tsv', `participant_id ${row[0]}`);
    if (age >= 0 && !/^(n\/a|[0-8]?\d)$/.test(row[age]!)) dataset.breach('participants.tsv', `age ${row[age]}`);
  }
  for (const path of dataset.files.keys()) {
    const folder = path.split('/')[0]!;
    if (folder.startsWith('sub-') && !ids.has(folder)) dataset.breach('participants.tsv', `lacks ${folder}`);
  }
}

/** Returns the violations of a dataset, given as its files by path. */
export function bidsBreaches(files: ReadonlyMap<string, Buffer>): string[] {
  const dataset = new Dataset(files);
  const description = dataset.need('dataset_description.json', ['Name', 'BIDSVersion']);
  if (description.DatasetType !== 'raw') dataset.breach('dataset_description.json', 'DatasetType');
  if (dataset.text('README').length < 150) dataset.breach('README', 'is very short');
  const ignored = new Set(dataset.files.has('.bidsignore') ? dataset.text('.bidsignore').split('\n') : []);
  for (const path of files.keys()) {
    // A dataset of its own, and scripts.
    if (ignored.has(path) || /^(?:derivatives|code)\//.test(path)) continue;
    const matches = Object.values(PATTERNS).map((pattern) => pattern.exec(path));
    const match = matches.find((one) => one !== null);
    if (!match) dataset.breach(path, 'has a name that BIDS does not know');
    else if (path.endsWith('_motion.tsv')) checkMotion(dataset, path, match.groups!.tracksys!);
    else if (path.endsWith('_physio.tsv.gz')) checkPhysio(dataset, path);
    else if (path.endsWith('_scans.tsv')) checkScans(dataset, path);
    else if (path.endsWith('_sessions.tsv')) dataset.table(path, ['session_id']);
    else if (path.endsWith('_events.tsv')) dataset.table(path, ['onset', 'duration']);
  }
  checkParticipants(dataset);
  return dataset.breaches;
}
