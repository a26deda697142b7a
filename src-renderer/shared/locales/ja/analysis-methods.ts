/** 公表されたカットポイントと非装着の判定法の名称。研究設定と指標で共用する。 */
export const analysisMethods = {
  cutPoints: {
    'hildebrand-adults-wrist-geneactiv': '成人・非利き手首・GENEActiv（Hildebrand 2014, 2017）',
    'hildebrand-adults-wrist-actigraph': '成人・非利き手首・ActiGraph（Hildebrand 2014, 2017）',
    'hildebrand-children-wrist-geneactiv': '7〜11歳・非利き手首・GENEActiv（Hildebrand 2014, 2017）',
    'hildebrand-children-wrist-actigraph': '7〜11歳・非利き手首・ActiGraph（Hildebrand 2014, 2017）',
    'esliger-left-wrist': '40〜65歳・左手首（Esliger 2011）',
    'esliger-right-wrist': '40〜65歳・右手首（Esliger 2011）',
    'migueles-older-wrist': '70歳以上・非利き手首（Migueles 2021）',
    'hildebrand-adults-hip-actigraph': '成人・腰・ActiGraph（Hildebrand 2014, 2017）',
    'hildebrand-adults-hip-geneactiv': '成人・腰・GENEActiv（Hildebrand 2014, 2017）',
    'hildebrand-children-hip-actigraph': '7〜11歳・腰・ActiGraph（Hildebrand 2014, 2017）',
    'hildebrand-children-hip-geneactiv': '7〜11歳・腰・GENEActiv（Hildebrand 2014, 2017）',
    'esliger-waist': '40〜65歳・腰（Esliger 2011）',
    'vaha-ypya-hip': '成人・腰（Vähä-Ypyä 2015）',
    'freedson-adults-hip': '成人・腰（Freedson 1998）',
    'troiano-adults-hip': '成人・腰（Troiano 2008）',
    'sasaki-adults-hip': '成人・腰（Sasaki 2011）',
  },
  nonWear: {
    'van-hees-2013': 'van Hees法（2013）',
    'choi-2011': 'Choi法（2011）',
    'troiano-2008': 'Troiano法（2008）',
  },
  signals: {
    enmo: 'ENMO',
    enmoa: '絶対値ENMO',
    mad: 'MAD',
    axis1: '垂直軸カウント',
    vm3: '3軸合成カウント',
  },
};
