/** Every activity that is killed or loses its power in the checks, with the templates that they copy. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OLD_SCHEMAS } from '../old-site.ts';
import { makeTestSite } from '../test-site.ts';
import type { Activity } from './activity.ts';
import { BACKUP_KINDS, backupActivity, makeBackedUpSite } from './backups.ts';
import { entryActivity } from './entries.ts';
import { erasureActivity, makeErasureTemplate } from './erasures.ts';
import { importActivity, makeImportTemplate } from './imports.ts';
import { makeMigrationTemplate, migrationActivity } from './migrations.ts';
import { makeUploadTemplate, uploadActivity } from './uploads.ts';

/** Length of the simulated recordings that are imported. */
const IMPORT_HOURS = 0.25;

export const ACTIVITIES = [
  ...BACKUP_KINDS,
  ...OLD_SCHEMAS.map((schema) => `migration from ${schema}` as const),
  'import',
  'receive',
  'entries',
  'erasure',
] as const;
export type ActivityName = (typeof ACTIVITIES)[number];

export class Activities {
  readonly #place: string;
  readonly #removals: (() => Promise<void>)[] = [];
  #backedUp: ReturnType<typeof makeBackedUpSite> | undefined;

  private constructor(place: string) {
    this.#place = place;
  }

  static async open(): Promise<Activities> {
    return new Activities(await mkdtemp(join(tmpdir(), 'outpost-interrupted-')));
  }

  /** Where the activities work, unless they are given another folder. */
  get folder(): string {
    return join(this.#place, 'work');
  }

  async make(name: ActivityName, folder = this.folder): Promise<Activity> {
    const place = join(this.#place, name.replaceAll(' ', '-'));
    await mkdir(place, { recursive: true });
    const schema = OLD_SCHEMAS.find((version) => name.endsWith(` ${version}`));
    if (schema !== undefined) return migrationActivity(await makeMigrationTemplate(place, schema), folder);
    if (name === 'import') {
      const template = await makeImportTemplate(place, IMPORT_HOURS);
      this.#removals.push(template.site.remove);
      return importActivity(template, folder);
    }
    if (name === 'receive') {
      const template = await makeUploadTemplate(place);
      this.#removals.push(template.site.remove);
      return uploadActivity(template, folder);
    }
    if (name === 'entries') {
      const template = await makeTestSite();
      this.#removals.push(template.remove);
      return entryActivity(template, folder);
    }
    if (name === 'erasure') {
      const template = await makeErasureTemplate();
      this.#removals.push(template.site.remove);
      return erasureActivity(template, folder);
    }
    const kind = BACKUP_KINDS.find((one) => one === name)!;
    this.#backedUp ??= makeBackedUpSite();
    return backupActivity(kind, await this.#backedUp, folder);
  }

  async close(): Promise<void> {
    for (const remove of this.#removals) await remove();
    await (await this.#backedUp)?.remove();
    await rm(this.#place, { recursive: true, force: true });
  }
}
