/** The columns that the server reads, in the order of its export. */
export const columns = [
  'external_id',
  'kind',
  'name',
  'first_name',
  'last_name',
  'emails',
  'phones',
  'company',
  'language',
  'timezone',
  'country',
  'tags',
] as const
export type Column = (typeof columns)[number]

/** The target of a column: a field of the contact, an attribute of the same name, or none. */
export type Target = Column | 'attribute' | 'skip'

export interface CsvFile {
  header: string[]
  rows: string[][]
  /** The line of the file on which each row starts. */
  lines: number[]
  /**
   * The line on which an unterminated quoted cell starts: what follows cannot be split into cells.
   */
  unclosed: number | null
}

/** Decodes a file as UTF-8 or UTF-16, or else as windows-1254, which Turkish spreadsheets use. */
export function decodeCsv(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes.slice(0, 2))
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1254').decode(bytes)
  }
}

/**
 * Parses cells separated by comma, semicolon or tab; quoted cells may contain all of them, and line
 * breaks. Empty lines are skipped, and so is a first line that names the separator (`sep=;`).
 */
export function parseCsv(text: string): CsvFile {
  const whole = text.replace(/^\ufeff/, '').replaceAll(/\r\n?/g, '\n')
  const named = /^sep=(.)\n/i.exec(whole)
  // Its line break stays, so that lines are counted as in the file.
  const content = named ? whole.slice(named[0].length - 1) : whole
  const separator = named?.[1] ?? separatorOf(content)
  const records: string[][] = []
  const lines: number[] = []
  let record: string[] = []
  let line = 1
  let began = 1
  let cell = ''
  let quoted = false
  let opened = 1
  const endCell = () => {
    record.push(cell)
    cell = ''
  }
  const endRecord = () => {
    endCell()
    if (record.some((one) => one.trim() !== '')) {
      records.push(record)
      lines.push(began)
    }
    record = []
  }
  for (let at = 0; at < content.length; at += 1) {
    const letter = content[at]
    if (letter === '\n') line += 1
    if (quoted) {
      if (letter !== '"') cell += letter
      else if (content[at + 1] === '"') {
        cell += '"'
        at += 1
      } else quoted = false
    } else if (letter === '"' && cell === '') {
      quoted = true
      opened = line
    } else if (letter === separator) endCell()
    else if (letter === '\n') {
      endRecord()
      began = line
    } else cell += letter
  }
  if (cell !== '' || record.length > 0) endRecord()
  const [header = [], ...rows] = records
  return { header: header.map((heading) => heading.trim()), rows, lines: lines.slice(1), unclosed: quoted ? opened : null }
}

function separatorOf(content: string): string {
  const first = content.slice(0, content.indexOf('\n') >= 0 ? content.indexOf('\n') : undefined)
  const counts = [',', ';', '\t'].map((sign) => ({ sign, count: first.split(sign).length }))
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).sign
}

/** Other names that people and systems use for the columns, in lower case without marks. */
const aliases: Record<string, Column> = {
  id: 'external_id',
  'musteri no': 'external_id',
  'musteri numarasi': 'external_id',
  'customer id': 'external_id',
  tur: 'kind',
  type: 'kind',
  'ad soyad': 'name',
  'adi soyadi': 'name',
  isim: 'name',
  musteri: 'name',
  'musteri adi': 'name',
  customer: 'name',
  contact: 'name',
  'full name': 'name',
  ad: 'first_name',
  adi: 'first_name',
  'first name': 'first_name',
  soyad: 'last_name',
  soyadi: 'last_name',
  'last name': 'last_name',
  surname: 'last_name',
  email: 'emails',
  'e-mail': 'emails',
  mail: 'emails',
  'e-posta': 'emails',
  eposta: 'emails',
  posta: 'emails',
  'e-posta adresi': 'emails',
  'e-mail addresses': 'emails',
  'email address': 'emails',
  phone: 'phones',
  'phone number': 'phones',
  'phone numbers': 'phones',
  mobile: 'phones',
  telefon: 'phones',
  tel: 'phones',
  gsm: 'phones',
  cep: 'phones',
  'cep no': 'phones',
  'cep telefonu': 'phones',
  'telefon no': 'phones',
  'telefon numarasi': 'phones',
  sirket: 'company',
  firma: 'company',
  organization: 'company',
  dil: 'language',
  ulke: 'country',
  tag: 'tags',
  etiket: 'tags',
  etiketler: 'tags',
}

const attribute = 'attr:'

/**
 * Guesses the target of each column; each field is assigned once, and unknown columns become
 * attributes.
 */
export function guessTargets(header: readonly string[], fold: (text: string) => string): Target[] {
  const taken = new Set<Target>()
  return header.map((heading) => {
    const plain = fold(heading).trim()
    const known = columns.find((column) => column === plain) ?? aliases[plain.replaceAll('_', ' ')]
    if (known && !taken.has(known)) {
      taken.add(known)
      return known
    }
    return heading === '' ? 'skip' : 'attribute'
  })
}

/** Reports whether some column identifies a contact: an attribute neither names nor finds one. */
export function hasName(targets: readonly Target[]): boolean {
  return targets.some((target) => naming.has(target))
}

const naming: ReadonlySet<Target> = new Set(['external_id', 'name', 'first_name', 'last_name', 'emails', 'phones', 'company'])

/** Reports whether a file is a zip archive, as Excel and OpenDocument files are. */
export function isSpreadsheet(bytes: ArrayBuffer): boolean {
  const [first, second] = new Uint8Array(bytes.slice(0, 2))
  return first === 0x50 && second === 0x4b
}

/** Returns the fields to which more than one column goes. */
export function twiceUsed(targets: readonly Target[]): Column[] {
  return columns.filter((column) => targets.filter((target) => target === column).length > 1)
}

function quote(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/**
 * Writes the file in the server's format: the chosen columns under its own headings, one record per
 * record of the file.
 */
export function writeCsv({ header, rows }: CsvFile, targets: readonly Target[]): string {
  const kept = targets.flatMap((target, at) => (target === 'skip' ? [] : [{ at, heading: target === 'attribute' ? headingOf(header[at] ?? '') : target }]))
  const lines = [kept.map(({ heading }) => heading), ...rows.map((row) => kept.map(({ at }) => row[at] ?? ''))]
  // A record of one empty cell would be skipped, which would shift the number of every row after
  // it.
  return lines.map((line) => (line.length === 1 && line[0] === '' ? '""' : line.map(quote).join(','))).join('\n') + '\n'
}

function headingOf(heading: string): string {
  return heading.toLowerCase().startsWith(attribute) ? heading : `${attribute}${heading}`
}

/** A small example file with the server's own headings. */
export const sampleCsv = [
  'external_id,kind,name,emails,phones,company,tags,attr:plan',
  'c-1001,customer,Elif Kaya,elif@example.com,+905321234567,Kaya Ltd.,vip;bayi,pro',
  'c-1002,lead,Barış Koç,baris@example.com;b.koc@example.com,,,,',
  '',
].join('\n')
