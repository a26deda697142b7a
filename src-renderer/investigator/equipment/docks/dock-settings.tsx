/** Settings of docks and watched folders, for administrators. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SiteSettings } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { studiesQuery } from '../../../shared/api/queries.ts';
import { useSession } from '../../../shared/api/session.ts';
import { settingsQuery } from '../../../shared/api/site-queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Field } from '../../../shared/kit/controls.tsx';
import { FormDialog, useFieldErrors } from '../../../shared/kit/form-dialog.tsx';
import { Checkbox, FieldGroup, Select } from '../../../shared/kit/forms.tsx';

type Rules = SiteSettings['docks'];

export function DockSettingsDialog({ onClose }: { onClose: () => void }) {
  const settings = useQuery(settingsQuery());
  return settings.data && <SettingsForm before={settings.data.docks} onClose={onClose} />;
}

function SettingsForm({ before, onClose }: { before: Rules; onClose: () => void }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const [rules, setRules] = useState(before);
  const [isTried, setTried] = useState(false);
  const save = useMutation({
    mutationFn: (docks: Rules) => client.call('updateSiteSettings', { body: { docks } }),
    onSuccess: async () => {
      await Promise.all([['setting'], ['transfer']].map((queryKey) => queries.invalidateQueries({ queryKey })));
      onClose();
    },
  });
  const errorOf = useFieldErrors(save.error);
  const setFolder = (index: number, change: Partial<Rules['folders'][number]>) =>
    setRules({
      ...rules,
      folders: rules.folders.map((folder, i) => (i === index ? { ...folder, ...change } : folder)),
    });
  const isWhole = rules.folders.every(({ path, studyId }) => path.trim() && studyId);
  return (
    <FormDialog
      title={t('docks.settings')}
      submitLabel={t('docks.save')}
      mutation={save}
      onSubmit={() => {
        setTried(true);
        if (isWhole)
          save.mutate({ ...rules, folders: rules.folders.map((one) => ({ ...one, path: one.path.trim() })) });
      }}
      onClose={onClose}
    >
      <Checkbox label={t('docks.isOn')} isSelected={rules.isOn} onChange={(isOn) => setRules({ ...rules, isOn })} />
      <ActionChoice
        label={t('docks.action')}
        value={rules.action}
        onChange={(action) => setRules({ ...rules, action })}
      />
      <Field
        label={t('docks.zone')}
        help={t('docks.zoneHelp')}
        value={rules.timeZone ?? ''}
        onChange={(zone) => setRules({ ...rules, timeZone: zone.trim() || null })}
        maxLength={64}
        error={errorOf('docks.timeZone')}
      />
      {rules.folders.map((folder, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two new folders have the same empty path
        <FieldGroup key={index} label={`${t('docks.folder')} ${index + 1}`}>
          <Field
            label={t('docks.path')}
            value={folder.path}
            onChange={(path) => setFolder(index, { path })}
            maxLength={1000}
            error={isTried && !folder.path.trim() ? t('docks.pathMissing') : errorOf(`docks.folders.${index}.path`)}
          />
          <StudyChoice
            value={folder.studyId}
            onChange={(studyId) => setFolder(index, { studyId })}
            error={isTried && !folder.studyId ? t('equipment.chooseMissing') : undefined}
          />
          <ActionChoice
            label={t('docks.folderFiles')}
            value={folder.action}
            onChange={(action) => setFolder(index, { action })}
          />
          <Button small onPress={() => setRules({ ...rules, folders: rules.folders.filter((_, i) => i !== index) })}>
            {t('docks.removeFolder', { path: folder.path })}
          </Button>
        </FieldGroup>
      ))}
      <div>
        <Button
          icon="plus"
          onPress={() =>
            setRules({ ...rules, folders: [...rules.folders, { path: '', studyId: '', action: 'OFFER' }] })
          }
        >
          {t('docks.addFolder')}
        </Button>
      </div>
    </FormDialog>
  );
}

function ActionChoice({
  label,
  value,
  onChange,
}: {
  label: string;
  value: Rules['action'];
  onChange: (action: Rules['action']) => void;
}) {
  const { t } = useWords();
  const options = (['OFFER', 'TAKE'] as const).map((id) => ({ id, label: t(`docks.actionNames.${id}`) }));
  return <Select label={label} value={value} options={options} onChange={onChange} />;
}

function StudyChoice({
  value,
  onChange,
  error,
}: {
  value: string;
  onChange: (studyId: string) => void;
  error: string | undefined;
}) {
  const { t } = useWords();
  const { user } = useSession();
  const studies = useQuery(studiesQuery(user.accountId)).data ?? [];
  return (
    <Select
      label={t('equipment.study')}
      value={value}
      options={[
        { id: '', label: t('equipment.choose') },
        ...studies.filter(({ isArchived }) => !isArchived).map(({ id, displayName }) => ({ id, label: displayName })),
      ]}
      onChange={onChange}
      error={error}
    />
  );
}
