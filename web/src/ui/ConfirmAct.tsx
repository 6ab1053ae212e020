import type { ReactNode } from 'react'
import { errorText } from '@/api/message'
import { Confirm } from './Confirm'
import { toast } from './Toast'

/** The part of a mutation that ConfirmAct needs. */
interface Act<Subject, Answer> {
  mutateAsync: (subject: Subject) => Promise<Answer>
  isPending: boolean
  error: unknown
}

interface ConfirmActProps<Subject, Answer> {
  act: Act<Subject, Answer>
  /** The subject of the act. */
  on: Subject
  title: string
  action: string
  /** Shown when it is done; omit it if the page itself shows the result. */
  done?: string
  onDone?: (answer: Answer) => void
  onClose: () => void
  children: ReactNode
}

/**
 * Confirms and performs an act that cannot be undone. It reports success, and stays open if the
 * server refuses.
 */
export function ConfirmAct<Subject, Answer>({ act, on, title, action, done, onDone, onClose, children }: ConfirmActProps<Subject, Answer>) {
  // The removed record may be gone from the page, and this dialog with it, before the answer
  // arrives: a mutation's callbacks end with their component, a promise does not.
  function confirm() {
    act.mutateAsync(on).then(
      (answer) => {
        if (done) toast('ok', done)
        onClose()
        onDone?.(answer)
      },
      () => undefined,
    )
  }

  return (
    <Confirm
      open
      onOpenChange={onClose}
      title={title}
      action={action}
      busy={act.isPending}
      error={act.error == null ? null : errorText(act.error)}
      onConfirm={confirm}
    >
      {children}
    </Confirm>
  )
}
