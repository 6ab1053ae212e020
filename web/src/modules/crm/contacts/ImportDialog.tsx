import { Download } from 'lucide-react'
import { useState } from 'react'
import { asApiError } from '@/api/error'
import { codeText, errorText } from '@/api/message'
import { formatNumber, useI18n, type PlainKey } from '@/i18n'
import { fold } from '@/lib/rank'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Field } from '@/ui/Field'
import { FileInput } from '@/ui/FileInput'
import { Notice } from '@/ui/Notice'
import { Select } from '@/ui/Select'
import { contactTexts } from './contactTexts'
import { useImport, useImportErrors, useStartImport, type ContactImport } from './contacts'
import { columns, decodeCsv, guessTargets, hasName, isSpreadsheet, parseCsv, sampleCsv, twiceUsed, writeCsv, type Column, type CsvFile, type Target } from './csv'

const columnNames: Record<Column, PlainKey> = {
  external_id: 'contacts.externalId',
  kind: 'contacts.kind',
  name: 'contacts.name',
  first_name: 'contacts.firstName',
  last_name: 'contacts.lastName',
  emails: 'contacts.emails',
  phones: 'contacts.phones',
  company: 'contacts.company',
  language: 'contacts.language',
  timezone: 'contacts.timezone',
  country: 'contacts.country',
  tags: 'inbox.tags',
}

const fileTexts: Record<string, PlainKey> = {
  invalid_character: 'contacts.file.encoding',
  invalid_csv: 'contacts.file.invalid',
  too_many_rows: 'contacts.file.tooMany',
  empty: 'contacts.file.empty',
  unknown_column: 'contacts.file.column',
}

/** The errors of a row, beyond those of the contact form. */
const rowTexts: Record<string, PlainKey> = {
  ...contactTexts,
  not_allowed: 'contacts.row.kind',
  too_many: 'contacts.row.tooMany',
  too_large: 'contacts.row.tooLarge',
  limit_reached: 'contacts.row.tooMany',
  conflict: 'contacts.taken',
  invalid_name: 'contacts.row.attributeName',
  invalid_character: 'contacts.file.encoding',
}

const largest = 16 * 1024 * 1024
const previewed = 3

interface Chosen {
  name: string
  file: CsvFile
  targets: Target[]
}

/** Reads a file here and maps its columns to fields; a job on the server then imports it. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const { t, tCount } = useI18n()
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  const start = useStartImport()
  const id = start.data?.id ?? null
  const progress = useImport(id)
  const current = progress.data ?? start.data
  const twice = chosen ? twiceUsed(chosen.targets) : []
  const nameless = chosen !== null && !hasName(chosen.targets)

  async function choose(picked: File | null) {
    start.reset()
    setChosen(null)
    if (!picked) return
    if (picked.size > largest) return setFault(t('contacts.file.tooLarge'))
    const bytes = await picked.arrayBuffer()
    if (isSpreadsheet(bytes)) return setFault(t('contacts.file.spreadsheet'))
    const file = parseCsv(decodeCsv(bytes))
    if (file.unclosed !== null) return setFault(t('contacts.file.unclosed', { line: file.unclosed }))
    if (file.rows.length === 0) return setFault(t('contacts.file.empty'))
    setFault(null)
    setChosen({ name: picked.name, file, targets: guessTargets(file.header, fold) })
  }

  function submit() {
    if (!chosen) return setFault(t('field.required'))
    if (twice.length === 0 && !nameless) start.mutate({ filename: chosen.name, content: writeCsv(chosen.file, chosen.targets) })
  }

  const refused = asApiError(start.error)
  const code = refused?.fields.file?.[0]
  const said = code ? [fileTexts[code] ? t(fileTexts[code]) : codeText(code), refused?.reason].filter(Boolean).join(' ') : ''
  return (
    <Dialog
      open
      wide
      asks={!current}
      onOpenChange={onClose}
      title={t('contacts.import')}
      description={t('contacts.importLead')}
      footer={
        current ? (
          <Button look="primary" onClick={onClose}>
            {t('common.close')}
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>{t('common.cancel')}</Button>
            <Button look="primary" busy={start.isPending} disabled={twice.length > 0 || nameless} onClick={submit}>
              {chosen ? tCount('contacts.importRows', chosen.file.rows.length) : t('contacts.importAction')}
            </Button>
          </>
        )
      }
    >
      {start.error && (
        <Notice tone="danger" className="mb-4">
          {said || errorText(start.error)}
        </Notice>
      )}
      {current ? (
        <Progress value={current} chosen={chosen} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            submit()
          }}
        >
          <Field label={t('contacts.file')} hint={t('contacts.fileHint')} error={fault}>
            <FileInput accept=".csv,text/csv" onChange={(picked) => void choose(picked)} />
          </Field>
          {!chosen && <SampleLink />}
          {chosen && <Mapping chosen={chosen} twice={twice} nameless={nameless} onChange={(targets) => setChosen({ ...chosen, targets })} />}
        </form>
      )}
      {progress.error && (
        <Notice tone="danger" className="mt-4">
          {errorText(progress.error)}
        </Notice>
      )}
    </Dialog>
  )
}

function SampleLink() {
  const { t } = useI18n()
  return (
    <a
      href={`data:text/csv;charset=utf-8,${encodeURIComponent(sampleCsv)}`}
      download="contacts-sample.csv"
      className="mt-3 inline-flex min-h-6 items-center gap-1.5 text-sm font-medium text-accent-ink hover:underline"
    >
      <Download aria-hidden className="size-4" />
      {t('contacts.sample')}
    </a>
  )
}

interface MappingProps {
  chosen: Chosen
  twice: readonly Column[]
  nameless: boolean
  onChange: (targets: Target[]) => void
}

/** Each column of the file with its first values and its target. */
function Mapping({ chosen: { file, targets }, twice, nameless, onChange }: MappingProps) {
  const { t } = useI18n()
  return (
    <section aria-labelledby="mapping-title" className="mt-5">
      <h3 id="mapping-title" className="mb-2 text-sm font-semibold">
        {t('contacts.mapping')}
      </h3>
      {nameless && (
        <Notice tone="danger" className="mb-3">
          {t('contacts.mapping.nameless')}
        </Notice>
      )}
      {twice.map((column) => (
        <Notice key={column} tone="danger" className="mb-3">
          {t('contacts.mapping.twice', { column: t(columnNames[column]) })}
        </Notice>
      ))}
      <ul className="divide-y divide-line rounded-lg border border-line">
        {file.header.map((heading, at) => (
          <li key={at} className="grid items-center gap-x-4 gap-y-1.5 px-3 py-2.5 sm:grid-cols-[minmax(0,1fr)_14rem]">
            <div className="min-w-0 text-sm">
              <p className="truncate font-medium">{heading || t('contacts.mapping.unnamed', { number: at + 1 })}</p>
              <p className="truncate text-ink-3">
                {file.rows
                  .slice(0, previewed)
                  .map((row) => row[at]?.trim())
                  .filter(Boolean)
                  .join(' · ') || t('contacts.mapping.noValue')}
              </p>
            </div>
            <Select
              aria-label={t('contacts.mapping.of', { column: heading || String(at + 1) })}
              value={targets[at]}
              onChange={(event) => onChange(targets.with(at, event.target.value as Target))}
            >
              <option value="skip">{t('contacts.mapping.skip')}</option>
              {columns.map((column) => (
                <option key={column} value={column}>
                  {t(columnNames[column])}
                </option>
              ))}
              <option value="attribute" disabled={heading === ''}>
                {t('contacts.mapping.attribute')}
              </option>
            </Select>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Progress({ value, chosen }: { value: ContactImport; chosen: Chosen | null }) {
  const { t, tCount } = useI18n()
  const done = value.status === 'done'
  const errors = useImportErrors(done && value.failed > 0 ? value.id : null).data ?? []

  /**
   * Returns the file's own heading of a column and the cell's content; the server counts rows from
   * the headings, which are row 1.
   */
  function origin(record: number, field: string): string {
    const own = /^custom_attributes\.(.*)/.exec(field)?.[1]
    const at = (own === undefined ? chosen?.targets.indexOf(field as Target) : chosen?.file.header.findIndex((one) => one.replace(/^attr:/i, '') === own)) ?? -1
    const named = columnNames[field as Column] as PlainKey | undefined
    const heading = chosen?.file.header[at] ?? (named ? t(named) : field.startsWith('custom_attributes') ? (own ?? t('contacts.mapping.attribute')) : field)
    const cell = chosen?.file.rows[record - 2]?.[at]?.trim()
    return cell ? `${heading} “${cell}”` : heading
  }

  return (
    <div className="text-sm">
      <p role="status" className="mb-2 font-semibold">
        {done ? t('contacts.importDone') : t('contacts.importing', { done: formatNumber(value.processed), total: formatNumber(value.total) })}
      </p>
      <progress aria-label={t('contacts.importProgress')} max={Math.max(1, value.total)} value={value.processed} className="h-2 w-full accent-accent" />
      <ul className="mt-3 flex flex-wrap gap-x-5 gap-y-1 text-ink-2">
        <li>{tCount('contacts.imported.created', value.created)}</li>
        <li>{tCount('contacts.imported.updated', value.updated)}</li>
        <li className={value.failed > 0 ? 'text-danger-ink' : undefined}>{tCount('contacts.imported.failed', value.failed)}</li>
      </ul>
      {errors.length > 0 && (
        <ul aria-label={t('contacts.importErrors')} className="mt-3 max-h-48 divide-y divide-line overflow-y-auto rounded-md border border-line">
          {errors.map((error) => (
            <li key={error.id} className="flex gap-3 px-3 py-1.5">
              <span className="shrink-0 text-ink-2">{t('contacts.line', { line: chosen?.file.lines[error.line - 2] ?? error.line })}</span>
              <span className="min-w-0 break-words">
                {error.field && `${origin(error.line, error.field)}: `}
                {codeText(error.code, rowTexts) ?? t('contacts.row.refused', { code: error.code })}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
