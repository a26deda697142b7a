/** The clinic's own certificate: what is served, and the dialogs that set and remove it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import type { Certificates } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { useDiagnosticText } from '../../../shared/i18n/diagnostic-text.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Field, PasswordField, Pill } from '../../../shared/kit/controls.tsx';
import { FormDialog, useFieldErrors } from '../../../shared/kit/form-dialog.tsx';
import { panelClass } from '../../../shared/kit/page.tsx';
import { Notice } from '../../../shared/kit/state.tsx';
import styles from '../site.module.css';
import own from './trust.module.css';

const card = `${panelClass} ${styles.card}`;
/** Far above any certificate; the site refuses more. */
const MAX_FILE_BYTES = 250_000;

function useCertificatesRefresh(): () => void {
  const queries = useQueryClient();
  return () => {
    void queries.invalidateQueries({ queryKey: ['certificates'] });
    void queries.invalidateQueries({ queryKey: ['attention'] });
  };
}

function FileChoice({
  label,
  help,
  accept,
  file,
  onChange,
}: {
  label: string;
  help: string;
  accept: string;
  file: File | undefined;
  onChange: (file: File | undefined) => void;
}) {
  const { t } = useWords();
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  return (
    <div className={own.file}>
      <span id={id}>{label}</span>
      <div className={styles.actions}>
        <Button aria-describedby={id} onPress={() => input.current?.click()}>
          {t('trust.choose')}
        </Button>
        <span className={styles.mono}>{file?.name ?? t('trust.noFile')}</span>
      </div>
      <small>{help}</small>
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        aria-label={label}
        onChange={({ target }) => onChange(target.files?.[0])}
      />
    </div>
  );
}

async function base64(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** The content decides between PKCS#12 and PEM, because file names vary. */
async function bodyOf(certificate: File, key: File | undefined, password: string, hostName: string) {
  if (certificate.size + (key?.size ?? 0) > MAX_FILE_BYTES) return undefined;
  const text = await certificate.text();
  const files = text.includes('-----BEGIN')
    ? { certificate: text, ...(key && { privateKey: await key.text() }) }
    : { pkcs12: await base64(certificate) };
  return { ...files, ...(password !== '' && { password }), ...(hostName.trim() !== '' && { hostName }) };
}

function SetCertificate({ onClose }: { onClose: () => void }) {
  const { t } = useWords();
  const refresh = useCertificatesRefresh();
  const [certificate, setCertificate] = useState<File>();
  const [key, setKey] = useState<File>();
  const [password, setPassword] = useState('');
  const [hostName, setHostName] = useState('');
  const [isTooLarge, setTooLarge] = useState(false);
  const save = useMutation({
    mutationFn: async () => {
      const body = certificate && (await bodyOf(certificate, key, password, hostName));
      setTooLarge(body === undefined);
      return body && (await client.call('setOwnCertificate', { body }));
    },
    onSuccess: (state) => {
      if (!state) return;
      refresh();
      onClose();
    },
  });
  const fieldError = useFieldErrors(save.error);
  return (
    <FormDialog
      title={t('trust.own.set')}
      intro={t('trust.own.setIntro')}
      submitLabel={t('trust.own.set')}
      mutation={save}
      isDisabled={!certificate}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <FileChoice
        label={t('trust.own.file')}
        help={t('trust.own.fileHelp')}
        accept=".pem,.crt,.cer,.p12,.pfx"
        file={certificate}
        onChange={setCertificate}
      />
      <FileChoice
        label={t('trust.own.keyFile')}
        help={t('trust.own.keyFileHelp')}
        accept=".pem,.key"
        file={key}
        onChange={setKey}
      />
      <PasswordField
        label={t('trust.own.password')}
        help={t('trust.own.passwordHelp')}
        showLabel={t('trust.own.showPassword')}
        hideLabel={t('trust.own.hidePassword')}
        value={password}
        onChange={setPassword}
        autoComplete="off"
      />
      <Field
        label={t('trust.own.hostName')}
        help={t('trust.own.hostNameHelp')}
        value={hostName}
        onChange={setHostName}
        error={fieldError('hostName')}
      />
      {isTooLarge && <Notice tone="bad">{t('trust.own.tooLarge')}</Notice>}
    </FormDialog>
  );
}

function RemoveCertificate({ hostName, onClose }: { hostName: string; onClose: () => void }) {
  const { t } = useWords();
  const refresh = useCertificatesRefresh();
  const remove = useMutation({
    mutationFn: () => client.call('removeOwnCertificate'),
    onSuccess: () => {
      refresh();
      onClose();
    },
  });
  return (
    <FormDialog
      title={t('trust.own.removeTitle')}
      submitLabel={t('trust.own.remove')}
      mutation={remove}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    >
      <p>{t('trust.own.removeEffect', { name: hostName })}</p>
    </FormDialog>
  );
}

export function OwnCertificate({ certificates }: { certificates: Certificates }) {
  const { t, format } = useWords();
  const textOf = useDiagnosticText();
  const [dialog, setDialog] = useState<'set' | 'remove'>();
  const close = () => setDialog(undefined);
  const { own: current } = certificates;
  return (
    <section className={card} aria-label={t('trust.own.title')}>
      <div className={styles.cardHead}>
        <h2>{t('trust.own.title')}</h2>
        <Pill tone={current ? 'good' : 'neutral'}>{t(current ? 'trust.own.inUse' : 'trust.own.none')}</Pill>
      </div>
      <p className={styles.hint}>{t('trust.own.help')}</p>
      {current && (
        <>
          <dl className={styles.facts}>
            <dt>{t('trust.own.address')}</dt>
            <dd className={styles.mono}>{current.url}</dd>
            <dt>{t('trust.own.names')}</dt>
            <dd className={styles.mono}>{current.names.join(', ')}</dd>
            <dt>{t('trust.validUntil')}</dt>
            <dd>{format.moment(current.notAfterTs)}</dd>
          </dl>
          {current.warnings.map((warning) => (
            <Notice key={warning.code ?? warning.message} tone="warn">
              {textOf(warning)}
            </Notice>
          ))}
        </>
      )}
      <div className={styles.actions}>
        <Button onPress={() => setDialog('set')}>{t(current ? 'trust.own.renew' : 'trust.own.set')}</Button>
        {current && <Button onPress={() => setDialog('remove')}>{t('trust.own.remove')}</Button>}
      </div>
      {dialog === 'set' && <SetCertificate onClose={close} />}
      {dialog === 'remove' && current && <RemoveCertificate hostName={current.hostName} onClose={close} />}
    </section>
  );
}
