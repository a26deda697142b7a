/** Studies: their lifecycle, definition, members and archive, with the audit and events of each step. */
import {
  authorOf,
  type Change,
  type DeviceConfigRecord,
  StudyDefinitions,
  type StudyDetailRecord,
  type StudyPatch,
  StudyQueries,
  type StudyRecord,
} from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import { changesBetween, changesFromNothing } from '../study/changes.ts';
import { type Definition, definitionErrors, requireDefinitionChange } from '../study/definition.ts';
import {
  type DefinitionInput,
  definitionOf,
  matchingDeviceConfig,
  mergeDefinition,
} from '../study/definition-input.ts';
import { type LifecycleStep, nextState, requireArchivable, requireEdit } from '../study/lifecycle.ts';
import type { Role } from '../study/permissions.ts';
import type { PhysicalConfig } from '../study/recording.ts';
import { completeParameters } from '../vocabulary/analysis-parameters.ts';
import { DEFAULT_QUALITY_TARGETS } from '../vocabulary/quality.ts';
import { Subjects } from './subjects.ts';

export class Studies extends StudyQueries {
  async create(
    input: { id?: string; accountId: string; displayName: string; title?: string; definition?: DefinitionInput },
    change: Change,
  ): Promise<StudyRecord> {
    return await this.session.write(async (session) => {
      const studies = new Studies(session);
      const now = session.clock();
      const study = {
        id: input.id ?? session.newId(),
        accountId: input.accountId,
        displayName: input.displayName.trim(),
        title: input.title ?? '',
        lifecycleState: 'INITIALIZED',
      } as const;
      await studies.insert({ ...study, createdTs: now, modifiedTs: now });
      await session.audit(change, {
        action: 'study.create',
        entityType: 'study',
        entityId: study.id,
        studyId: study.id,
        changes: changesFromNothing(study),
      });
      // The creator becomes a member: without a membership only an ADMIN of the account would see the study.
      if (change.actor.type === 'USER') await studies.insertMembershipOf(change.actor.id, study.id);
      if (input.definition) await studies.putDefinition(study.id, input.definition, change);
      return await studies.require(study.id);
    });
  }

  /** @throws NOT_FOUND, STUDY_STATE */
  async update(id: string, fields: { displayName?: string; title?: string }, change: Change): Promise<StudyRecord> {
    return await this.session.write(async (session) => {
      const studies = new Studies(session);
      const old = await studies.require(id);
      requireEdit(old.lifecycleState, 'rename');
      return await studies.#set(old, fields, { ...fields }, 'study.update', change);
    });
  }

  /** Hides a study from the lists, or shows it again; its content stays as it is. @throws NOT_FOUND, STUDY_STATE (archiving a running one) */
  async setArchived(id: string, isArchived: boolean, change: Change): Promise<StudyRecord> {
    return await this.session.write(async (session) => {
      const studies = new Studies(session);
      const old = await studies.require(id);
      if (isArchived) requireArchivable(old.lifecycleState);
      const action = isArchived ? 'study.archive' : 'study.unarchive';
      return await studies.#set(old, { isArchived }, { isArchived }, action, change);
    });
  }

  /** Stores which file is the newest study archive; null when there is none any more. @throws NOT_FOUND */
  async setExport(
    id: string,
    done: { file: string; requestedTs: number; sizeBytes: number } | null,
    change: Change,
  ): Promise<StudyRecord> {
    return await this.session.write(async (session) => {
      const studies = new Studies(session);
      const old = await studies.require(id);
      const columns = {
        exportFile: done?.file ?? null,
        exportRequestedTs: done?.requestedTs ?? null,
        exportSizeBytes: done?.sizeBytes ?? null,
      };
      return await studies.#set(old, columns, { export: done }, 'study.export', change);
    });
  }

  /**
   * Moves the study through its lifecycle. Starting sets the program start of every subject that has none.
   * Writes STUDY_STARTED on start and reopen, STUDY_STOPPED on stop.
   * @throws NOT_FOUND, STUDY_STATE, INVALID_INPUT (reopen without a reason)
   */
  async move(id: string, step: LifecycleStep, change: Change): Promise<StudyRecord> {
    return await this.session.write(async (session) => {
      const studies = new Studies(session);
      const old = await studies.require(id);
      if (old.isArchived) {
        throw new OutpostError('STUDY_STATE', 'The study is archived. Bring it back from the archive first.');
      }
      const lifecycleState = nextState(old.lifecycleState, step, change.reason);
      const now = session.clock();
      const times = step === 'start' ? { startedTs: now } : step === 'stop' ? { stoppedTs: now } : { stoppedTs: null };
      const study = await studies.#set(old, { lifecycleState, ...times }, { lifecycleState }, `study.${step}`, change);
      if (step === 'start') await new Subjects(session).startPrograms(id, now);
      await session.event({
        action: step === 'stop' ? 'STUDY_STOPPED' : 'STUDY_STARTED',
        studyId: id,
        referenceId: id,
        author: authorOf(change),
      });
      return study;
    });
  }

  /**
   * Replaces the given parts of the definition and stores the result as a new version. In a running study the definition may
   * only grow.
   * @throws NOT_FOUND, STUDY_STATE, INVALID_INPUT with the fields at fault
   */
  async putDefinition(id: string, input: DefinitionInput, change: Change): Promise<StudyDetailRecord> {
    return await this.session.write(async (session) => {
      const studies = new Studies(session);
      const study = await studies.requireDetail(id);
      const before = definitionOf(study);
      const after = mergeDefinition(before, input, session.newId);
      requireDefinitionChange(study.lifecycleState, before, after);
      const errors = definitionErrors(after, before);
      const [first] = errors;
      if (first) {
        throw new OutpostError('INVALID_INPUT', `The definition was not saved: ${first.message}`, { errors });
      }
      // The defaults are stored as nothing, and named in the audit.
      const named = (one: Definition) => ({
        ...one,
        analysisParameters: completeParameters(one.analysisParameters),
        qualityTargets: one.qualityTargets ?? DEFAULT_QUALITY_TARGETS,
      });
      const changes = changesBetween(named(before), named(after));
      if (Object.keys(changes).length === 0) return study;
      await new StudyDefinitions(session).store(study, before, after);
      await session.audit(change, {
        action: 'study.definition',
        entityType: 'study',
        entityId: id,
        studyId: id,
        changes,
      });
      return await studies.requireDetail(id);
    });
  }

  /**
   * Returns the device config that a recording belongs to, see {@link matchingDeviceConfig}. When the study has none it is
   * added, which a running study allows.
   * @throws NOT_FOUND, STUDY_STATE
   */
  async matchDeviceConfig(
    studyId: string,
    recording: { physicalConfig: PhysicalConfig; sensorConfig: Record<string, unknown> },
    change: Change,
  ): Promise<DeviceConfigRecord> {
    return await this.session.write(async (session) => {
      const studies = new Studies(session);
      const configs = await studies.deviceConfigs(studyId);
      const { physicalConfig, sensorConfig } = recording;
      const match = matchingDeviceConfig(configs, recording);
      if (match) return match;
      const id = session.newId();
      const { deviceConfigs } = await studies.putDefinition(
        studyId,
        { deviceConfigs: [...configs, { id, mode: 'UNSUPERVISED', physicalConfig, sensorConfig }] },
        change,
      );
      const added = deviceConfigs.find((config) => config.id === id);
      if (!added) throw new OutpostError('INTERNAL', 'The device configuration was not stored.');
      return added;
    });
  }

  /** Gives a user a role in the study, or takes it away with null. @throws NOT_FOUND */
  async setMember(studyId: string, userId: string, role: Role | null, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const studies = new Studies(session);
      await studies.require(studyId);
      const old = await studies.membershipRole(studyId, userId);
      if (old === role) return;
      if (role === null) await studies.deleteMembership(studyId, userId);
      else await studies.putMembership(studyId, userId, role);
      await session.audit(change, {
        action: 'study.member',
        entityType: 'membership',
        entityId: userId,
        studyId,
        changes: { role: { old, new: role } },
      });
    });
  }

  async #set(
    old: StudyRecord,
    columns: StudyPatch,
    fields: Record<string, unknown>,
    action: string,
    change: Change,
  ): Promise<StudyRecord> {
    const changes = changesBetween({ ...old }, fields);
    if (Object.keys(changes).length === 0) return old;
    await this.patch(old.id, { ...columns, modifiedTs: this.session.clock() });
    await this.session.audit(change, { action, entityType: 'study', entityId: old.id, studyId: old.id, changes });
    return await this.require(old.id);
  }
}
