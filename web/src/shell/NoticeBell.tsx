import { Bell } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useI18n } from '@/i18n'
import { IconButton } from '@/ui/Button'
import { useNotices } from './notices'

const NoticeDrawer = lazy(() => import('./NoticeDrawer').then((m) => ({ default: m.NoticeDrawer })))
const most = 9

export function NoticeBell() {
  const { t, tCount } = useI18n()
  const [open, setOpen] = useState(false)
  const count = useNotices().length
  return (
    <span className="relative" data-tour="notices">
      <IconButton icon={Bell} label={count > 0 ? tCount('notices.waiting', count) : t('notices.title')} onClick={() => setOpen(true)} />
      {count > 0 && (
        <span aria-hidden className="pointer-events-none absolute top-0.5 right-0 flex h-4 min-w-4 items-center justify-center rounded-full bg-warm px-1 text-xs font-bold text-on-warm tabular-nums">
          {count > most ? `${most}+` : count}
        </span>
      )}
      <Suspense>{open && <NoticeDrawer onClose={() => setOpen(false)} />}</Suspense>
    </span>
  )
}
