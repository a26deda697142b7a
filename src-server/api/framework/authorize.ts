/**
 * Authorization of every request. A route names its operation; the records in its path determine the scope. Records of another
 * account, or of a study without membership, are NOT_FOUND for every operation. Equipment, devices, uploads and pairings
 * belong to the study that {@link Places} finds, where the role in that study counts.
 */

import type {
  DeviceRecord,
  EquipmentRecord,
  PairingRecord,
  StudyRecord,
  SubjectRecord,
  UploadRecord,
  UserRecord,
} from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import type { JobRow } from '../../study/jobs.ts';
import { isAllowed, type Operation, PERMISSIONS, type Role, roleInStudy } from '../../study/permissions.ts';
import type { RouteId, Routes } from '../contract/index.ts';
import type { ParamsOf, RouteContract } from '../contract/route.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from './authenticate.ts';
import { notFound } from './errors.ts';
import { type Place, Places, placeOfTransfer } from './places.ts';

/** The records that the path names. */
export interface Scope {
  study?: StudyRecord;
  subject?: SubjectRecord;
  user?: UserRecord;
  job?: JobRow;
  equipment?: EquipmentRecord;
  device?: DeviceRecord;
  upload?: UploadRecord;
  pairing?: PairingRecord;
}

type Named<P, Key extends string, K extends keyof Scope> = Key extends keyof P
  ? { [M in K]-?: NonNullable<Scope[M]> }
  : Record<never, never>;

/** The scope of a route, with the members that its path always names. */
export type ScopeOf<R> = Named<ParamsOf<R>, 'studyId', 'study'> &
  Named<ParamsOf<R>, 'subjectId', 'subject'> &
  Named<ParamsOf<R>, 'userId', 'user'> &
  Named<ParamsOf<R>, 'jobId', 'job'> &
  Named<ParamsOf<R>, 'equipmentId', 'equipment'> &
  Named<ParamsOf<R>, 'deviceId', 'device'> &
  Named<ParamsOf<R>, 'uploadId', 'upload'> &
  Named<ParamsOf<R>, 'pairingId', 'pairing'>;

type RouteOperation = { [K in RouteId]: Routes[K] extends { operation: infer Name } ? Name : never }[RouteId];

/** The operation of a route. It does not compile when a route names one that the table of permissions lacks. */
function operationOf({ operation }: RouteContract): Operation | undefined {
  return operation as RouteOperation | undefined;
}

async function roleIn(deps: ApiDeps, caller: Caller, studyId: string): Promise<Role | null> {
  const membership = caller.role === 'ADMIN' ? null : await deps.store.studies.membershipRole(studyId, caller.user.id);
  return roleInStudy(caller.role, membership);
}

/** Returns a study and the caller's role in it. @throws NOT_FOUND in another account or without a role */
async function studyOf(deps: ApiDeps, caller: Caller, studyId: string): Promise<{ study: StudyRecord; role: Role }> {
  const study = await deps.store.studies.get(studyId);
  if (study?.accountId !== caller.user.accountId) throw notFound('study');
  const role = await roleIn(deps, caller, studyId);
  if (role === null) throw notFound('study');
  return { study, role };
}

function requireAllowed(role: Role, operation: Operation | undefined): void {
  if (operation === undefined || isAllowed(role, operation)) return;
  throw new OutpostError('FORBIDDEN', `Your role (${role}) does not allow this. Ask an administrator.`);
}

/**
 * Checks a request against the permissions table and loads what its path names. `params` are the raw path parameters.
 * @throws NOT_FOUND for records that the caller may not see, FORBIDDEN for operations that the role does not allow
 */
export async function authorize(
  deps: ApiDeps,
  caller: Caller,
  route: RouteContract,
  params: Record<string, string>,
): Promise<Scope> {
  const scope: Scope = {};
  const operation = operationOf(route);
  let role: Role = caller.role;
  if (params.accountId !== undefined && params.accountId !== caller.user.accountId) throw notFound('account');
  if (params.userId !== undefined) {
    scope.user = await deps.store.users.get(params.userId);
    if (scope.user?.accountId !== caller.user.accountId) throw notFound('user');
  }
  let studyId: string | undefined = params.studyId;
  const placed = await placedRecord(deps, caller, scope, params);
  if (placed?.studyId !== undefined) {
    // The same error as for a missing record: a different one would reveal that some study has this serial number or id.
    if (!(await mayReadStudy(deps, caller, placed.studyId))) throw notFound(placed.what);
    studyId ??= placed.studyId;
  }
  if (params.jobId !== undefined) {
    scope.job = await deps.jobs.get(params.jobId);
    if (!scope.job) throw notFound('job');
    studyId = scope.job.payload.studyId;
    // Only administrators see jobs of the whole site.
    if (studyId === undefined && !isAllowed(caller.role, 'site.manage')) throw notFound('job');
  }
  if (studyId !== undefined) {
    const found = await studyOf(deps, caller, studyId);
    scope.study = found.study;
    if (!operation || PERMISSIONS[operation].scope !== 'account') role = found.role;
    if (params.subjectId !== undefined) {
      scope.subject = await deps.store.subjects.get(params.subjectId);
      if (scope.subject?.studyId !== studyId) throw notFound('subject');
    }
  }
  if (!(route.ownRecord && scope.user?.id === caller.user.id)) requireAllowed(role, operation);
  return scope;
}

/**
 * Loads the device, equipment, upload or pairing that the path names into the scope, and returns its place.
 * @throws NOT_FOUND for a record of another account
 */
async function placedRecord(
  { store, docks }: ApiDeps,
  { user: { accountId } }: Caller,
  scope: Scope,
  params: Record<string, string>,
): Promise<(Place & { what: string }) | undefined> {
  const places = new Places(store);
  const own = <T extends { accountId: string }>(record: T | undefined, what: string): T => {
    if (record?.accountId !== accountId) throw notFound(what);
    return record;
  };
  if (params.equipmentId !== undefined) {
    scope.equipment = own(await store.equipment.get(params.equipmentId), 'equipment');
    return { ...places.ofEquipment(scope.equipment), what: 'equipment' };
  }
  if (params.deviceId !== undefined) {
    scope.device = own(await store.devices.get(params.deviceId), 'device');
    return { ...(await places.ofDevice(scope.device)), what: 'device' };
  }
  if (params.uploadId !== undefined) {
    scope.upload = own(await store.uploads.get(params.uploadId), 'upload');
    return { ...(await places.ofUpload(scope.upload)), what: 'upload' };
  }
  if (params.transferId !== undefined) {
    const transfer = await docks.get(params.transferId);
    if (!transfer || (transfer.row ?? transfer.match)?.accountId !== accountId) throw notFound('recording');
    return { ...placeOfTransfer(transfer), what: 'recording' };
  }
  if (params.pairingId !== undefined) {
    scope.pairing = own(await store.pairings.get(params.pairingId), 'pairing');
    return { ...places.ofPairing(scope.pairing), what: 'pairing' };
  }
  return undefined;
}

/**
 * Returns a test of places: whether the caller may perform the operation there. For lists over many places; reads roles once.
 */
export async function allowedPlaces(
  deps: ApiDeps,
  caller: Caller,
  operation: Operation,
): Promise<(place: Place) => boolean> {
  const atSite = isAllowed(caller.role, operation);
  if (caller.role === 'ADMIN') return () => atSite;
  const roles = new Map((await deps.store.studies.rolesOf(caller.user.id)).map(({ studyId, role }) => [studyId, role]));
  return ({ studyId }) => (studyId === undefined ? atSite : isAllowed(roles.get(studyId) ?? null, operation));
}

/** Returns, in order, the items in places where the caller may perform the operation. */
export async function inAllowedPlaces<T>(
  deps: ApiDeps,
  caller: Caller,
  operation: Operation,
  items: readonly T[],
  placeOf: (item: T, places: Places) => Place | Promise<Place>,
): Promise<T[]> {
  // An administrator may act in every place, so none is looked up.
  if (caller.role === 'ADMIN') return isAllowed('ADMIN', operation) ? [...items] : [];
  const isOpen = await allowedPlaces(deps, caller, operation);
  const places = new Places(deps.store);
  const open: T[] = [];
  for (const item of items) if (isOpen(await placeOf(item, places))) open.push(item);
  return open;
}

/** Returns whether the caller may see the study. */
export async function mayReadStudy(deps: ApiDeps, caller: Caller, studyId: string): Promise<boolean> {
  const study = await deps.store.studies.get(studyId);
  return study?.accountId === caller.user.accountId && isAllowed(await roleIn(deps, caller, studyId), 'study.read');
}

/**
 * Requires that the caller's role in a study allows an operation.
 * @throws NOT_FOUND when the caller may not see the study, FORBIDDEN when the role does not allow the operation
 */
export async function requireInStudy(
  deps: ApiDeps,
  caller: Caller,
  studyId: string,
  operation: Operation,
): Promise<void> {
  requireAllowed((await studyOf(deps, caller, studyId)).role, operation);
}

/** Returns the studies that the caller may see, in the order of the store. */
export async function readableStudies(deps: ApiDeps, caller: Caller): Promise<StudyRecord[]> {
  const filter = caller.role === 'ADMIN' ? {} : { memberId: caller.user.id };
  return await deps.store.studies.list(caller.user.accountId, filter);
}
