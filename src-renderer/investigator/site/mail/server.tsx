/** The mail server of the site: its address, encryption and account; stored for the whole site, or removed. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { SiteSettings } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { ConfirmDialog } from '../../../shared/kit/confirm-dialog.tsx';
import { Button, Field, PasswordField, Pill } from '../../../shared/kit/controls.tsx';
import { FormProblem, submitOnCtrlEnter, useFieldErrors } from '../../../shared/kit/form-dialog.tsx';
import { Select, TextAreaField } from '../../../shared/kit/forms.tsx';
import { panelClass } from '../../../shared/kit/page.tsx';
import { Notice } from '../../../shared/kit/state.tsx';
import { FormFoot } from '../form-foot.tsx';
import styles from '../site.module.css';

const card = `${panelClass} ${styles.card}`;
const SECURITIES = ['TLS', 'STARTTLS', 'NONE'] as const;
const PORTS = { TLS: '465', STARTTLS: '587', NONE: '25' } as const;

type Stored = SiteSettings['mail'];

interface Draft {
  host: string;
  security: (typeof SECURITIES)[number];
  port: string;
  user: string;
  /** Empty keeps the stored password. */
  password: string;
  from: string;
  certificate: string;
}

const draftOf = (stored: Stored): Draft => ({
  host: stored?.host ?? '',
  security: stored?.security ?? 'TLS',
  port: stored ? String(stored.port) : PORTS.TLS,
  user: stored?.user ?? '',
  password: '',
  from: stored?.from ?? '',
  certificate: stored?.trustedCertificate ?? '',
});

/** The settings that a draft stands for; empty optional fields are left out. */
const settingsOf = ({ host, port, security, from, user, password, certificate }: Draft) => ({
  host: host.trim(),
  port: Number(port),
  security,
  from: from.trim(),
  ...(user.trim() !== '' && { user: user.trim() }),
  ...(password !== '' && { password }),
  ...(certificate.trim() !== '' && { trustedCertificate: certificate.trim() }),
});

function ServerFields({
  draft,
  hasPassword,
  set,
  errorOf,
}: {
  draft: Draft;
  /** Whether a password is stored, which an empty field keeps. */
  hasPassword: boolean;
  set: (change: Partial<Draft>) => void;
  errorOf: (path: string) => string | undefined;
}) {
  const { t } = useWords();
  const { host, security, port, user, password, from, certificate } = draft;
  return (
    <>
      <div className={styles.server}>
        <Field
          label={t('mail.host')}
          value={host}
          onChange={(next) => set({ host: next })}
          error={errorOf('mail.host')}
        />
        <Field
          label={t('mail.port')}
          type="number"
          value={port}
          onChange={(next) => set({ port: next })}
          error={errorOf('mail.port')}
        />
        <Select
          label={t('mail.security')}
          value={security}
          options={SECURITIES.map((id) => ({ id, label: t(`mail.securities.${id}`) }))}
          onChange={(next) => set({ security: next, ...(port === PORTS[security] && { port: PORTS[next] }) })}
        />
      </div>
      {security === 'NONE' && <Notice tone="warn">{t('mail.unencrypted')}</Notice>}
      <div className={styles.pair}>
        <Field
          label={t('mail.user')}
          value={user}
          onChange={(next) => set({ user: next })}
          autoComplete="off"
          help={t('mail.userHelp')}
          error={errorOf('mail.user')}
        />
        <PasswordField
          label={hasPassword ? t('mail.passwordKept') : t('signIn.password')}
          showLabel={t('signIn.showPassword')}
          hideLabel={t('signIn.hidePassword')}
          autoComplete="off"
          value={password}
          onChange={(next) => set({ password: next })}
        />
      </div>
      <Field
        label={t('mail.from')}
        type="email"
        value={from}
        onChange={(next) => set({ from: next })}
        error={errorOf('mail.from')}
      />
      <details open={certificate !== ''}>
        <summary>{t('mail.certificate')}</summary>
        <TextAreaField
          isCode
          label={t('mail.certificateLabel')}
          help={t('mail.certificateHelp')}
          value={certificate}
          onChange={(next) => set({ certificate: next })}
          error={errorOf('mail.trustedCertificate')}
        />
      </details>
    </>
  );
}

function RemoveServer({ onClose }: { onClose: () => void }) {
  const { t } = useWords();
  return (
    <ConfirmDialog
      title={t('mail.removeTitle')}
      effect={t('mail.removeEffect')}
      submitLabel={t('mail.remove')}
      run={() => client.call('updateSiteSettings', { body: { mail: null } })}
      changes={['setting']}
      onClose={onClose}
    />
  );
}

export function MailServer({ stored }: { stored: Stored }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const [draft, setDraft] = useState(() => draftOf(stored));
  const set = (change: Partial<Draft>) => setDraft((now) => ({ ...now, ...change }));
  const [isRemoving, setRemoving] = useState(false);
  const save = useMutation({
    mutationFn: () => client.call('updateSiteSettings', { body: { mail: settingsOf(draft) } }),
    onSuccess: () => {
      set({ password: '' });
      void queries.invalidateQueries({ queryKey: ['setting'] });
    },
  });
  const fieldError = useFieldErrors(save.error);
  return (
    <form
      noValidate
      className={card}
      aria-label={t('mail.server')}
      onKeyDown={submitOnCtrlEnter}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <div className={styles.cardHead}>
        <h2>{t('mail.server')}</h2>
        <Pill tone={stored ? 'good' : 'neutral'}>{t(stored ? 'mail.setUp' : 'mail.notSetUp')}</Pill>
      </div>
      <p className={styles.hint}>{t('mail.serverHelp')}</p>
      <ServerFields draft={draft} hasPassword={stored?.hasPassword ?? false} set={set} errorOf={fieldError} />
      <FormProblem error={save.error} />
      <FormFoot isPrimary save={save}>
        {stored && <Button onPress={() => setRemoving(true)}>{t('mail.remove')}</Button>}
      </FormFoot>
      {isRemoving && <RemoveServer onClose={() => setRemoving(false)} />}
    </form>
  );
}
