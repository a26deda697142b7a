/** Stored diagnostics of the site (why a mail failed, what a check found) in the reader's language. */
import { useCallback } from 'react';
import type { Diagnostic } from '../../../src-server/api/contract/index.ts';
import { DIAGNOSTICS, type DiagnosticCode } from '../../../src-server/diagnostics.ts';
import { isKnownError } from '../kit/state.tsx';
import type { Format } from './format.ts';
import { useWords } from './i18n.ts';

const isDiagnostic = (code: string): code is DiagnosticCode => Object.hasOwn(DIAGNOSTICS, code);

function formatFacts(facts: Diagnostic['facts'], format: Format): Record<string, string> {
  return Object.fromEntries(
    Object.entries(facts ?? {}).map(([name, value]) => {
      if (typeof value === 'number') return [name, format.number(value)];
      return [name, name === 'date' ? format.date(value) : value];
    }),
  );
}

/**
 * English shows the site's own sentence, which may be more specific than the text of its code. Another language translates the
 * code, and quotes the English sentence of an old diagnostic without a code.
 */
export function useDiagnosticText(): (diagnostic: Diagnostic) => string {
  const { t, format, language } = useWords();
  return useCallback(
    ({ message, code, facts }) => {
      if (language === 'en') return message;
      if (code !== undefined && isDiagnostic(code))
        return t(`diagnostics.${code}`, { replace: formatFacts(facts, format) });
      if (code !== undefined && isKnownError(code)) return t(`errors.${code}`);
      return t('state.untranslated', { message });
    },
    [t, format, language],
  );
}

/** Several diagnostics without repeats: one damaged file can cause many that read alike. */
export function useDiagnosticTexts(): (list: readonly Diagnostic[]) => string[] {
  const textOf = useDiagnosticText();
  return useCallback((list) => [...new Set(list.map(textOf))], [textOf]);
}
