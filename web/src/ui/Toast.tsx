import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useI18n } from '@/i18n'
import { cx } from '@/lib/cx'
import { createStore, useStore } from '@/lib/store'
import { Button, IconButton } from './Button'
import { focusHome } from './focusHome'

interface ToastItem {
  id: number
  tone: 'ok' | 'danger'
  title: string
  detail?: string
  action?: ToastAction
}

/** What a toast offers while it is shown, such as undoing what it reports. */
export interface ToastAction {
  label: string
  run: () => void
}

const items = createStore<readonly ToastItem[]>([])
const shownFor = 5000
/** Long enough to read it, notice the mistake and reach for the button. */
const offeredFor = 10_000
let lastId = 0

/**
 * Shows news of something that already happened; what needs an answer is shown in place instead.
 * Returns a function that removes it.
 */
export function toast(tone: ToastItem['tone'], title: string, detail?: string, action?: ToastAction): () => void {
  lastId += 1
  const item = { id: lastId, tone, title, detail, action }
  items.set((now) => [...now.slice(-2), item])
  return () => dismiss(item.id)
}

function dismiss(id: number): void {
  items.set((now) => now.filter((item) => item.id !== id))
}

/**
 * Announced in place; it takes neither the focus nor the Esc of a layer. At the lower left it is no
 * wider than the navigation and a list, so the text fields at the right stay visible.
 */
export function Toaster() {
  const { t } = useI18n()
  const shown = useStore(items)
  return (
    <section
      aria-label={t('toast.region')}
      aria-live="polite"
      className="pointer-events-none fixed top-17 left-4 z-60 flex w-[calc(100vw-2rem)] flex-col gap-2 sm:top-auto sm:bottom-4 sm:w-72 lg:left-[calc(var(--k-nav-w,0rem)+1rem)]"
    >
      {shown.map((item) => (
        <ToastCard key={item.id} item={item} />
      ))}
    </section>
  )
}

function ToastCard({ item }: { item: ToastItem }) {
  const { t } = useI18n()
  const [held, setHeld] = useState(false)
  const from = useRef<HTMLElement>(null)
  useEffect(() => {
    // It stays while it is hovered or has the focus.
    if (held) return
    const timer = setTimeout(() => dismiss(item.id), item.action ? offeredFor : shownFor)
    return () => clearTimeout(timer)
  }, [held, item.id, item.action])

  // Its buttons disappear with it: the focus returns to where it was before.
  useEffect(
    () => () => {
      if (!from.current || document.activeElement !== document.body) return
      from.current.focus()
      if (document.activeElement === document.body) focusHome()
    },
    [],
  )
  const Icon = item.tone === 'ok' ? CircleCheck : CircleAlert

  return (
    <div
      role={item.tone === 'danger' ? 'alert' : 'status'}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={(event) => {
        setHeld(true)
        if (!event.currentTarget.contains(event.relatedTarget)) from.current = (event.relatedTarget ?? document.body) as HTMLElement
      }}
      onBlur={() => setHeld(false)}
      className="pointer-events-auto flex animate-rise items-start gap-2.5 rounded-lg border border-line bg-surface py-2.5 pr-1.5 pl-3.5 shadow-2"
    >
      <Icon aria-hidden className={cx('mt-2 size-4.5 shrink-0', item.tone === 'ok' ? 'text-ok-ink' : 'text-danger-ink')} />
      <div className="min-w-0 flex-1 py-1.5 text-sm">
        <p className="font-medium break-words">{item.title}</p>
        {item.detail && <p className="break-words text-ink-2">{item.detail}</p>}
      </div>
      {item.action && (
        <Button
          size="sm"
          look="ghost"
          className="mt-0.5 text-accent-ink"
          onClick={() => {
            dismiss(item.id)
            item.action?.run()
          }}
        >
          {item.action.label}
        </Button>
      )}
      <IconButton icon={X} label={t('common.close')} onClick={() => dismiss(item.id)} />
    </div>
  )
}
