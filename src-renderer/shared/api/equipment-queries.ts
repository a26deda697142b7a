/** Equipment, paired devices and what they send, as query options. */
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

export const fleetQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['equipment', 'all', accountId],
    queryFn: ({ signal }) => client.call('listFleet', { params: { accountId }, signal }),
  });

/** How many hubs and phones are paired, and how many of them have been in contact within a day. */
export const connectedDevicesQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['equipment', 'connected', accountId],
    queryFn: ({ signal }) => client.call('listFleet', { params: { accountId }, query: { limit: '1' }, signal }),
    select: ({ devices }) => devices,
    // A device that falls silent announces nothing.
    refetchInterval: 5 * 60_000,
  });

export const fleetItemQuery = (accountId: string, equipmentId: string) =>
  queryOptions({
    queryKey: ['equipment', 'one', accountId, equipmentId],
    queryFn: ({ signal }) => client.call('getFleetItem', { params: { accountId, equipmentId }, signal }),
  });

export const equipmentHistoryQuery = (accountId: string, equipmentId: string) =>
  queryOptions({
    queryKey: ['equipment', 'history', accountId, equipmentId],
    queryFn: ({ signal }) => client.call('getEquipmentHistory', { params: { accountId, equipmentId }, signal }),
  });

export const everHeldQuery = (studyId: string, subjectId: string) =>
  queryOptions({
    queryKey: ['equipment', 'held', studyId, subjectId],
    queryFn: ({ signal }) => client.call('listEquipment', { params: { studyId, subjectId }, signal }),
  });

export const devicesQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['device', accountId],
    queryFn: ({ signal }) => client.call('listDevices', { params: { accountId }, signal }),
  });

export const deviceQuery = (accountId: string, deviceId: string) =>
  queryOptions({
    queryKey: ['device', accountId, deviceId],
    queryFn: ({ signal }) => client.call('getDevice', { params: { accountId, deviceId }, signal }),
  });

export const refusalsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['refusal', accountId],
    queryFn: ({ signal }) => client.call('listRefusals', { params: { accountId }, signal }),
  });

export const pairingQuery = (pairingId: string) =>
  queryOptions({
    queryKey: ['pairing', pairingId],
    queryFn: ({ signal }) => client.call('getPairing', { params: { pairingId }, signal }),
  });

export const networkQuery = () =>
  queryOptions({
    queryKey: ['network'],
    queryFn: ({ signal }) => client.call('getNetwork', { signal }),
    refetchInterval: 15_000,
  });

export const phoneAddressesQuery = () =>
  queryOptions({
    queryKey: ['network', 'phones'],
    queryFn: ({ signal }) => client.call('listPhoneAddresses', { signal }),
    refetchInterval: 15_000,
  });

const POLL_INTERVAL_MS = 3000;

/** Polled, so that the page shows when a phone proved its trust. */
export const certificatesQuery = () =>
  queryOptions({
    queryKey: ['certificates'],
    queryFn: ({ signal }) => client.call('getCertificates', { signal }),
    refetchInterval: POLL_INTERVAL_MS,
  });

/** Polled until every recording is analysed: `/live` does not announce received bytes. */
export const uploadProgressQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['upload', accountId, 'progress'],
    queryFn: ({ signal }) => client.call('listUploadProgress', { params: { accountId }, signal }),
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ analysed, recordings }) => analysed < recordings) ? POLL_INTERVAL_MS : false,
  });

export const uploadsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['upload', accountId],
    queryFn: ({ signal }) =>
      client.call('listUploads', {
        params: { accountId },
        query: { state: ['RECEIVING', 'RECEIVED', 'QUARANTINED', 'REFUSED', 'REJECTED'] },
        signal,
      }),
    refetchInterval: ({ state }) =>
      state.data?.items.some((upload) => upload.state === 'RECEIVING') ? POLL_INTERVAL_MS : false,
  });
