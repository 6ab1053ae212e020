import { Paperclip, X } from 'lucide-react'
import { useI18n } from '@/i18n'
import type { Attachment, Upload } from './uploads'

interface UploadsProps {
  uploads: readonly Upload[]
  /** Returns why the chosen channel does not support an uploaded file. */
  refusal: (file: Attachment) => string | null
  onRemove: (key: number) => void
}

export function Uploads({ uploads, refusal, onRemove }: UploadsProps) {
  const { t } = useI18n()
  if (uploads.length === 0) return null
  return (
    <ul aria-label={t('inbox.attachments')} className="mt-2 flex flex-wrap gap-1.5">
      {uploads.map((upload) => {
        const error = upload.error ?? (upload.done && refusal(upload.done))
        return (
          <li key={upload.key} className="flex min-h-8 max-w-full items-center gap-1.5 rounded-md border border-line bg-surface pl-2.5 text-sm">
            <Paperclip aria-hidden className="size-3.5 shrink-0 text-ink-3" />
            <span className="max-w-48 truncate">{upload.name}</span>
            {error ? (
              <span role="alert" className="text-danger-ink">
                {error}
              </span>
            ) : (
              !upload.done && <progress aria-label={t('inbox.uploading', { name: upload.name })} value={upload.progress} max={1} className="h-1.5 w-16 accent-accent" />
            )}
            <button type="button" aria-label={t('inbox.attachment.remove', { name: upload.name })} onClick={() => onRemove(upload.key)} className="flex size-8 items-center justify-center rounded-md hover:text-danger-ink">
              <X aria-hidden className="size-3.5" />
            </button>
          </li>
        )
      })}
    </ul>
  )
}
