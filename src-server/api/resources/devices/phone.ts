/** Handlers for the phones of subjects. This module signs phones in and out; tasks and messages have their own modules. */
import { diagnostic } from '../../../diagnostics.ts';
import type { phoneRoutes } from '../../contract/resources/phone.ts';
import type { ApiDeps } from '../../deps.ts';
import { addressOf, changeByDevice } from '../../framework/authenticate.ts';
import type { Handlers } from '../../framework/mount.ts';
import { recordPhoneContact } from './phone-clocks.ts';
import { phoneMessageHandlers } from './phone-messages.ts';
import { phoneSyncHandlers } from './phone-sync.ts';
import { phoneTaskHandlers } from './phone-tasks.ts';

export function phoneHandlers(deps: ApiDeps): Handlers<typeof phoneRoutes> {
  const { lan, store, clock } = deps;
  return {
    signInPhone: async ({ body, request, receivedTs }) => {
      const { token, credentialId, subject } = await lan.phones.signIn(
        { token: body.token, serial: body.phoneId },
        addressOf(request),
      );
      const { clockTs } = body;
      if (clockTs !== undefined) {
        const contact = { clockTs, receivedTs, address: addressOf(request) };
        await store.transaction(
          async (repositories) => await recordPhoneContact(repositories, { credentialId, equipmentId: null }, contact),
        );
      }
      const { pins, urls } = lan.network();
      return {
        token,
        credentialId,
        siteId: deps.siteId,
        siteName: (await store.settings.get('site.displayName')) ?? deps.siteName,
        studyId: subject.studyId,
        subjectId: subject.id,
        serverTs: clock(),
        ...(pins ? { pins } : {}),
        addresses: urls,
      };
    },
    signOutPhone: async ({ device }) => {
      await store.devices.revoke(device.credentialId, {
        ...changeByDevice(device),
        reason: diagnostic('PHONE_SIGNED_OUT').message,
      });
    },
    ...phoneTaskHandlers(deps),
    ...phoneMessageHandlers(deps),
    ...phoneSyncHandlers(deps),
  };
}
