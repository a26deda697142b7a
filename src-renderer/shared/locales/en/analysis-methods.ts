/** Names of published cut points and of rules of non-wear, shared by the definition of a study and the metrics. */
export const analysisMethods = {
  cutPoints: {
    'hildebrand-adults-wrist-geneactiv': 'Adults, non-dominant wrist, GENEActiv (Hildebrand 2014, 2017)',
    'hildebrand-adults-wrist-actigraph': 'Adults, non-dominant wrist, ActiGraph (Hildebrand 2014, 2017)',
    'hildebrand-children-wrist-geneactiv': 'Children 7–11 years, non-dominant wrist, GENEActiv (Hildebrand 2014, 2017)',
    'hildebrand-children-wrist-actigraph': 'Children 7–11 years, non-dominant wrist, ActiGraph (Hildebrand 2014, 2017)',
    'esliger-left-wrist': 'Adults 40–65 years, left wrist (Esliger 2011)',
    'esliger-right-wrist': 'Adults 40–65 years, right wrist (Esliger 2011)',
    'migueles-older-wrist': 'Adults from 70 years, non-dominant wrist (Migueles 2021)',
    'hildebrand-adults-hip-actigraph': 'Adults, hip, ActiGraph (Hildebrand 2014, 2017)',
    'hildebrand-adults-hip-geneactiv': 'Adults, hip, GENEActiv (Hildebrand 2014, 2017)',
    'hildebrand-children-hip-actigraph': 'Children 7–11 years, hip, ActiGraph (Hildebrand 2014, 2017)',
    'hildebrand-children-hip-geneactiv': 'Children 7–11 years, hip, GENEActiv (Hildebrand 2014, 2017)',
    'esliger-waist': 'Adults 40–65 years, waist (Esliger 2011)',
    'vaha-ypya-hip': 'Adults, hip (Vähä-Ypyä 2015)',
    'freedson-adults-hip': 'Adults, hip (Freedson 1998)',
    'troiano-adults-hip': 'Adults, hip (Troiano 2008)',
    'sasaki-adults-hip': 'Adults, hip (Sasaki 2011)',
  },
  nonWear: {
    'van-hees-2013': 'van Hees 2013',
    'choi-2011': 'Choi 2011',
    'troiano-2008': 'Troiano 2008',
  },
  signals: {
    enmo: 'ENMO',
    enmoa: 'absolute ENMO',
    mad: 'MAD',
    axis1: 'vertical counts',
    vm3: 'vector magnitude counts',
  },
};
