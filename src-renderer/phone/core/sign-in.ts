/** Sign-in with the token of a code that was typed, scanned, or opened as a link. */
import { offsetOf } from '../../../src-server/phone-protocol/clock-offset.ts';
import { PhoneProblem } from '../../../src-server/phone-protocol/problems.ts';
import { isSignInLink, readSignInLink } from '../../../src-server/phone-protocol/sign-in-link.ts';
import type { PhoneClock } from '../clock/phone-clock.ts';
import { PhoneFailure } from '../store/failure.ts';
import type { PhoneStore } from '../store/store.ts';
import type { SiteCalls } from '../sync/site-calls.ts';
import { marker } from './marker.ts';

interface SignInParts {
  store: () => PhoneStore;
  clock: () => PhoneClock;
  calls: SiteCalls;
  stored: () => Promise<void>;
  syncNow: () => Promise<void>;
}

function tokenOf(input: { token: string } | { link: string }): string {
  if ('token' in input && !isSignInLink(input.token)) return input.token;
  const text = 'token' in input ? input.token : input.link;
  try {
    const { token, urls } = readSignInLink(text);
    // Storage belongs to an address: a code for another one leads to another site, or to an address that would not be found again.
    if (!urls.some((url) => URL.canParse(url) && new URL(url).host === location.host))
      throw new PhoneFailure('WRONG_SITE', 'This code belongs to another address. Open the link that came with it.');
    return token;
  } catch (thrown) {
    if (thrown instanceof PhoneProblem) throw new PhoneFailure('LINK_INVALID', thrown.message);
    throw thrown;
  }
}

/** @throws LINK_INVALID, WRONG_SITE, ALREADY_SIGNED_IN, NETWORK, SITE_UNAVAILABLE, and refusals of the site */
export async function signIn(parts: SignInParts, input: { token: string } | { link: string }): Promise<void> {
  const { store, clock, calls } = parts;
  const token = tokenOf(input);
  // One subject's data at a time: what is here is sent or given up by signing out first.
  if (await store().state('session'))
    throw new PhoneFailure('ALREADY_SIGNED_IN', 'Another subject is signed in on this phone. Sign out first.');
  const phoneId = (await store().state('phoneId')) ?? crypto.randomUUID();
  // Kept before the call: if the answer is lost, the same phone may repeat it.
  await store().setState({ phoneId });
  const began = clock().stamp();
  const beganMs = clock().monotonicMs();
  const answer = await calls.signIn({ token, phoneId, clockTs: began.wallMs }).catch((thrown: unknown) => {
    const { status, message, code } = thrown as { status?: number; message: string; code?: string };
    if (status === 0) throw new PhoneFailure('NETWORK', message);
    if (code === undefined || (status !== undefined && status >= 500))
      throw new PhoneFailure('SITE_UNAVAILABLE', message);
    // The id is a serial number of the site's equipment: the next try has another one.
    if (code === 'CONFLICT')
      return store()
        .setState({ phoneId: null })
        .then(() => Promise.reject(thrown));
    throw thrown;
  });
  const { siteId, siteName, studyId, subjectId, credentialId } = answer;
  // Before the session: a note of a wipe beside one would be taken for a wipe that was interrupted.
  marker.clear();
  // Without it a phone that loses the network now has no measurement, and a clock that is set while the app is closed would pass
  // for one that was never set. The answer has one time: its work counts as time on the way.
  const { serverTs } = answer;
  const arrivedMs = began.wallMs + Math.round(clock().monotonicMs() - beganMs);
  const sample = offsetOf({ sentMs: began.wallMs, receivedTs: serverTs, serverTs, arrivedMs });
  if (sample) clock().measured(sample, began);
  await store().setState({ session: { siteId, siteName, studyId, subjectId, credentialId, token: answer.token } });
  await store().keepClock();
  await parts.stored();
  // The first call with the credential ends the token; its answer has the names to confirm.
  await parts.syncNow();
}
