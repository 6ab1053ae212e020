import { useQueryClient } from '@tanstack/react-query'
import { AlarmClock, Check, Undo2, UserRoundPen, X } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { IconButton } from '@/ui/Button'
import { toast } from '@/ui/Toast'
import { restoreStates, rowsOf, useBulk, type BulkAction, type Outcome } from './bulk'
import type { Conversation } from './conversations'
import { SnoozeDialog } from './SnoozeDialog'

const BulkDialog = lazy(() => import('./BulkDialog').then((m) => ({ default: m.BulkDialog })))
const OutcomeDialog = lazy(() => import('./BulkDialog').then((m) => ({ default: m.OutcomeDialog })))

interface BulkBarProps {
  ids: string[]
  onDone: () => void
}

type Layer = { kind: 'snooze' } | { kind: 'change'; rows: Conversation[] } | { kind: 'outcome'; outcomes: Outcome[]; rows: Conversation[] }

export function BulkBar({ ids, onDone }: BulkBarProps) {
  const { t, tCount } = useI18n()
  const client = useQueryClient()
  const me = useMe()
  const canManage = meets(me, { permission: 'crm.conversations.manage' })
  const bulk = useBulk()
  const [layer, setLayer] = useState<Layer | null>(null)
  // Selected rows may leave the lists, and their names with them.
  const known = useRef(new Map<string, Conversation>())
  useEffect(() => {
    if (ids.every((id) => known.current.has(id))) return
    for (const row of rowsOf(client, ids)) known.current.set(row.id, row)
  }, [client, ids])

  /** Returns how to undo a change of state; other changes cannot be undone. */
  function undoOf(action: BulkAction) {
    const before = rowsOf(client, ids)
    if ((action.do !== 'state' && action.do !== 'snooze') || before.length < ids.length) return undefined
    return {
      label: t('common.undo'),
      run: () => {
        restoreStates(client, before).catch((error: unknown) => toast('danger', t('inbox.failed'), errorText(error)))
      },
    }
  }

  function perform(action: BulkAction) {
    const undo = undoOf(action)
    bulk.mutate(
      { ids, action },
      {
        onSuccess: (outcomes) => {
          if (outcomes.some(({ why }) => why !== null)) return setLayer({ kind: 'outcome', outcomes, rows: [...known.current.values()] })
          toast('ok', tCount('inbox.bulk.done', outcomes.length), undefined, undo)
          onDone()
        },
        onError: (error) => {
          // The form shows it itself.
          if (layer?.kind !== 'change') toast('danger', t('inbox.failed'), errorText(error))
        },
      },
    )
  }

  function change() {
    bulk.reset()
    setLayer({ kind: 'change', rows: rowsOf(client, ids) })
  }

  return (
    <div role="toolbar" aria-label={t('inbox.bulk')} className="flex items-center gap-0.5 border-t border-line bg-surface px-2 py-1.5 shadow-2">
      <p role="status" className="min-w-0 flex-1 truncate px-1.5 text-sm font-semibold">
        {tCount('inbox.bulk.picked', ids.length)}
      </p>
      {canManage && (
        <>
          <IconButton icon={Check} label={t('inbox.close')} busy={bulk.isPending} onClick={() => perform({ do: 'state', state: 'closed' })} />
          <IconButton icon={Undo2} label={t('inbox.open')} busy={bulk.isPending} onClick={() => perform({ do: 'state', state: 'open' })} />
          <IconButton icon={AlarmClock} label={t('inbox.snooze')} busy={bulk.isPending} onClick={() => setLayer({ kind: 'snooze' })} />
        </>
      )}
      <IconButton icon={UserRoundPen} label={t('inbox.bulk.change')} busy={bulk.isPending} onClick={change} />
      <IconButton icon={X} label={t('inbox.bulk.clear')} onClick={onDone} />
      {layer?.kind === 'snooze' && (
        <SnoozeDialog
          onClose={() => setLayer(null)}
          onSnooze={(until) => {
            setLayer(null)
            perform({ do: 'snooze', until })
          }}
        />
      )}
      <Suspense>
        {layer?.kind === 'change' && (
          <BulkDialog count={ids.length} rows={layer.rows} busy={bulk.isPending} error={bulk.error} onChange={perform} onClose={() => setLayer(null)} />
        )}
        {layer?.kind === 'outcome' && <OutcomeDialog outcomes={layer.outcomes} rows={layer.rows} onClose={onDone} />}
      </Suspense>
    </div>
  )
}
