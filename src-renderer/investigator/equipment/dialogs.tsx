/** Dialogs to register equipment, hand it out and take it back. Each states its effect before the user confirms. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { FleetItem } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { fleetQuery } from '../../shared/api/equipment-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { studiesQuery, subjectsQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Field, Segments } from '../../shared/kit/controls.tsx';
import { FormDialog, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { FieldGroup, Select } from '../../shared/kit/forms.tsx';
import styles from './equipment.module.css';
import { useEquipmentMutation } from './equipment-mutation.ts';

export const TYPES = ['SENSOR', 'LINK_HUB', 'LINK_PHONE'] as const;

export function RegisterDialog({ serial = '', onClose }: { serial?: string; onClose: () => void }) {
  const { t } = useWords();
  const { user } = useSession();
  const [type, setType] = useState<(typeof TYPES)[number]>('SENSOR');
  const [id, setId] = useState(serial);
  const [displayName, setName] = useState('');
  const [udid, setUdid] = useState('');
  const [isTried, setTried] = useState(false);
  const register = useEquipmentMutation(
    () =>
      client.call('registerEquipment', {
        params: { accountId: user.accountId },
        body: {
          type,
          id: id.normalize('NFKC').trim(),
          ...(displayName.trim() && { displayName: displayName.trim() }),
          ...(type === 'SENSOR' && udid.trim() && { udid: udid.normalize('NFKC').trim() }),
        },
      }),
    onClose,
  );
  const errorOf = useFieldErrors(register.error);
  return (
    <FormDialog
      title={t('equipment.register')}
      intro={t('equipment.registerIntro')}
      submitLabel={t('equipment.registerSubmit')}
      mutation={register}
      onSubmit={() => {
        setTried(true);
        if (id.trim()) register.mutate();
      }}
      onClose={onClose}
    >
      <Field
        label={t('equipment.serial')}
        value={id}
        onChange={setId}
        isRequired
        maxLength={64}
        error={isTried && !id.trim() ? t('equipment.serialMissing') : errorOf('id')}
      />
      <FieldGroup label={t('equipment.type')}>
        <div>
          <Segments
            label={t('equipment.type')}
            value={type}
            options={TYPES.map((one) => ({ id: one, label: t(`equipment.types.${one}`) }))}
            onChange={setType}
          />
        </div>
      </FieldGroup>
      <Field
        label={t('equipment.nameOptional')}
        value={displayName}
        onChange={setName}
        maxLength={100}
        error={errorOf('displayName')}
      />
      {type === 'SENSOR' && (
        <Field label={t('equipment.udid')} value={udid} onChange={setUdid} maxLength={64} error={errorOf('udid')} />
      )}
    </FormDialog>
  );
}

/** Choice of a subject, in studies that are neither complete nor archived. */
export function SubjectChoice({
  studyId,
  subjectId,
  onChange,
  error,
}: {
  studyId: string;
  subjectId: string;
  onChange: (place: { studyId: string; subjectId: string }) => void;
  error?: string;
}) {
  const { t } = useWords();
  const { user } = useSession();
  const studies = (useQuery(studiesQuery(user.accountId)).data ?? []).filter(
    (study) => study.lifecycleState !== 'COMPLETE' && !study.isArchived,
  );
  const subjectsOfStudy = subjectsQuery(studyId);
  const subjects = useQuery({ ...subjectsOfStudy, enabled: studyId !== '' });
  const people = (subjects.data?.items ?? []).filter((subject) => !subject.isHidden);
  return (
    <>
      <Select
        label={t('equipment.study')}
        value={studyId}
        options={[
          { id: '', label: t('equipment.choose') },
          ...studies.map((study) => ({ id: study.id, label: study.displayName })),
        ]}
        onChange={(id) => onChange({ studyId: id, subjectId: '' })}
        error={error && !studyId ? error : undefined}
      />
      <Select
        label={t('equipment.subject')}
        value={subjectId}
        isDisabled={!studyId}
        options={[
          { id: '', label: t('equipment.choose') },
          ...people.map((subject) => ({ id: subject.id, label: subject.displayName })),
        ]}
        onChange={(id) => onChange({ studyId, subjectId: id })}
        error={error && studyId && !subjectId ? error : undefined}
      />
    </>
  );
}

/** Hands a given item out to a subject that the user chooses. */
export function HandOutDialog({ item, onClose }: { item: Pick<FleetItem, 'id' | 'displayName'>; onClose: () => void }) {
  const { t } = useWords();
  const { user } = useSession();
  const studies = useQuery(studiesQuery(user.accountId)).data ?? [];
  const can = usePermissions();
  const runningStudies = studies.filter(
    ({ id, lifecycleState, isArchived }) =>
      lifecycleState === 'IN_PROGRESS' && !isArchived && can('equipment.assign', id),
  );
  const [chosen, setChosen] = useState<{ studyId: string; subjectId: string }>();
  const [onlyStudy] = runningStudies.length === 1 ? runningStudies : [];
  const place = chosen ?? { studyId: onlyStudy?.id ?? '', subjectId: '' };
  const [isTried, setTried] = useState(false);
  const handOut = useEquipmentMutation(
    () => client.call('assignEquipment', { params: { ...place, equipmentId: item.id } }),
    onClose,
  );
  return (
    <FormDialog
      title={t('equipment.handOutTitle', { name: item.displayName })}
      intro={t('equipment.handOutEffect')}
      submitLabel={t('equipment.handOut')}
      mutation={handOut}
      onSubmit={() => {
        setTried(true);
        if (place.subjectId) handOut.mutate();
      }}
      onClose={onClose}
    >
      <SubjectChoice {...place} onChange={setChosen} error={isTried ? t('equipment.chooseMissing') : undefined} />
    </FormDialog>
  );
}

/** Hands an unassigned item, which the user chooses, out to a given subject. */
export function HandOutToDialog({
  studyId,
  subjectId,
  name,
  onClose,
}: {
  studyId: string;
  subjectId: string;
  name: string;
  onClose: () => void;
}) {
  const { t, format } = useWords();
  const { user } = useSession();
  const [equipmentId, setEquipmentId] = useState('');
  const [isTried, setTried] = useState(false);
  const free = (useQuery(fleetQuery(user.accountId)).data?.items ?? []).filter(({ state }) => state === 'UNASSIGNED');
  const handOut = useEquipmentMutation(
    () => client.call('assignEquipment', { params: { studyId, subjectId, equipmentId } }),
    onClose,
  );
  return (
    <FormDialog
      title={t('equipment.handOutTo', { name })}
      intro={t('equipment.handOutEffect')}
      submitLabel={t('equipment.handOut')}
      mutation={handOut}
      onSubmit={() => {
        setTried(true);
        if (equipmentId) handOut.mutate();
      }}
      onClose={onClose}
    >
      <Select
        label={t('equipment.freeEquipment')}
        value={equipmentId}
        options={[
          { id: '', label: t('equipment.choose') },
          ...free.map((item) => ({
            id: item.id,
            label: [
              item.displayName,
              item.displayName !== item.id && item.id,
              t(`equipment.types.${item.type}`),
              item.batteryPercent !== undefined &&
                t('equipment.percent', { value: format.number(item.batteryPercent) }),
            ]
              .filter(Boolean)
              .join(' · '),
          })),
        ]}
        onChange={setEquipmentId}
        help={free.length === 0 ? t('equipment.noneFree') : undefined}
        error={isTried && !equipmentId ? t('equipment.chooseMissing') : undefined}
      />
    </FormDialog>
  );
}

export function TakeBackDialog({
  item,
  place,
  onClose,
}: {
  item: Pick<FleetItem, 'id' | 'displayName' | 'held'>;
  place: { studyId: string; subjectId: string; subjectName: string };
  onClose: () => void;
}) {
  const { t, format } = useWords();
  const takeBack = useEquipmentMutation(
    () =>
      client.call('unassignEquipment', {
        params: { studyId: place.studyId, subjectId: place.subjectId, equipmentId: item.id },
      }),
    onClose,
  );
  return (
    <FormDialog
      title={t('equipment.takeBackTitle', { name: item.displayName, subject: place.subjectName })}
      submitLabel={t('equipment.takeBack')}
      mutation={takeBack}
      onSubmit={() => takeBack.mutate()}
      onClose={onClose}
    >
      <ul className={styles.effect}>
        <li>{t('equipment.takeBackPast', { subject: place.subjectName })}</li>
        <li>{t('equipment.takeBackLater')}</li>
        {item.held && item.held.recordings > 0 && (
          <li>
            {t('equipment.takeBackPending', { count: item.held.recordings, size: format.bytes(item.held.sizeBytes) })}
          </li>
        )}
      </ul>
    </FormDialog>
  );
}
