import { useDiagnosticText } from '../../../shared/i18n/diagnostic-text.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';

const PROBLEMS = ['FILE_DAMAGED', 'DISK_FULL', 'SITE_EXISTS', 'SITE_NEWER', 'BACKUP_ENCRYPTED', 'NOT_FOUND'] as const;

/** Why a restore failed. Other texts of these codes are about imports and the running site. English shows the site's own sentence. */
export function useRestoreProblem(): (error: { code: string; message: string }) => string {
  const { t, language } = useWords();
  const diagnosticText = useDiagnosticText();
  return ({ code, message }) => {
    const known = PROBLEMS.find((problem) => problem === code);
    return known && language !== 'en' ? t(`restores.problems.${known}`) : diagnosticText({ code, message });
  };
}
