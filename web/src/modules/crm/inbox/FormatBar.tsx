import { Bold, Eye, Italic, Link, List, ListOrdered, PenLine, Quote, type LucideIcon } from 'lucide-react'
import { useState } from 'react'
import { useI18n, type PlainKey } from '@/i18n'
import { cx } from '@/lib/cx'
import { IconButton } from '@/ui/Button'
import { Menu, MenuItem } from '@/ui/Menu'
import { FormattedText } from './FormattedText'
import type { Format } from './formatting'
import type { Signature } from './signature'

const formats: { format: Format; icon: LucideIcon; label: PlainKey; keys: string }[] = [
  { format: 'bold', icon: Bold, label: 'format.bold', keys: 'Control+B' },
  { format: 'italic', icon: Italic, label: 'format.italic', keys: 'Control+I' },
  { format: 'link', icon: Link, label: 'format.link', keys: 'Control+Shift+K' },
  { format: 'bullets', icon: List, label: 'format.bullets', keys: 'Control+Shift+8' },
  { format: 'numbers', icon: ListOrdered, label: 'format.numbers', keys: 'Control+Shift+7' },
  { format: 'quote', icon: Quote, label: 'format.quote', keys: 'Control+Shift+9' },
]

interface FormatBarProps {
  text: string
  signature: Signature
  /** Whether the signature is added. */
  signed: boolean
  onSign: (signed: boolean) => void
  onEditSignature: () => void
  onFormat: (format: Format) => void
}

/** The formats that an e-mail supports; each button writes the marks into the text. */
export function FormatBar({ text, signature, signed, onSign, onEditSignature, onFormat }: FormatBarProps) {
  const { t } = useI18n()
  const [previewing, setPreviewing] = useState(false)
  const withSignature = signed && signature.text !== ''
  return (
    <>
      <div role="toolbar" aria-label={t('format.bar')} className="mb-1 flex flex-wrap items-center gap-0.5">
        {formats.map(({ format, icon, label, keys }) => (
          <IconButton key={format} icon={icon} label={t(label)} data-tip={`${t(label)} (${keys.replace('Control', 'Ctrl')})`} aria-keyshortcuts={keys} onClick={() => onFormat(format)} />
        ))}
        <IconButton
          icon={Eye}
          label={t('format.preview')}
          aria-pressed={previewing}
          onClick={() => setPreviewing(!previewing)}
          className={cx(previewing && 'bg-accent-soft text-accent-ink')}
        />
        {signature.canRead && (
          <Menu trigger={<IconButton icon={PenLine} label={t('signature.title')} />} align="start">
            {signature.text !== '' && (
              <MenuItem icon={PenLine} checked={signed} onSelect={() => onSign(!signed)}>
                {t('signature.add')}
              </MenuItem>
            )}
            <MenuItem icon={PenLine} onSelect={onEditSignature}>
              {t('signature.edit')}
            </MenuItem>
          </Menu>
        )}
        {withSignature && <span className="min-w-0 truncate pl-1 text-xs text-ink-3">{t('signature.below')}</span>}
      </div>
      {previewing && (
        <section aria-label={t('format.preview')} className="mb-2 max-h-60 overflow-y-auto rounded-md border border-dashed border-edge bg-surface px-3 py-2 text-base">
          {text.trim() ? <FormattedText text={withSignature ? `${text.trim()}\n\n-- \n${signature.text}` : text} /> : <p className="text-ink-3">{t('format.empty')}</p>}
        </section>
      )}
    </>
  )
}
