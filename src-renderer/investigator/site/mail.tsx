/** The mail server of the site and its outbox. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useMemo, useState } from 'react';
import type { Mail as MailItem, SiteSettings } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { useSession } from '../../shared/api/session.ts';
import { outboxQuery, settingsQuery } from '../../shared/api/site-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Field, PasswordField, Pill, type Tone } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import {
  FormDialog,
  FormProblem,
  InfoDialog,
  submitOnCtrlEnter,
  useFieldErrors,
} from '../../shared/kit/form-dialog.tsx';
import { Select, TextAreaField } from '../../shared/kit/forms.tsx';
import { panelClass } from '../../shared/kit/page.tsx';
import { Empty, ErrorNotice, errorSentence, Notice, QueryView } from '../../shared/kit/state.tsx';
import styles from './site.module.css';
import { SitePage } from './site-page.tsx';

const card = `${panelClass} ${styles.card}`;
const SECURITIES = ['TLS', 'STARTTLS', 'NONE'] as const;
const PORTS = { TLS: '465', STARTTLS: '587', NONE: '25' } as const;
const TONES: Record<MailItem['state'], Tone> = { queued: 'neutral', sent: 'good', failed: 'bad' };

type Stored = SiteSettings['mail'];

function Server({ stored }: { stored: Stored }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const [host, setHost] = useState(stored?.host ?? '');
  const [security, setSecurity] = useState<(typeof SECURITIES)[number]>(stored?.security ?? 'TLS');
  const [port, setPort] = useState(stored ? String(stored.port) : PORTS.TLS);
  const [user, setUser] = useState(stored?.user ?? '');
  const [password, setPassword] = useState('');
  const [from, setFrom] = useState(stored?.from ?? '');
  const [certificate, setCertificate] = useState(stored?.trustedCertificate ?? '');
  const [isRemoving, setRemoving] = useState(false);
  const save = useMutation({
    mutationFn: () =>
      client.call('updateSiteSettings', {
        body: {
          mail: {
            host: host.trim(),
            port: Number(port),
            security,
            from: from.trim(),
            ...(user.trim() !== '' && { user: user.trim() }),
            ...(password !== '' && { password }),
            ...(certificate.trim() !== '' && { trustedCertificate: certificate.trim() }),
          },
        },
      }),
    onSuccess: () => {
      setPassword('');
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
        <Pill tone={stored ? 'good' : 'neutral'}>{t(stored ? 'mail.set' : 'mail.notSet')}</Pill>
      </div>
      <p className={styles.hint}>{t('mail.serverHelp')}</p>
      <div className={styles.pair}>
        <Field label={t('mail.host')} value={host} onChange={setHost} error={fieldError('mail.host')} />
        <Field label={t('mail.port')} type="number" value={port} onChange={setPort} error={fieldError('mail.port')} />
        <Select
          label={t('mail.security')}
          value={security}
          options={SECURITIES.map((id) => ({ id, label: t(`mail.securities.${id}`) }))}
          onChange={(next) => {
            if (port === PORTS[security]) setPort(PORTS[next]);
            setSecurity(next);
          }}
        />
      </div>
      {security === 'NONE' && <Notice tone="warn">{t('mail.unencrypted')}</Notice>}
      <div className={styles.pair}>
        <Field
          label={t('mail.user')}
          value={user}
          onChange={setUser}
          autoComplete="off"
          help={t('mail.userHelp')}
          error={fieldError('mail.user')}
        />
        <PasswordField
          label={stored?.hasPassword ? t('mail.passwordKept') : t('signIn.password')}
          showLabel={t('signIn.showPassword')}
          hideLabel={t('signIn.hidePassword')}
          autoComplete="off"
          value={password}
          onChange={setPassword}
        />
      </div>
      <Field label={t('mail.from')} type="email" value={from} onChange={setFrom} error={fieldError('mail.from')} />
      <details open={certificate !== ''}>
        <summary>{t('mail.certificate')}</summary>
        <TextAreaField
          isCode
          label={t('mail.certificateLabel')}
          help={t('mail.certificateHelp')}
          value={certificate}
          onChange={setCertificate}
          error={fieldError('mail.trustedCertificate')}
        />
      </details>
      <FormProblem error={save.error} />
      <div className={styles.actions}>
        <Button type="submit" kind="primary" isDisabled={save.isPending}>
          {t('form.save')}
        </Button>
        {stored && <Button onPress={() => setRemoving(true)}>{t('mail.remove')}</Button>}
        <span role="status">{save.isSuccess ? t('form.saved') : ''}</span>
      </div>
      {isRemoving && <RemoveServer onClose={() => setRemoving(false)} />}
    </form>
  );
}

function RemoveServer({ onClose }: { onClose: () => void }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => client.call('updateSiteSettings', { body: { mail: null } }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['setting'] });
      onClose();
    },
  });
  return (
    <FormDialog
      title={t('mail.removeTitle')}
      submitLabel={t('mail.remove')}
      isPending={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    >
      <p>{t('mail.removeEffect')}</p>
    </FormDialog>
  );
}

function Test({ isSet }: { isSet: boolean }) {
  const { t } = useWords();
  const { user } = useSession();
  const queries = useQueryClient();
  const [recipient, setRecipient] = useState(user.email);
  const send = useMutation({
    mutationFn: () => client.call('sendTestMail', { body: { recipient: recipient.trim() } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['mail'] }),
  });
  const fieldError = useFieldErrors(send.error);
  return (
    <form
      noValidate
      className={card}
      aria-label={t('mail.test')}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        send.mutate();
      }}
    >
      <h2>{t('mail.test')}</h2>
      {isSet ? (
        <>
          <Field
            label={t('mail.recipient')}
            type="email"
            value={recipient}
            onChange={setRecipient}
            error={fieldError('recipient')}
          />
          <div className={styles.actions}>
            <Button type="submit" icon="mail" isDisabled={send.isPending}>
              {send.isPending ? t('form.busy') : t('mail.sendTest')}
            </Button>
          </div>
        </>
      ) : (
        <p>{t('mail.testNotYet')}</p>
      )}
      {send.data?.isSent && <Notice tone="good">{t('mail.testSent', { recipient: send.data.recipient })}</Notice>}
      {send.data && !send.data.isSent && (
        <Notice tone="bad">
          <p>{t('mail.testFailed')}</p>
          <small>{send.data.error}</small>
        </Notice>
      )}
      <FormProblem error={send.error} />
    </form>
  );
}

function Retry({ mail }: { mail: MailItem }) {
  const { t, language } = useWords();
  const { user } = useSession();
  const queries = useQueryClient();
  const retry = useMutation({
    mutationFn: () => client.call('retryMail', { params: { accountId: user.accountId, mailId: mail.id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['mail'] }),
  });
  return (
    <>
      <Button
        small
        icon="retry"
        aria-label={t('mail.retryOf', { subject: mail.subject })}
        isDisabled={retry.isPending}
        onPress={() => retry.mutate()}
      >
        {t('jobs.retry')}
      </Button>
      {retry.error && <small className={styles.bad}>{errorSentence(retry.error, t, language)}</small>}
    </>
  );
}

function Outbox() {
  const { t, format } = useWords();
  const { user } = useSession();
  const outbox = useQuery(outboxQuery(user.accountId));
  const [shown, setShown] = useState<MailItem | null>(null);
  const columns = useMemo(
    (): Column<MailItem>[] => [
      {
        id: 'created',
        header: t('mail.written'),
        value: (mail) => mail.createdTs,
        cell: (mail) => format.moment(mail.createdTs),
      },
      {
        id: 'recipient',
        header: t('mail.to'),
        value: (mail) => mail.recipient,
        cell: (mail) => mail.recipient,
      },
      {
        id: 'subject',
        header: t('mail.subject'),
        value: (mail) => mail.subject,
        cell: (mail) => (
          <Button small kind="quiet" onPress={() => setShown(mail)}>
            {mail.subject}
          </Button>
        ),
      },
      {
        id: 'state',
        header: t('exports.stateTitle'),
        value: (mail) => mail.state,
        cell: (mail) => (
          <div className={styles.wrap}>
            <Pill tone={TONES[mail.state]}>{t(`mail.state.${mail.state}`)}</Pill>
            {mail.error && mail.state !== 'sent' && <small className={styles.bad}> {mail.error}</small>}
          </div>
        ),
      },
      {
        id: 'attempts',
        header: t('mail.attempts'),
        isNumber: true,
        isSecondary: true,
        value: (mail) => mail.attempts,
        cell: (mail) =>
          mail.attempts === 0 ? <Faint>{t('mail.notTried')}</Faint> : t('mail.times', { count: mail.attempts }),
      },
      {
        id: 'actions',
        header: t('exports.actions'),
        cell: (mail) => (mail.state === 'failed' ? <Retry mail={mail} /> : ''),
      },
    ],
    [t, format],
  );
  return (
    <>
      <h2>{t('mail.outbox')}</h2>
      <QueryView query={outbox}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon="mail" title={t('mail.emptyTitle')} help={t('mail.emptyHelp')} />
          ) : (
            <DataTable
              caption={t('mail.outbox')}
              rows={items}
              columns={columns}
              rowId={(mail) => mail.id}
              initialSort={{ id: 'created', desc: true }}
            />
          )
        }
      </QueryView>
      {shown && (
        <InfoDialog title={shown.subject} onClose={() => setShown(null)}>
          <dl className={styles.facts}>
            <dt>{t('mail.to')}</dt>
            <dd>{shown.recipient}</dd>
            <dt>{t('mail.written')}</dt>
            <dd>{format.dateTime(shown.createdTs)}</dd>
          </dl>
          {shown.body === undefined ? (
            <Notice tone="info">{t('mail.hidden')}</Notice>
          ) : (
            <p style={{ whiteSpace: 'pre-wrap' }}>{shown.body}</p>
          )}
        </InfoDialog>
      )}
    </>
  );
}

function Content() {
  const settings = useQuery(settingsQuery());
  return (
    <>
      {settings.error && <ErrorNotice error={settings.error} onRetry={() => void settings.refetch()} />}
      {settings.data && (
        <div className={styles.cards}>
          <Server key={JSON.stringify(settings.data.mail ?? null)} stored={settings.data.mail} />
          <Test isSet={settings.data.mail !== undefined} />
        </div>
      )}
      <Outbox />
    </>
  );
}

export function Mail() {
  const { t } = useWords();
  return (
    <SitePage title={t('site.mail')} summary={t('mail.summary')} isForAdministrators>
      <Content />
    </SitePage>
  );
}
