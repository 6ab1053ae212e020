import { Download } from 'lucide-react'
import { useState } from 'react'
import { useI18n, type PlainKey } from '@/i18n'
import { Button, buttonClass } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Checkbox, Field, Select } from '@/ui/Field'

const formats = {
  html: 'export.html',
  json: 'export.json',
  eml: 'export.eml',
  mbox: 'export.mbox',
} as const satisfies Record<string, PlainKey>

type Format = keyof typeof formats

export function ExportDialog({ conversationId, onClose }: { conversationId: string; onClose: () => void }) {
  const { t } = useI18n()
  const [format, setFormat] = useState<Format>('html')
  const [notes, setNotes] = useState(false)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('inbox.export')}
      description={t('export.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <a href={`/api/crm/v1/conversations/${conversationId}/export?format=${format}&notes=${notes}`} download onClick={onClose} className={buttonClass('primary')}>
            <Download aria-hidden className="size-4" />
            {t('export.action')}
          </a>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <Field label={t('export.format')}>
          <Select value={format} onChange={(event) => setFormat(event.target.value as Format)}>
            {(Object.keys(formats) as Format[]).map((value) => (
              <option key={value} value={value}>
                {t(formats[value])}
              </option>
            ))}
          </Select>
        </Field>
        <Checkbox label={t('export.notes')} detail={t('export.notesHint')} checked={notes} onChange={(event) => setNotes(event.target.checked)} />
      </div>
    </Dialog>
  )
}
