import { describe, expect, it } from 'vitest'
import { fold } from '@/lib/rank'
import { decodeCsv, guessTargets, hasName, isSpreadsheet, parseCsv, sampleCsv, twiceUsed, writeCsv } from './csv'

describe('parseCsv', () => {
  it('reads quotes, line breaks in cells, and passes over empty lines', () => {
    expect(parseCsv('\ufeffname,note\r\n"Kaya, Elif","said ""yes""\nand left"\r\n\r\nAli,\r\n')).toEqual({
      header: ['name', 'note'],
      rows: [
        ['Kaya, Elif', 'said "yes"\nand left'],
        ['Ali', ''],
      ],
      lines: [2, 5],
      unclosed: null,
    })
  })

  it('counts the lines of the file, whatever lies between the rows', () => {
    expect(parseCsv('a,b\n\n,\n1,2\n3,4').lines).toEqual([4, 5])
    expect(parseCsv('\n\na,b\n1,2\n').lines).toEqual([4])
  })

  it('passes over rows of empty cells', () => {
    expect(parseCsv('a;b\n;\n1;2\n').rows).toEqual([['1', '2']])
  })

  it('knows a spreadsheet from a text', () => {
    expect(isSpreadsheet(new TextEncoder().encode('PK\u0003\u0004').buffer)).toBe(true)
    expect(isSpreadsheet(new TextEncoder().encode('ad;soyad').buffer)).toBe(false)
  })

  it('finds the separator of the first line', () => {
    expect(parseCsv('a;b\n1,5;2').rows).toEqual([['1,5', '2']])
    expect(parseCsv('a\tb\n1\t2').rows).toEqual([['1', '2']])
  })

  it('says on which line a quotation mark never ends', () => {
    expect(parseCsv('name,emails\nAli,a@x.example\n"Veli,v@x.example\nCan,c@x.example\n').unclosed).toBe(3)
  })

  it('reads the line ends of old systems, and a line that names the separator', () => {
    expect(parseCsv('a,b\r1,2\r3,4\r')).toMatchObject({ rows: [['1', '2'], ['3', '4']], lines: [2, 3] })
    expect(parseCsv('sep=;\r\na;b\r\n1,5;2\r\n')).toMatchObject({ header: ['a', 'b'], rows: [['1,5', '2']], lines: [3] })
  })

  it('reads what a spreadsheet saved as Unicode text', () => {
    const text = '\ufeffAd\tŞehir\n'
    const saved = Uint8Array.from([...text].flatMap((letter) => [letter.charCodeAt(0) & 0xff, letter.charCodeAt(0) >> 8]))
    expect(parseCsv(decodeCsv(saved.buffer)).header).toEqual(['Ad', 'Şehir'])
  })

  it('reads what a Turkish spreadsheet saved', () => {
    const saved = Uint8Array.from([0x41, 0x79, 0xfe, 0x65]) // Ayşe in windows-1254
    expect(decodeCsv(saved.buffer)).toBe('Ayşe')
    expect(decodeCsv(new TextEncoder().encode('Ayşe').buffer)).toBe('Ayşe')
  })
})

describe('guessTargets', () => {
  it('knows other names in both languages, and makes the rest attributes', () => {
    expect(guessTargets(['Ad Soyad', 'E-Posta', 'TELEFON', 'Şirket', 'Plan', ''], fold)).toEqual(['name', 'emails', 'phones', 'company', 'attribute', 'skip'])
    expect(guessTargets(['First name', 'Last Name', 'Email', 'external_id', 'attr:seats'], fold)).toEqual(['first_name', 'last_name', 'emails', 'external_id', 'attribute'])
  })

  it('knows what Turkish offices call them', () => {
    expect(guessTargets(['Müşteri', 'Posta', 'Cep', 'Notlar'], fold)).toEqual(['name', 'emails', 'phones', 'attribute'])
  })

  it('says whether a contact could be named', () => {
    expect(hasName(['attribute', 'tags', 'skip'])).toBe(false)
    expect(hasName(['attribute', 'phones'])).toBe(true)
  })

  it('uses each target once', () => {
    expect(guessTargets(['email', 'e-mail'], fold)).toEqual(['emails', 'attribute'])
    expect(twiceUsed(['emails', 'name', 'emails'])).toEqual(['emails'])
  })
})

describe('writeCsv', () => {
  it('writes the chosen columns under the headings of the server, a record for each', () => {
    const file = parseCsv('E-posta;Plan;Sil\n"a@example.com";"pro, yearly";x\n;;y\n')
    expect(writeCsv(file, ['emails', 'attribute', 'skip'])).toBe('emails,attr:Plan\na@example.com,"pro, yearly"\n,\n')
    expect(writeCsv(parseCsv('Ad,Sil\n,x\nAli,y\n'), ['name', 'skip'])).toBe('name\n""\nAli\n')
  })

  it('leaves the sample as it is', () => {
    const file = parseCsv(sampleCsv)
    expect(writeCsv(file, guessTargets(file.header, fold))).toBe(sampleCsv)
  })
})
