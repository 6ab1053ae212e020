import { Copy, ExternalLink, FileText, Image, MapPin, Phone, Reply, Video, type LucideIcon } from 'lucide-react'
import { useI18n, type PlainKey } from '@/i18n'
import { fillText, partOf, variablesIn } from './fill'
import type { Component, TemplateButton } from './templates'

const media: Record<string, { icon: LucideIcon; label: PlainKey }> = {
  IMAGE: { icon: Image, label: 'templates.header.image' },
  VIDEO: { icon: Video, label: 'templates.header.video' },
  DOCUMENT: { icon: FileText, label: 'templates.header.document' },
  LOCATION: { icon: MapPin, label: 'templates.header.location' },
}

const buttonIcons: Record<TemplateButton['type'], LucideIcon> = { QUICK_REPLY: Reply, URL: ExternalLink, PHONE_NUMBER: Phone, COPY_CODE: Copy, OTP: Copy }

interface TemplatePreviewProps {
  components: readonly Component[]
  header: readonly string[]
  body: readonly string[]
}

/** Shows what the customer will see, as far as it is filled in. */
export function TemplatePreview({ components, header, body }: TemplatePreviewProps) {
  const { t } = useI18n()
  const head = partOf(components, 'HEADER')
  const text = partOf(components, 'BODY')?.text ?? ''
  const foot = partOf(components, 'FOOTER')
  const buttons = partOf(components, 'BUTTONS')?.buttons ?? []
  const shown = head?.format ? media[head.format] : undefined
  return (
    <section aria-label={t('templates.preview')} className="rounded-lg bg-sunken p-4">
      <div className="w-fit max-w-full min-w-48 overflow-hidden rounded-lg border border-line bg-surface text-sm">
        <div className="flex flex-col gap-1.5 px-3.5 py-2.5">
          {shown && (
            <p className="flex items-center gap-2 rounded-md bg-sunken px-3 py-4 text-sm text-ink-2">
              <shown.icon aria-hidden className="size-5" strokeWidth={1.8} />
              {t(shown.label)}
            </p>
          )}
          {head?.format === 'TEXT' && head.text && (
            <p className="font-semibold break-words">{fillText(head.text, variablesIn(head.text), header)}</p>
          )}
          <p className="break-words whitespace-pre-wrap">{text ? fillText(text, variablesIn(text), body) : body[0] || t('templates.previewEmpty')}</p>
          {foot?.text && <p className="text-sm break-words text-ink-2">{foot.text}</p>}
        </div>
        {buttons.map((button, index) => {
          const Icon = buttonIcons[button.type]
          return (
            <p key={index} className="flex min-h-9 items-center justify-center gap-2 border-t border-line px-3 text-accent-ink">
              <Icon aria-hidden className="size-4" strokeWidth={1.9} />
              {button.text || t('templates.button.copyCode')}
            </p>
          )
        })}
      </div>
    </section>
  )
}
