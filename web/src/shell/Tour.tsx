import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react'
import { useI18n, type PlainKey } from '@/i18n'
import { Button } from '@/ui/Button'

interface Step {
  /** The `data-tour` value of the element; null means the whole page. */
  at: string | null
  title: PlainKey
  text: PlainKey
}

const steps: readonly Step[] = [
  { at: null, title: 'tour.welcome.title', text: 'tour.welcome.text' },
  { at: 'nav', title: 'tour.nav.title', text: 'tour.nav.text' },
  { at: 'palette', title: 'tour.palette.title', text: 'tour.palette.text' },
  { at: 'notices', title: 'tour.notices.title', text: 'tour.notices.text' },
  { at: 'look', title: 'tour.look.title', text: 'tour.look.text' },
  { at: 'inbox', title: 'tour.inbox.title', text: 'tour.inbox.text' },
]

interface TourProps {
  onClose: () => void
  onInbox: () => void
}

/** A card next to the page, not over it: everything stays usable while it is read. */
export function Tour({ onClose, onInbox }: TourProps) {
  const { t } = useI18n()
  const [at, setAt] = useState(0)
  const card = useRef<HTMLElement>(null)
  const step = steps[at]
  const last = at === steps.length - 1

  useEffect(() => {
    card.current?.focus()
  }, [at])

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape') onClose()
    if (event.key === 'ArrowRight' && !last) setAt(at + 1)
    if (event.key === 'ArrowLeft' && at > 0) setAt(at - 1)
  }

  if (!step) return null
  return (
    <>
      <Ring at={step.at} />
      <section
        ref={card}
        role="dialog"
        aria-label={t('tour.label')}
        aria-describedby="tour-text"
        tabIndex={-1}
        onKeyDown={onKeyDown}
        className="fixed inset-x-3 bottom-3 z-45 animate-rise rounded-xl border border-line bg-surface p-5 shadow-2 outline-none sm:inset-x-auto sm:right-6 sm:bottom-6 sm:w-96"
      >
        <p className="text-sm text-ink-2">{t('tour.step', { step: at + 1, of: steps.length })}</p>
        <h2 className="mt-1 text-lg font-semibold">{t(step.title)}</h2>
        <p id="tour-text" className="mt-1.5 text-sm text-ink-2">
          {t(step.text)}
        </p>
        <div className="mt-4 flex flex-wrap items-center gap-2">
          <Button look="ghost" size="sm" onClick={onClose} className="mr-auto -ml-2.5">
            {t('tour.skip')}
          </Button>
          {at > 0 && (
            <Button size="sm" onClick={() => setAt(at - 1)}>
              {t('tour.back')}
            </Button>
          )}
          <Button look="primary" size="sm" onClick={last ? onInbox : () => setAt(at + 1)}>
            {last ? t('tour.openInbox') : t('tour.next')}
          </Button>
        </div>
      </section>
    </>
  )
}

/**
 * Highlights what the card describes; on a phone, where it may be out of view, the text is enough.
 */
function Ring({ at }: { at: string | null }) {
  const ring = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    function place() {
      const target = at === null ? null : document.querySelector(`[data-tour="${at}"]`)
      const box = target?.getBoundingClientRect()
      const element = ring.current
      if (!element) return
      element.hidden = !box || box.width === 0
      if (!box) return
      element.style.left = `${box.left - 4}px`
      element.style.top = `${box.top - 4}px`
      element.style.width = `${box.width + 8}px`
      element.style.height = `${box.height + 8}px`
    }
    place()
    window.addEventListener('resize', place)
    window.addEventListener('scroll', place, true)
    return () => {
      window.removeEventListener('resize', place)
      window.removeEventListener('scroll', place, true)
    }
  }, [at])
  return <div ref={ring} aria-hidden hidden className="pointer-events-none fixed z-44 rounded-lg border-2 border-focus" />
}
