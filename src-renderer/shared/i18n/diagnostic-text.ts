/** Sentences that the site composed and kept (why a mail failed, what a check found), in the reader's language. */
import { useCallback } from 'react';
import type { Diagnostic } from '../../../src-server/api/contract/index.ts';
import { DIAGNOSTICS, type DiagnosticCode } from '../../../src-server/diagnostics.ts';
import { isKnownError } from '../kit/state.tsx';
import type { Format } from './format.ts';
import { useWords } from './i18n.ts';

const isDiagnostic = (code: string): code is DiagnosticCode => Object.hasOwn(DIAGNOSTICS, code);

function shownFacts(facts: Diagnostic['facts'], format: Format): Record<string, string> {
  return Object.fromEntries(
    Object.entries(facts ?? {}).map(([name, value]) => {
      if (typeof value === 'number') return [name, format.number(value)];
      return [name, name === 'date' ? format.date(value) : value];
    }),
  );
}

/**
 * The site's own sentence is English and may say more than our words of its code, so English keeps it. In another language
 * what has no code, as it is older than codes, stands as a quotation.
 */
export function useDiagnosticText(): (said: Diagnostic) => string {
  const { t, format, language } = useWords();
  return useCallback(
    ({ message, code, facts }) => {
      if (language === 'en') return message;
      if (code !== undefined && isDiagnostic(code))
        return t(`diagnostics.${code}`, { replace: shownFacts(facts, format) });
      if (code !== undefined && isKnownError(code)) return t(`errors.${code}`);
      return t('state.untranslated', { message });
    },
    [t, format, language],
  );
}

/** Several of them, each once: one damaged file can be told of in many ways that read alike. */
export function useDiagnosticTexts(): (list: readonly Diagnostic[]) => string[] {
  const said = useDiagnosticText();
  return useCallback((list) => [...new Set(list.map(said))], [said]);
}
