import { Check, Copy } from 'lucide-react'
import { useI18n } from '@/i18n'
import { useCopy } from '@/lib/copy'
import { cx } from '@/lib/cx'
import { Button } from './Button'

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const { t } = useI18n()
  const { copied, copy } = useCopy()
  return (
    <Button size="sm" icon={copied ? Check : Copy} onClick={() => copy(text)}>
      <span aria-live="polite">{copied ? t('common.copied') : (label ?? t('common.copy'))}</span>
    </Button>
  )
}

interface CodeBlockProps {
  label: string
  code: string
  className?: string
}

export function CodeBlock({ label, code, className }: CodeBlockProps) {
  return (
    <figure className={cx('overflow-hidden rounded-lg border border-line', className)}>
      <figcaption className="flex items-center gap-3 border-b border-line bg-sunken/60 py-1.5 pr-2 pl-3.5 text-sm font-semibold text-ink-2">
        <span className="min-w-0 flex-1 truncate">{label}</span>
        <CopyButton text={code} />
      </figcaption>
      <pre tabIndex={0} aria-label={label} className="max-h-80 overflow-auto bg-surface px-3.5 py-3 font-mono text-xs leading-relaxed focus-visible:-outline-offset-2">
        {code}
      </pre>
    </figure>
  )
}
