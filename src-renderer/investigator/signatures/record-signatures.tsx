/** One record of a list: whether it is signed and whether that still holds, and a dialog with its signatures that adds one. */
import { lazy, Suspense, useState } from 'react';
import type { Signature } from '../../../src-server/api/contract/index.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import type { SignTarget } from '../../shared/api/signature-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';

const SignaturesDialog = lazy(async () => ({ default: (await import('./signatures-dialog.tsx')).SignaturesDialog }));

/** The state that a record with several signatures shows: the worst. */
const ORDER = ['gone', 'changed', 'current'] as const;
const KEYS = {
  gone: 'signatures.short.gone',
  changed: 'signatures.short.changed',
  current: 'signatures.signed',
} as const;

export function RecordSignatures({
  studyId,
  target,
  name,
  signatures,
}: {
  studyId: string;
  target: SignTarget;
  name: string;
  /** Undefined while they are read. */
  signatures: readonly Signature[] | undefined;
}) {
  const { t } = useWords();
  const maySign = usePermissions()('record.sign', studyId);
  const [isOpen, setOpen] = useState(false);
  const state = ORDER.find((one) => signatures?.some((signature) => signature.state === one));
  if (!signatures || (!state && !maySign)) return null;
  const label = t(state ? KEYS[state] : 'signatures.sign');
  return (
    <>
      <Button
        small
        icon={state === undefined ? 'pencil' : state === 'current' ? 'check' : 'alert'}
        aria-label={state ? t('signatures.stateOf', { state: label, name }) : t('signatures.signTitle', { name })}
        onPress={() => setOpen(true)}
      >
        {label}
      </Button>
      <Suspense>
        {isOpen && (
          <SignaturesDialog
            {...{ studyId, target, name }}
            startsSigning={state === undefined}
            onClose={() => setOpen(false)}
          />
        )}
      </Suspense>
    </>
  );
}
