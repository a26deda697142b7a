/**
 * Questionnaires whose licence allows a study to use them without asking, word for word, with their scoring. Instruments that need a
 * permission or a fee are not here. A translation is here only where its publisher's wording is known; nothing is translated by us.
 */

export type QuestionnaireLanguage = 'en' | 'ja';

export interface QuestionnaireItem {
  /** As asked, below the stem. */
  text: string;
  choices: readonly string[];
  /** Points of each choice; null for an item that is asked but not scored. */
  points: readonly number[] | null;
}

export interface Questionnaire {
  /** Of the instrument and the language of its wording, such as `phq-9.en`. */
  id: string;
  name: string;
  language: QuestionnaireLanguage;
  /** What it asks about, in its language. */
  about: string;
  stem: string;
  items: readonly QuestionnaireItem[];
  /** The score is the sum of the points times this. */
  factor: number;
  /** How many answers may be missing; they count as the mean of the given ones. */
  mostMissing: number;
  /** Who holds the rights, and what is allowed. */
  licence: string;
  /** Publication of the instrument and of its scoring. */
  source: string;
  /** What a study must know before it uses it. */
  caution?: string;
}

/** Frequency of the PHQ family. */
const FREQUENCY = ['Not at all', 'Several days', 'More than half the days', 'Nearly every day'] as const;
const FREQUENCY_POINTS = [0, 1, 2, 3] as const;
const PHQ_STEM = 'Over the last 2 weeks, how often have you been bothered by any of the following problems?';
const PHQ_LICENCE =
  'Public domain. Developed by Drs. Robert L. Spitzer, Janet B.W. Williams, Kurt Kroenke and colleagues, with an educational grant from Pfizer Inc. No permission required to reproduce, translate, display or distribute.';
const PHQ_MISSING = 'Missing answers: Kroenke et al., Gen Hosp Psychiatry 2010;32:345.';

const frequencyItem = (text: string): QuestionnaireItem => ({ text, choices: FREQUENCY, points: FREQUENCY_POINTS });

const DEPRESSION = [
  'Little interest or pleasure in doing things',
  'Feeling down, depressed, or hopeless',
  'Trouble falling or staying asleep, or sleeping too much',
  'Feeling tired or having little energy',
  'Poor appetite or overeating',
  'Feeling bad about yourself — or that you are a failure or have let yourself or your family down',
  'Trouble concentrating on things, such as reading the newspaper or watching television',
  'Moving or speaking so slowly that other people could have noticed? Or the opposite — being so fidgety or restless that you have been moving around a lot more than usual',
  'Thoughts that you would be better off dead or of hurting yourself in some way',
].map(frequencyItem);

const ANXIETY = [
  'Feeling nervous, anxious or on edge',
  'Not being able to stop or control worrying',
  'Worrying too much about different things',
  'Trouble relaxing',
  'Being so restless that it is hard to sit still',
  'Becoming easily annoyed or irritable',
  'Feeling afraid as if something awful might happen',
].map(frequencyItem);

/** Asked after the PHQ-9, and no part of its score. */
const DIFFICULTY: QuestionnaireItem = {
  text: 'If you checked off any problems, how difficult have these problems made it for you to do your work, take care of things at home, or get along with other people?',
  choices: ['Not difficult at all', 'Somewhat difficult', 'Very difficult', 'Extremely difficult'],
  points: null,
};

const WHO_POINTS = [5, 4, 3, 2, 1, 0] as const;
const WHO_LICENCE =
  '© World Health Organization. Licence: CC BY-NC-SA 3.0 IGO. Free for non-commercial use with attribution; what is made from it carries the same licence.';
const WHO_SOURCE =
  'The World Health Organization-Five Well-Being Index (WHO-5). Geneva: World Health Organization; 2024. Scoring: Topp et al., Psychother Psychosom 2015;84:167.';

export const QUESTIONNAIRES: readonly Questionnaire[] = [
  {
    id: 'phq-9.en',
    name: 'PHQ-9',
    language: 'en',
    about: 'Depressive symptoms over two weeks',
    stem: PHQ_STEM,
    items: [...DEPRESSION, DIFFICULTY],
    factor: 1,
    mostMissing: 2,
    licence: PHQ_LICENCE,
    source: `Kroenke et al., J Gen Intern Med 2001;16:606. ${PHQ_MISSING}`,
    caution:
      'Question 9 asks about thoughts of self-harm. Outpost does not watch answers: the protocol must say who reads them, and when. The PHQ-8 leaves the question out.',
  },
  {
    id: 'phq-8.en',
    name: 'PHQ-8',
    language: 'en',
    about: 'Depressive symptoms over two weeks, without the question about self-harm',
    stem: PHQ_STEM,
    items: DEPRESSION.slice(0, 8),
    factor: 1,
    mostMissing: 2,
    licence: PHQ_LICENCE,
    source: `Kroenke et al., J Affect Disord 2009;114:163. ${PHQ_MISSING}`,
  },
  {
    id: 'phq-2.en',
    name: 'PHQ-2',
    language: 'en',
    about: 'Depressive symptoms over two weeks, two questions',
    stem: PHQ_STEM,
    items: DEPRESSION.slice(0, 2),
    factor: 1,
    mostMissing: 0,
    licence: PHQ_LICENCE,
    source: 'Kroenke et al., Med Care 2003;41:1284.',
  },
  {
    id: 'gad-7.en',
    name: 'GAD-7',
    language: 'en',
    about: 'Anxiety over two weeks',
    stem: PHQ_STEM,
    items: ANXIETY,
    factor: 1,
    mostMissing: 2,
    licence: PHQ_LICENCE,
    source: `Spitzer et al., Arch Intern Med 2006;166:1092. ${PHQ_MISSING}`,
  },
  {
    id: 'gad-2.en',
    name: 'GAD-2',
    language: 'en',
    about: 'Anxiety over two weeks, two questions',
    stem: PHQ_STEM,
    items: ANXIETY.slice(0, 2),
    factor: 1,
    mostMissing: 0,
    licence: PHQ_LICENCE,
    source: 'Kroenke et al., Ann Intern Med 2007;146:317.',
  },
  {
    id: 'who-5.en',
    name: 'WHO-5',
    language: 'en',
    about: 'Well-being over two weeks',
    stem: 'Please indicate for each of the five statements which is closest to how you have been feeling over the last two weeks.',
    items: [
      'I have felt cheerful and in good spirits',
      'I have felt calm and relaxed',
      'I have felt active and vigorous',
      'I woke up feeling fresh and rested',
      'My daily life has been filled with things that interest me',
    ].map((text) => ({
      text,
      choices: [
        'All of the time',
        'Most of the time',
        'More than half of the time',
        'Less than half of the time',
        'Some of the time',
        'At no time',
      ],
      points: WHO_POINTS,
    })),
    factor: 4,
    mostMissing: 0,
    licence: WHO_LICENCE,
    source: WHO_SOURCE,
  },
  {
    id: 'who-5.ja',
    name: 'WHO-5',
    language: 'ja',
    about: '最近2週間の精神的健康状態',
    stem: '最近2週間のあなたの状態に最も近いものに印をつけてください。',
    items: [
      '明るく、楽しい気分で過ごした。',
      '落ち着いた、リラックスした気分で過ごした。',
      '意欲的で、活動的に過ごした。',
      'ぐっすりと休め、気持ちよくめざめた。',
      '日常生活の中に、興味のあることがたくさんあった。',
    ].map((text) => ({
      text,
      choices: ['いつも', 'ほとんどいつも', '半分以上の期間を', '半分以下の期間を', 'ほんのたまに', 'まったくない'],
      points: WHO_POINTS,
    })),
    factor: 4,
    mostMissing: 0,
    licence: WHO_LICENCE,
    source: `${WHO_SOURCE} Japanese: WHO-5-J, Awata et al., Int Psychogeriatr 2007;19:77.`,
  },
];

/** The text of an item as a question: the stem above it, because a phone shows one question at a time. */
export const questionTextOf = ({ stem }: Pick<Questionnaire, 'stem'>, { text }: Pick<QuestionnaireItem, 'text'>) =>
  `${stem}\n\n${text}`;
