import { useEffect, useState } from 'react'
import { WifiOff } from 'lucide-react'
import { useI18n } from '@/i18n'
import { useOnline } from '@/lib/online'
import { useStore } from '@/lib/store'
import { streamState } from '@/live/stream'

/** A short network interruption is not worth showing; only one longer than this is. */
const patience = 2500

export function ConnectionBanner() {
  const { t } = useI18n()
  const offline = !useOnline()
  const lost = useStore(streamState) === 'lost'
  return <div role="status">{(offline || lost) && <LostNotice key={String(offline)} at={offline ? 0 : patience} text={t(offline ? 'connection.offline' : 'connection.lost')} />}</div>
}

function LostNotice({ text, at }: { text: string; at: number }) {
  const [due, setDue] = useState(at === 0)
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), at)
    return () => clearTimeout(timer)
  }, [at])
  if (!due) return null
  return (
    <p className="flex items-center justify-center gap-2 bg-warn-soft px-4 py-2 text-sm font-medium text-warn-ink">
      <WifiOff aria-hidden className="size-4 shrink-0" />
      {text}
    </p>
  )
}
