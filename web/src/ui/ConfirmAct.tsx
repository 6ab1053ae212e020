import type { ReactNode } from 'react'
import { errorText } from '@/api/message'
import { Confirm } from './Confirm'
import { toast } from './Toast'

/** The part of a mutation that a question needs. */
interface Act<Subject, Answer> {
  mutateAsync: (subject: Subject) => Promise<Answer>
  isPending: boolean
  error: unknown
}

interface ConfirmActProps<Subject, Answer> {
  act: Act<Subject, Answer>
  /** What the act is done to. */
  on: Subject
  title: string
  action: string
  /** Said when it is done; leave it out where the page itself shows it. */
  done?: string
  onDone?: (answer: Answer) => void
  onClose: () => void
  children: ReactNode
}

/** A question before an act that cannot be taken back: it asks, does it, says so, and stays open when it is refused. */
export function ConfirmAct<Subject, Answer>({ act, on, title, action, done, onDone, onClose, children }: ConfirmActProps<Subject, Answer>) {
  // What is removed may be gone from the page, and this question with it, before the answer is
  // here: callbacks of a mutation end with their component, a promise does not.
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
