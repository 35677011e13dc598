import { addYears } from '@attestor/rules/readings'
import type { Layout } from '../print/layouts.ts'
import { type CardDesign, type CardHolder, inventNumber } from '../synthetic/national_card.ts'
import { seeded } from '../synthetic/random.ts'

/** Surnames and given names that are common in a state; `|` is a space within a name. */
const names: Readonly<Record<string, readonly [last: string, first: string]>> = {
  AU: [
    'CITIZEN WALKER NGUYEN O’BRIEN SMITH-JONES D’ANGELO DE|SILVA MACINTYRE',
    'JANE LACHLAN EMMA OLIVER ISLA MATILDA',
  ],
  BD: ['RAHMAN AKTER HOSSAIN BEGUM CHOWDHURY', 'MOHAMMAD RAHIMA KAMAL NASRIN FARHANA'],
  BR: ['OLIVEIRA GONÇALVES ARAÚJO DA|SILVA CONCEIÇÃO D’ÁVILA', 'LUCAS JOÃO MARIA ANDRÉ LETÍCIA FABRÍCIO'],
  CN: ['王 李 张 刘 陈 杨 赵 黄', '伟 芳 秀英 志强 丽 建国 桂兰 晓明'],
  GH: ['MENSAH OWUSU BOATENG OSEI-TUTU OPPONG', 'KOFI AMA KWAME ABENA YAW EFUA'],
  HK: ['CHAN LEUNG WONG CHEUNG AU-YEUNG HO', 'Tai Wing Ching Siu Ka Man Ho'],
  ID: ['SETIAWAN WIBOWO SANTOSO PRATAMA HIDAYAT NUGROHO', 'BUDI SITI DEWI AGUS RINA BAMBANG PUTRI'],
  IN: ['SHARMA PATEL KUMAR SINGH REDDY IYER D’SOUZA MENON', 'RAVI PRIYA ANITA VIJAY SUNITA ARJUN KAVITA'],
  KE: ['KAMAU OTIENO WANJIKU MUTUA CHEBET', 'JANE PETER FAITH BRIAN AKINYI'],
  MY: ['HASSAN ISMAIL RAHMAN ABDULLAH YUSOF', 'AMINAH FARID SITI AHMAD NURUL AZLAN'],
  NG: ['OKAFOR ADEBAYO BELLO OKONKWO EZE IBRAHIM', 'CHIDI AMINA FUNKE EMEKA NGOZI MUSA'],
  NZ: ['WILLIAMS TE|WIATA PARATA SINGH O’CONNOR', 'ARIA MIKAERE SOPHIE NIKAU GEORGE'],
  PH: ['DELA|CRUZ SANTOS REYES GARCIA BAUTISTA MENDOZA VILLANUEVA', 'JUANA MARIA JOSE ANGELO KRISTINE PAOLO'],
  PK: ['KHAN AHMED MALIK HUSSAIN UL-HAQ', 'SANA ALI FATIMA BILAL AYESHA'],
  SG: ['TAN LIM BIN|YUSOF RAJAN D’CRUZ', 'WEI MING HUI LING PRIYA JUN'],
  TH: ['SRISAWAT CHAIYASIT WONGSAKUL PHROMSIRI SUKJAI', 'SOMCHAI SUDA ANONG KITTI MALEE PRASERT'],
  VN: ['NGUYỄN TRẦN PHẠM HOÀNG VŨ ĐẶNG BÙI ĐỖ', 'VĂN THỊ MINH HỒNG QUỐC THÚY ĐỨC NGỌC'],
  ZA: ['DLAMINI NKOSI BOTHA NAIDOO MOKOENA VAN|WYK', 'THABO LERATO PIETER NOMSA SIPHO ANNELIE'],
}

function dayOf(year: number, n: number): string {
  return new Date(Date.UTC(year, 0, 1 + n)).toISOString().slice(0, 10)
}

/** Invents the holder of a card. The same seed gives the same one. */
export function inventHolder(design: CardDesign, { country, isChecked }: Layout, seed: number): CardHolder {
  const random = seeded(seed)
  const pick = (list: string): string => {
    const all = list.split(' ')
    return (all[random.below(all.length)] ?? '').replaceAll('|', ' ')
  }
  const [last, first] = names[country] ?? ['', '']
  // Everybody is of age on the day of issue.
  const date_of_birth = dayOf(1950 + random.below(50), random.below(365))
  const issue_date = dayOf(2020 + random.below(5), random.below(365))
  const last_name = pick(last)
  const [one, two] = [pick(first), pick(first)]
  return {
    last_name,
    first_name: one === two ? one : `${one} ${two}`,
    own_name: `${last_name}${one}`,
    date_of_birth,
    issue_date,
    expiry_date: addYears(issue_date, 10),
    document_number: inventNumber(design, date_of_birth, random, isChecked),
  }
}
