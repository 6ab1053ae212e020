import { Send } from 'lucide-react'
import { useI18n } from '@/i18n'
import { cx } from '@/lib/cx'
import { TilePattern } from '@/ui/TilePattern'
import { ink } from '../../../widget/style'
import type { Look } from './channels'

/** The chat's default texts, the same ones that the server fills in. */
const texts = {
  tr: { title: 'Size nasıl yardımcı olabiliriz?', greeting: 'Merhaba! Sorunuzu yazın, hemen yanıtlayalım.', sample: 'Kargom nerede?', write: 'Mesajınız', team: 'Destek' },
  en: { title: 'How can we help?', greeting: 'Hello! Write your question and we will answer right away.', sample: 'Where is my parcel?', write: 'Your message', team: 'Support' },
} as const

interface WidgetPreviewProps {
  look: Look
  name: string
}

/** Previews the chat as a visitor will see it, while its settings are edited. */
export function WidgetPreview({ look, name }: WidgetPreviewProps) {
  const { t, language: own } = useI18n()
  const language = look.language === 'auto' ? own : look.language
  const words = look[language]
  const said = texts[language]
  const filled = { background: look.color, color: ink(look.color) }
  return (
    <figure aria-label={t('channels.preview')} className="rounded-lg border border-line bg-sunken p-4">
      <figcaption className="mb-3 text-xs font-semibold text-ink-3">{t('channels.preview')}</figcaption>
      <div aria-hidden lang={language} className={cx('flex flex-col gap-3', look.position === 'left' ? 'items-start' : 'items-end')}>
        {/* The page around the chat is white, regardless of the panel's theme. */}
        <div className="w-72 max-w-full overflow-hidden rounded-xl bg-(--k-page) text-sm text-(--k-page-ink) shadow-2">
          <div className="relative isolate px-4 py-3.5 font-semibold" style={filled}>
            <TilePattern className="absolute inset-0 -z-1 opacity-15" />
            <span className="block truncate">{words.title || said.title}</span>
          </div>
          <div className="flex flex-col gap-2 px-4 py-3">
            <span className="text-xs text-(--k-page-ink-2)">{name || said.team}</span>
            <span className="max-w-[85%] self-start rounded-lg bg-(--k-page-line) px-3 py-2 whitespace-pre-wrap">{words.greeting || said.greeting}</span>
            <span className="max-w-[85%] self-end rounded-lg px-3 py-2" style={filled}>
              {said.sample}
            </span>
          </div>
          <div className="m-3 mt-1 flex items-center gap-2 rounded-lg border border-(--k-page-line) px-3 py-2 text-(--k-page-ink-2)">
            <span className="flex-1 truncate">{said.write}</span>
            <Send className="size-4" />
          </div>
        </div>
        <span className="flex size-12 items-center justify-center rounded-full shadow-2" style={filled}>
          <svg viewBox="0 0 24 24" className="size-6" fill="currentColor">
            <path d="M4 4h16a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H9l-5 4v-4H4a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2z" />
          </svg>
        </span>
      </div>
    </figure>
  )
}
