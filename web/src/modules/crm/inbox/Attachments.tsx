import { CircleAlert, Download, LoaderCircle } from 'lucide-react'
import { useI18n } from '@/i18n'
import { bytesText } from '@/lib/bytes'
import type { Attachment } from './uploads'

/**
 * The attachments of a message: images are shown, recordings can be played, everything else can be
 * downloaded.
 */
export function Attachments({ attachments }: { attachments: readonly Attachment[] }) {
  const { t } = useI18n()
  if (attachments.length === 0) return null
  return (
    <ul aria-label={t('inbox.attachments')} className="mt-2 flex flex-col gap-1.5">
      {attachments.map((file) => {
        const address = `/api/crm/v1/attachments/${file.id}`
        if (file.blocked) {
          return (
            <li key={file.id} className="flex items-center gap-2 text-sm text-warn-ink">
              <CircleAlert aria-hidden className="size-4 shrink-0" />
              {t(file.blocked === 'too_large' ? 'inbox.attachment.tooLarge' : 'inbox.attachment.refused', { name: file.name })}
            </li>
          )
        }
        if (file.pending) {
          return (
            <li key={file.id} className="flex items-center gap-2 text-sm text-ink-2">
              <LoaderCircle aria-hidden className="size-4 shrink-0" />
              {t('inbox.attachment.pending', { name: file.name })}
            </li>
          )
        }
        return (
          <li key={file.id}>
            {file.shown && file.type.startsWith('audio/') && <audio controls preload="none" src={address} aria-label={file.name} className="mb-1 h-10 w-72 max-w-full" />}
            <a href={address} download={file.name} className="inline-flex max-w-full flex-col gap-1.5 rounded-md text-sm text-accent-ink underline-offset-3 hover:underline">
              {file.shown && file.type.startsWith('image/') && <img src={address} alt="" loading="lazy" className="max-h-60 w-auto rounded-md border border-line object-contain" />}
              <span className="inline-flex min-h-6 min-w-0 items-center gap-1.5">
                <Download aria-hidden className="size-4 shrink-0" />
                <span className="truncate">{file.name}</span>
                <span className="shrink-0 text-ink-2">{bytesText(file.size)}</span>
              </span>
            </a>
          </li>
        )
      })}
    </ul>
  )
}
