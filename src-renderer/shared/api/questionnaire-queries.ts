/** What a study can begin with, as query options. Both come with the program and never change while it runs. */
import { queryOptions } from '@tanstack/react-query';
import type { Language } from '../i18n/languages.ts';
import { client } from './client.ts';

export const questionnairesQuery = () =>
  queryOptions({
    queryKey: ['questionnaires'],
    queryFn: ({ signal }) => client.call('listQuestionnaires', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const studyTemplatesQuery = (language: Language) =>
  queryOptions({
    queryKey: ['studyTemplates', language],
    queryFn: ({ signal }) => client.call('listStudyTemplates', { query: { language }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
