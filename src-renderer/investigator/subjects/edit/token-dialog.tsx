/** Signs a subject's phone in: shows a one-time token as a QR code and as text, until the phone has used it. */

import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Device, Subject } from '../../../../src-server/api/contract/index.ts';
import {
  likelyAddress,
  SUBJECT_TOKEN_DAYS,
  signInLink,
  webSignInLink,
} from '../../../../src-server/api/contract/subject-token.ts';
import { DAY_MS } from '../../../../src-server/durations.ts';
import { client } from '../../../shared/api/client.ts';
import { devicesQuery } from '../../../shared/api/equipment-queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Segments } from '../../../shared/kit/controls.tsx';
import { FormDialog, FormProblem, InfoDialog } from '../../../shared/kit/form-dialog.tsx';
import { SecretText, Select } from '../../../shared/kit/forms.tsx';
import { QrPicture } from '../../../shared/kit/qr-picture.tsx';
import { Notice } from '../../../shared/kit/state.tsx';
import styles from './edit.module.css';

/** Poll in addition to live updates, so that a lost connection does not leave a used code on the screen. */
const POLL_MS = 3000;

interface ShownToken {
  /** Ids of the devices before the token was made; a new device of the subject has signed in with it. */
  devicesBefore: ReadonlySet<string>;
  token: string;
  untilMs: number;
  /** QR code of the study app, and one per address for the camera. */
  programSvg: string;
  cameraSvgs: ReadonlyMap<string, string>;
  /** The address that the phone most likely reaches. */
  likely: string | undefined;
  addresses: string[];
  fingerprint: string | undefined;
}

/** Creates a token and draws its QR code; the QR library loads on first use. */
async function makeToken(subject: Subject): Promise<ShownToken> {
  const madeMs = Date.now();
  const params = { studyId: subject.studyId, subjectId: subject.id };
  const before = await client.call('listDevices', { params: { accountId: subject.accountId } });
  const [network, { siteId, siteName }, { token }, { toString: draw }] = await Promise.all([
    client.call('getNetwork'),
    client.call('deviceHello'),
    client.call('createSubjectToken', { params }),
    import('qrcode'),
  ]);
  const untilMs = madeMs + SUBJECT_TOKEN_DAYS * DAY_MS;
  const facts = { addresses: network.urls, fingerprint: network.pins?.fingerprint };
  const about = { siteId, siteName, token, expirationTs: untilMs };
  const drawn = (link: string) => draw(link, { type: 'svg', margin: 2, errorCorrectionLevel: 'M' });
  const cameraSvgs = new Map<string, string>();
  // Phones trust the clinic's certificate; programs pin the key, which they find under the other addresses.
  const { ownUrl, nameUrl, isNameUsed, urls } = network;
  const forBrowsers = [ownUrl, nameUrl, ...urls].filter((address) => address !== undefined);
  for (const address of forBrowsers) cameraSvgs.set(address, await drawn(webSignInLink(address, about)));
  return {
    devicesBefore: new Set(before.items.map(({ id }) => id)),
    token,
    untilMs,
    programSvg: await drawn(signInLink({ ...about, ...facts })),
    cameraSvgs,
    // Browsers keep what they store by the address, and names stay. Not every phone finds the name of mDNS, unless one did.
    likely: ownUrl ?? (isNameUsed ? nameUrl : undefined) ?? likelyAddress(urls, network.lastCall?.address),
    ...facts,
  };
}

/** The code for the camera of the subject's own phone, with a choice of the address; or the code of the study app. */
function SignInCodes({ shown, name }: { shown: ShownToken; name: string }) {
  const { t } = useWords();
  const [way, setWay] = useState<'camera' | 'program'>('camera');
  const [chosen, setChosen] = useState<string>();
  const address = chosen ?? shown.likely;
  const cameraSvg = address === undefined ? undefined : shown.cameraSvgs.get(address);
  if (cameraSvg === undefined || address === undefined) return <Notice tone="warn">{t('token.noNetwork')}</Notice>;
  const isCamera = way === 'camera';
  return (
    <>
      <div>
        <Segments
          label={t('token.way')}
          value={way}
          options={[
            { id: 'camera', label: t('token.camera') },
            { id: 'program', label: t('token.program') },
          ]}
          onChange={setWay}
        />
      </div>
      <p>{t(isCamera ? 'token.cameraHelp' : 'token.shown')}</p>
      <QrPicture
        label={t(isCamera ? 'token.cameraPicture' : 'token.picture', { name })}
        svg={isCamera ? cameraSvg : shown.programSvg}
      />
      {isCamera && shown.cameraSvgs.size > 1 && (
        <Select
          label={t('token.address')}
          help={t('token.addressHelp')}
          value={address}
          options={[...shown.cameraSvgs.keys()].map((one) => ({ id: one, label: one }))}
          onChange={setChosen}
        />
      )}
    </>
  );
}

/** Returns the phone that signed in with the shown token; undefined until one has. */
function useSignedInPhone(subject: Subject, shown: ShownToken | undefined): Device | undefined {
  const { data } = useQuery({
    ...devicesQuery(subject.accountId),
    enabled: shown !== undefined,
    refetchInterval: POLL_MS,
  });
  return data?.items.find(
    ({ id, subjectId, equipmentId }) =>
      shown && subjectId === subject.id && equipmentId === undefined && !shown.devicesBefore.has(id),
  );
}

export function TokenDialog({ subject, onClose }: { subject: Subject; onClose: () => void }) {
  const { t, format } = useWords();
  const [shown, setShown] = useState<ShownToken>();
  const make = useMutation({ mutationFn: () => makeToken(subject), onSuccess: setShown });
  const phone = useSignedInPhone(subject, shown);
  const title = t('token.title', { name: subject.displayName });
  if (!shown) {
    return (
      <FormDialog
        title={title}
        intro={t('token.intro', { days: SUBJECT_TOKEN_DAYS })}
        submitLabel={t('token.make')}
        mutation={make}
        onClose={onClose}
        onSubmit={() => make.mutate()}
      />
    );
  }
  if (phone) {
    return (
      <InfoDialog title={title} onClose={onClose}>
        <Notice tone="good">
          <strong>{t('token.signedIn', { name: subject.displayName })}</strong>{' '}
          {t('token.signedInAt', { time: format.dateTime(phone.pairedTs) })}
        </Notice>
        <p>{t('token.signedInHelp')}</p>
      </InfoDialog>
    );
  }
  return (
    <InfoDialog title={title} onClose={onClose}>
      <SignInCodes shown={shown} name={subject.displayName} />
      <SecretText label={t('token.text')} text={shown.token} />
      <p role="status">{t('token.until', { time: format.dateTime(shown.untilMs) })}</p>
      {shown.addresses.length > 0 && (
        <details>
          <summary>{t('token.typed')}</summary>
          <dl className={styles.typed}>
            <dt>{t('token.anyAddress')}</dt>
            <dd>
              {shown.addresses.map((address) => (
                <div key={address}>{address}</div>
              ))}
            </dd>
            <dt>{t('token.fingerprint')}</dt>
            <dd>{shown.fingerprint?.match(/.{1,4}/g)?.join(' ')}</dd>
          </dl>
        </details>
      )}
      <div>
        <Button icon="retry" isDisabled={make.isPending} onPress={() => make.mutate()}>
          {t('token.again')}
        </Button>
        <p>{t('token.againHelp')}</p>
      </div>
      <FormProblem error={make.error} />
    </InfoDialog>
  );
}
