import { useEffect, useRef } from 'react'
import { useI18n } from '@/i18n'
import { mount, usePuzzle } from '@/lib/puzzle'

/**
 * Shows the puzzle of an external service in the page itself: such widgets open their own windows,
 * which no dialog may cover.
 */
export function CaptchaPrompt() {
  const { t } = useI18n()
  const puzzle = usePuzzle()
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!puzzle || !place.current) return undefined
    place.current.scrollIntoView({ block: 'nearest' })
    place.current.focus()
    return mount(puzzle, place.current)
  }, [puzzle])

  if (!puzzle) return null
  return (
    <section aria-labelledby="captcha-title" className="mt-6 rounded-lg border border-line bg-surface p-4">
      <h2 id="captcha-title" className="mb-3 text-sm font-medium">
        {t('captcha.title')}
      </h2>
      <div ref={place} tabIndex={-1} className="min-h-[65px] outline-none" />
    </section>
  )
}
