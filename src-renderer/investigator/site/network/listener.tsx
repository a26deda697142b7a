/** The device listener: its state, addresses and port. An administrator switches it on and off and sets the port here. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Network } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { useDiagnosticText } from '../../../shared/i18n/diagnostic-text.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Field, Pill, type Tone } from '../../../shared/kit/controls.tsx';
import { FormDialog, FormProblem, submitOnCtrlEnter, useFieldErrors } from '../../../shared/kit/form-dialog.tsx';
import { panelClass } from '../../../shared/kit/page.tsx';
import { Notice } from '../../../shared/kit/state.tsx';
import { FormFoot } from '../form-foot.tsx';
import styles from '../site.module.css';
import { CheckNetwork } from './check.tsx';

const TONES: Record<Network['state'], Tone> = { listening: 'good', off: 'neutral', failed: 'bad' };

type Wanted = NonNullable<Network['configured']>;

/** Invalidates what the network screen shows after a change to the network or its settings. */
export function useNetworkRefresh(): () => void {
  const queries = useQueryClient();
  return () => {
    void queries.invalidateQueries({ queryKey: ['network'] });
    void queries.invalidateQueries({ queryKey: ['setting'] });
  };
}

function useConfigure(onSuccess?: () => void) {
  const refresh = useNetworkRefresh();
  return useMutation({
    mutationFn: (body: Wanted) => client.call('updateNetwork', { body }),
    onSuccess: () => onSuccess?.(),
    onSettled: refresh,
  });
}

/** Confirms switching the listener off, because that interrupts running uploads. */
function SwitchOff({ port, onClose }: { port: number; onClose: () => void }) {
  const { t } = useWords();
  const save = useConfigure(onClose);
  return (
    <FormDialog
      title={t('network.switchOffTitle')}
      submitLabel={t('network.switchOff')}
      mutation={save}
      onSubmit={() => save.mutate({ isOn: false, port })}
      onClose={onClose}
    >
      <p>{t('network.switchOffEffect')}</p>
    </FormDialog>
  );
}

function Port({ network, configured }: { network: Network; configured: Wanted }) {
  const { t } = useWords();
  const [text, setText] = useState(String(configured.port));
  const save = useConfigure();
  const fieldError = useFieldErrors(save.error);
  const isOther = network.port !== undefined && network.port !== configured.port;
  return (
    <form
      noValidate
      className={styles.form}
      aria-label={t('network.portForm')}
      onKeyDown={submitOnCtrlEnter}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        save.mutate({ isOn: configured.isOn, port: Number(text) });
      }}
    >
      <Field
        label={t('network.port')}
        type="number"
        value={text}
        onChange={setText}
        help={t('network.portHelp')}
        error={fieldError('port')}
      />
      {isOther && <Notice tone="info">{t('network.portAtStart', { port: String(network.port) })}</Notice>}
      <FormProblem error={save.error} />
      <FormFoot submitLabel={t('network.savePort')} save={save} />
    </form>
  );
}

export function Listener({ network }: { network: Network }) {
  const { t } = useWords();
  const diagnosticText = useDiagnosticText();
  const { configured, isAllowed, state } = network;
  const [isSwitchingOff, setSwitchingOff] = useState(false);
  const switchOn = useConfigure();
  return (
    <section className={`${panelClass} ${styles.card}`} aria-label={t('network.listener')}>
      <div className={styles.cardHead}>
        <h2>{t('network.listener')}</h2>
        <Pill tone={TONES[state]}>{t(`network.state.${state}`)}</Pill>
      </div>
      <p className={styles.hint}>{t('network.listenerHelp')}</p>
      {state === 'off' && <Notice tone="info">{t(isAllowed ? 'network.offHelp' : 'network.notAllowed')}</Notice>}
      {network.problem && <Notice tone="bad">{diagnosticText(network.problem)}</Notice>}
      <dl className={styles.facts}>
        <dt>{t('network.computer')}</dt>
        <dd>{network.computerName}</dd>
        <dt>{t('network.name')}</dt>
        <dd>{network.name ?? t('network.noName')}</dd>
        <dt>{t('network.addresses')}</dt>
        <dd className={styles.mono}>
          {network.urls.length === 0 ? t('network.noAddress') : network.urls.map((url) => <div key={url}>{url}</div>)}
        </dd>
        <dt>{t('network.discovery')}</dt>
        <dd>{t(`network.discoveries.${network.discovery ?? 'off'}`)}</dd>
      </dl>
      {state === 'listening' && <CheckNetwork />}
      {configured && <Port key={configured.port} network={network} configured={configured} />}
      <FormProblem error={switchOn.error} />
      {configured && (
        <div className={styles.actions}>
          {configured.isOn && state !== 'failed' ? (
            <Button onPress={() => setSwitchingOff(true)}>{t('network.switchOff')}</Button>
          ) : (
            <Button
              kind="primary"
              isDisabled={switchOn.isPending}
              onPress={() => switchOn.mutate({ isOn: true, port: configured.port })}
            >
              {t(state === 'failed' ? 'network.tryAgain' : 'network.switchOn')}
            </Button>
          )}
        </div>
      )}
      {isSwitchingOff && configured && <SwitchOff port={configured.port} onClose={() => setSwitchingOff(false)} />}
    </section>
  );
}
