import { AlarmClock, Check, Tag, Undo2, X } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { errorText } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf } from '@/lib/form'
import { Button, IconButton } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Field, Input } from '@/ui/Field'
import { toast } from '@/ui/Toast'
import { useBulk, type BulkAction } from './conversations'
import { SnoozeDialog } from './SnoozeDialog'

interface BulkBarProps {
  ids: string[]
  onDone: () => void
}

export function BulkBar({ ids, onDone }: BulkBarProps) {
  const { t, tCount } = useI18n()
  const bulk = useBulk()
  const [layer, setLayer] = useState<'snooze' | 'tag' | null>(null)

  function perform(action: BulkAction) {
    setLayer(null)
    bulk.mutate(
      { ids, action },
      {
        onSuccess: ({ data }) => {
          const failed = (data ?? []).filter((outcome) => !outcome.ok).length
          if (failed > 0) toast('danger', tCount('inbox.bulk.failed', failed))
          else toast('ok', tCount('inbox.bulk.done', ids.length))
          onDone()
        },
        onError: (error) => toast('danger', t('inbox.failed'), errorText(error)),
      },
    )
  }

  function addTag(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const tag = textOf(new FormData(event.currentTarget), 'tag')
    if (tag) perform({ do: 'tag', tags: [tag] })
  }

  return (
    <div role="toolbar" aria-label={t('inbox.bulk')} className="flex items-center gap-0.5 border-t border-line bg-surface px-2 py-1.5 shadow-2">
      <p role="status" className="min-w-0 flex-1 truncate px-1.5 text-[13px] font-semibold">
        {tCount('inbox.bulk.picked', ids.length)}
      </p>
      <IconButton icon={Check} label={t('inbox.close')} disabled={bulk.isPending} onClick={() => perform({ do: 'state', state: 'closed' })} />
      <IconButton icon={Undo2} label={t('inbox.open')} disabled={bulk.isPending} onClick={() => perform({ do: 'state', state: 'open' })} />
      <IconButton icon={AlarmClock} label={t('inbox.snooze')} disabled={bulk.isPending} onClick={() => setLayer('snooze')} />
      <IconButton icon={Tag} label={t('inbox.tag.add')} disabled={bulk.isPending} onClick={() => setLayer('tag')} />
      <IconButton icon={X} label={t('inbox.bulk.clear')} onClick={onDone} />
      {layer === 'snooze' && <SnoozeDialog onClose={() => setLayer(null)} onSnooze={(until) => perform({ do: 'snooze', until })} />}
      {layer === 'tag' && (
        <Dialog open onOpenChange={() => setLayer(null)} title={t('inbox.tag.add')}>
          <form onSubmit={addTag} className="flex items-end gap-2">
            <Field label={t('inbox.tag')} className="flex-1">
              <Input name="tag" maxLength={60} autoComplete="off" required />
            </Field>
            <Button look="primary" type="submit">
              {t('inbox.tag.addAction')}
            </Button>
          </form>
        </Dialog>
      )}
    </div>
  )
}
