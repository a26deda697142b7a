/** The steps of a pairing after a device has called: comparing the check code, confirming, handing the device out. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { Device, Pairing } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { deviceQuery, fleetQuery, uploadProgressQuery } from '../../../shared/api/equipment-queries.ts';
import { useSession } from '../../../shared/api/session.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, buttonClass } from '../../../shared/kit/controls.tsx';
import { FormProblem } from '../../../shared/kit/form-dialog.tsx';
import { Icon } from '../../../shared/kit/icon.tsx';
import { panelClass } from '../../../shared/kit/page.tsx';
import { QueryView } from '../../../shared/kit/state.tsx';
import { Battery, ContactPill, Held } from '../contact.tsx';
import { HandOutDialog } from '../dialogs.tsx';
import equipmentStyles from '../equipment.module.css';
import { useEquipmentMutation } from '../equipment-mutation.ts';
import { SubjectLink } from '../links.tsx';
import styles from './pair.module.css';

/** Takes the focus when it mounts, because the control that had it is no longer on the page. */
export function ArrivingHeading({ children }: { children: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <h2 ref={heading} tabIndex={-1}>
      {children}
    </h2>
  );
}

function Card({ pairing }: { pairing: Pairing }) {
  const { t } = useWords();
  const { device, address } = pairing;
  if (!device) return null;
  const facts = [
    [t('equipment.type'), t(`devices.kinds.${device.kind}`)],
    [t('equipment.name'), device.displayName],
    [t('equipment.serial'), device.serial],
    [t('equipment.hardware'), device.hardwareId],
    [t('devices.version'), device.firmwareId],
    [t('devices.address'), address],
  ];
  return (
    <dl className={styles.card}>
      {facts.map(([name, value]) =>
        value === undefined ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

export function Compare({ pairing }: { pairing: Pairing }) {
  const { t } = useWords();
  const params = { pairingId: pairing.id };
  const checkCode = pairing.checkCode ?? '';
  const decide = useEquipmentMutation((isSame: boolean) =>
    isSame ? client.call('confirmPairing', { params, body: { checkCode } }) : client.call('refusePairing', { params }),
  );
  if (pairing.state === 'CALLED' || !pairing.checkCode) {
    return (
      <div className={`${panelClass} ${styles.confirm}`}>
        <ArrivingHeading>{t('pairing.called')}</ArrivingHeading>
        <Card pairing={pairing} />
        <p role="status">{t('pairing.calledHelp')}</p>
      </div>
    );
  }
  return (
    <div className={`${panelClass} ${styles.confirm}`}>
      <ArrivingHeading>{t('pairing.compare', { code: checkCode })}</ArrivingHeading>
      <output className={styles.check} aria-label={t('pairing.checkCode')}>
        {checkCode}
      </output>
      <Card pairing={pairing} />
      <p>{t('pairing.compareHelp')}</p>
      <FormProblem error={decide.error} />
      <div className={equipmentStyles.actions}>
        <Button icon="close" isDisabled={decide.isPending} onPress={() => decide.mutate(false)}>
          {t('pairing.codesDiffer')}
        </Button>
        <Button kind="primary" icon="check" isDisabled={decide.isPending} onPress={() => decide.mutate(true)}>
          {t('pairing.codesMatch')}
        </Button>
      </div>
    </div>
  );
}

export function Confirmed({ pairing, onCancel }: { pairing: Pairing; onCancel: () => void }) {
  const { t } = useWords();
  return (
    <div className={`${panelClass} ${styles.confirm}`}>
      <ArrivingHeading>{t('pairing.confirmed')}</ArrivingHeading>
      <Card pairing={pairing} />
      <p className={styles.waiting} role="status">
        <span className={styles.dot} />
        {t('pairing.confirmedHelp')}
      </p>
      <Button kind="quiet" onPress={onCancel}>
        {t('pairing.cancel')}
      </Button>
    </div>
  );
}

const POLL_INTERVAL_MS = 3000;

/** Proof that the connection works: the first recordings of a hub, or the first reports and messages of a phone. */
function FirstArrival({ device: { serial, received } }: { device: Device }) {
  const { t, format } = useWords();
  const { user } = useSession();
  const uploads = useQuery({ ...uploadProgressQuery(user.accountId), refetchInterval: POLL_INTERVAL_MS });
  const own = uploads.data?.items.find(({ deviceId }) => deviceId === serial);
  const reports = received === undefined ? 0 : received.taskReports + received.messages;
  if (received && reports > 0) {
    return (
      <span role="status">
        {format.list([
          t('pairing.taskReports', { count: received.taskReports }),
          t('pairing.messages', { count: received.messages }),
        ])}
      </span>
    );
  }
  if (!own || own.recordings === 0) return <span role="status">{t('pairing.noUpload')}</span>;
  return (
    <Link to="/equipment/uploads" role="status">
      {t('pairing.uploaded', { size: format.bytes(own.receivedBytes), count: own.verified })}
    </Link>
  );
}

export function Complete({ pairing, onNewCode }: { pairing: Pairing; onNewCode: () => void }) {
  const { t } = useWords();
  const { user } = useSession();
  const [isHandingOut, setHandingOut] = useState(false);
  // Polled: reports of a phone change the subject's records, so `/live` announces nothing about the device.
  const device = useQuery({
    ...deviceQuery(user.accountId, pairing.deviceId ?? ''),
    refetchInterval: POLL_INTERVAL_MS,
  });
  const item = useQuery(fleetQuery(user.accountId)).data?.items.find(({ id }) => id === device.data?.equipmentId);
  return (
    <div className={`${panelClass} ${styles.confirm}`}>
      <Icon name="check" size={32} />
      <ArrivingHeading>{t('pairing.complete', { name: pairing.device?.displayName ?? '' })}</ArrivingHeading>
      <QueryView query={device}>
        {(data) => (
          <dl className={styles.card}>
            <div>
              <dt>{t('equipment.serial')}</dt>
              <dd>{data.serial}</dd>
            </div>
            <div>
              <dt>{t('equipment.battery')}</dt>
              <dd>
                <Battery percent={data.batteryPercent} />
              </dd>
            </div>
            <div>
              <dt>{t('equipment.notReceived')}</dt>
              <dd>
                <Held held={item?.held} />
              </dd>
            </div>
            <div>
              <dt>{t('devices.version')}</dt>
              <dd>{data.firmwareId ?? pairing.device?.firmwareId ?? t('equipment.notReported')}</dd>
            </div>
            <div>
              <dt>{t('pairing.firstUpload')}</dt>
              <dd>
                <FirstArrival device={data} />
              </dd>
            </div>
            <div>
              <dt>{t('equipment.contact')}</dt>
              <dd>
                <ContactPill item={item ?? data} />
              </dd>
            </div>
          </dl>
        )}
      </QueryView>
      {item?.holder ? (
        <p>
          {t('pairing.handedOutTo')} <SubjectLink {...item.holder} name={item.holder.subjectName} />
        </p>
      ) : (
        <p>{t('pairing.unassigned')}</p>
      )}
      <p>{t('pairing.testUpload')}</p>
      <div className={equipmentStyles.actions}>
        {item && !item.holder && (
          <Button kind="primary" onPress={() => setHandingOut(true)}>
            {t('equipment.handOut')}
          </Button>
        )}
        {item && (
          <Link to="/equipment/$equipmentId" params={{ equipmentId: item.id }} className={buttonClass()}>
            {t('pairing.toDevice')}
          </Link>
        )}
        <Button icon="plus" onPress={onNewCode}>
          {t('pairing.another')}
        </Button>
      </div>
      {isHandingOut && item && <HandOutDialog item={item} onClose={() => setHandingOut(false)} />}
    </div>
  );
}

/** A pairing that ended without a device: why, and the next step. */
export function Ended({
  state,
  onNewCode,
  isStarting,
}: {
  state: 'REFUSED' | 'CANCELLED' | 'EXPIRED' | 'LOCKED' | 'UNSEEN';
  onNewCode: () => void;
  isStarting: boolean;
}) {
  const { t } = useWords();
  return (
    <div className={`${panelClass} ${styles.confirm}`}>
      <Icon name="alert" size={32} />
      <ArrivingHeading>{t(`pairing.ended.${state}`)}</ArrivingHeading>
      <p>{t(`pairing.endedHelp.${state}`)}</p>
      <Button kind="primary" icon="retry" isDisabled={isStarting} onPress={onNewCode}>
        {t('pairing.newCode')}
      </Button>
    </div>
  );
}
