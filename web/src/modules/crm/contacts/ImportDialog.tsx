import { useState, type FormEvent } from 'react'
import { codeText, errorText } from '@/api/message'
import { formatNumber, useI18n, type PlainKey } from '@/i18n'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Field } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { contactTexts } from './contactTexts'
import { useImport, useImportErrors, useStartImport, type ContactImport } from './contacts'

const columns: Record<string, PlainKey> = {
  name: 'contacts.name',
  emails: 'contacts.emails',
  phones: 'contacts.phones',
  company: 'contacts.company',
  kind: 'contacts.kind',
  tags: 'inbox.tags',
}

/** A file goes up, a job works it off, and this shows how far it is; it may be closed meanwhile. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const [file, setFile] = useState<File | null>(null)
  const [missing, setMissing] = useState(false)
  const start = useStartImport()
  const id = start.data?.id ?? null
  const progress = useImport(id)
  const current = progress.data ?? start.data

  function submit(event: FormEvent) {
    event.preventDefault()
    setMissing(!file)
    if (file) start.mutate(file)
  }

  return (
    <Dialog
      open
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
            <Button look="primary" busy={start.isPending} onClick={submit}>
              {t('contacts.importAction')}
            </Button>
          </>
        )
      }
    >
      {start.error && (
        <Notice tone="danger" className="mb-4">
          {errorText(start.error)}
        </Notice>
      )}
      {current ? (
        <Progress value={current} />
      ) : (
        <Field label={t('contacts.file')} hint={t('contacts.fileHint')} error={missing && !file ? t('field.required') : null}>
          <FileInput onChange={setFile} />
        </Field>
      )}
      {progress.error && (
        <Notice tone="danger" className="mt-4">
          {errorText(progress.error)}
        </Notice>
      )}
    </Dialog>
  )
}

function FileInput({ onChange }: { onChange: (file: File | null) => void }) {
  const { t } = useI18n()
  return (
    <input
      type="file"
      accept=".csv,text/csv"
      aria-label={t('contacts.file')}
      onChange={(event) => onChange(event.target.files?.[0] ?? null)}
      className="w-full rounded-md border border-edge bg-surface p-1.5 text-sm file:mr-3 file:h-8 file:rounded-sm file:bg-sunken file:px-3 file:font-medium file:text-ink"
    />
  )
}

function Progress({ value }: { value: ContactImport }) {
  const { t, tCount } = useI18n()
  const done = value.status === 'done'
  const errors = useImportErrors(done && value.failed > 0 ? value.id : null).data ?? []
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
              <span className="text-ink-2">{t('contacts.line', { line: error.line })}</span>
              <span>
                {columns[error.field] ? t(columns[error.field] as PlainKey) : error.field}: {codeText(error.code, contactTexts) ?? error.code}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
