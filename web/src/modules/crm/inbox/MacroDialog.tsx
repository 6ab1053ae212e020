import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Notice } from '@/ui/Notice'
import { toast } from '@/ui/Toast'
import { actionKinds, snoozeText, untilReply, type MacroAction } from '../desk/macros'
import { useApplyMacro, useMacroFor, type Macro } from './canned'
import { undoSeconds, useAgentChoices, useGroups, useStateUndo } from './conversations'
import { priorityNames } from './priorityNames'
import { useUnschedule } from './scheduled'
import type { PrepareToLeave } from './departure'

interface MacroDialogProps {
  conversationId: string
  macro: Macro
  onLeave: PrepareToLeave
  onClose: () => void
}

const states: readonly MacroAction['type'][] = ['close', 'snooze', 'open']

/** Shows step by step what a macro will do before it is run. */
export function MacroDialog({ conversationId, macro, onLeave, onClose }: MacroDialogProps) {
  const { t } = useI18n()
  const me = useMe()
  const apply = useApplyMacro(conversationId)
  // Until the placeholders are filled, the texts are shown as stored.
  const { actions } = useMacroFor(conversationId, macro.id).data ?? macro
  const stateUndo = useStateUndo()
  const unschedule = useUnschedule(conversationId)
  const agents = useAgentChoices(meets(me, { permission: 'crm.agents.view' })).data ?? []
  const groups = useGroups().data ?? []

  function about(action: MacroAction): string {
    switch (action.type) {
      case 'assign':
        if (action.agent === 'me') return me.user.name
        return action.agent === 'none' ? t('inbox.owner.none') : (agents.find((agent) => agent.id === action.agent)?.name ?? '')
      case 'group':
        return groups.find((group) => group.id === action.group_id)?.name ?? t('inbox.group.none')
      case 'add_tags':
      case 'remove_tags':
        return (action.tags ?? []).join(', ')
      case 'priority':
        return action.priority ? t(priorityNames[action.priority]) : ''
      case 'snooze':
        return snoozeText(action.until_reply ? untilReply : String(action.minutes))
      default:
        return action.body ?? ''
    }
  }

  function run() {
    const leave = onLeave(conversationId)
    const undo = stateUndo(conversationId)
    apply.mutateAsync(macro.id).then(
      ({ data: { conversation, scheduled } }) => {
        onClose()
        const said = t(scheduled.length > 0 ? 'inbox.macro.doneSent' : 'inbox.macro.done', { name: macro.name })
        const does = (other: readonly MacroAction['type'][]) => macro.actions.some(({ type }) => !other.includes(type))
        // The conversation changes its state when the answer is sent; until then both can be
        // undone.
        const then = scheduled.at(-1)?.then
        if (then) {
          const takeBack = () => Promise.all(scheduled.map(({ id }) => unschedule.mutateAsync(id)))
          const detail = does([...states, 'reply']) ? t('inbox.macro.undoesAnswer') : undefined
          return leave({ said, detail, state: then.state, undo: takeBack, for: undoSeconds * 1000 })
        }
        // A delayed answer is taken back in the thread.
        if (conversation.state === 'open') return void toast('ok', said)
        // Only the state is restored: other changes of the macro stay.
        leave({ said, detail: does(states) ? t('inbox.macro.undoes') : undefined, state: conversation.state, undo })
      },
      () => undefined,
    )
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={macro.name}
      description={macro.description || t('inbox.macro.will')}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" data-first busy={apply.isPending} onClick={run}>
            {t('inbox.macro.run')}
          </Button>
        </>
      }
    >
      {apply.error && (
        <Notice tone="danger" className="mb-4">
          {errorText(apply.error)}
        </Notice>
      )}
      <ol aria-label={t('inbox.macro.will')} className="flex flex-col gap-2 text-sm">
        {actions.map((action, index) => (
          <li key={index} className="rounded-md bg-sunken px-3 py-2">
            <span className="font-semibold">{t(actionKinds[action.type].label)}</span>
            {about(action) && <span className="block break-words whitespace-pre-wrap text-ink-2">{about(action)}</span>}
          </li>
        ))}
      </ol>
    </Dialog>
  )
}
